/* SPDX-License-Identifier: Apache-2.0 */
/* obeying.h - a program that makes its calls when the test orders it, also after execve() */
#ifndef TESTS_IJBLFP_OBEYING_H
#define TESTS_IJBLFP_OBEYING_H

#include <limits.h>
#include <sys/types.h>

#include "host.h"

/* What the program does next. The same connection serves all its calls, and outlives execve(). */
enum act { CONNECT, SOCKET, USER, GROUP, EXECUTE, EXECUTE_IN_THREAD, LEAVE_TO_CHILD };

struct obeying {
	struct host *host;
	int orders;
	pid_t pid;
	char own[PATH_MAX]; /* the program that it executes at first */
	char other[128];    /* a copy of it */
};

/* For cmocka: starts the program and a host, which gets TASK_WHO. */
int obeying_set_up(void **state);
int obeying_tear_down(void **state);

/* For the beginning of main(): does not return in the program that EXECUTE starts. */
void obeying_main(int argc, char **argv);

/* Lets the program act, and waits until it has. @id is of a user or a group, @path to execute. */
void obeying_order(struct obeying *program, enum act act, uint32_t id, const char *path);

/* Lets the program make a socket. Returns what lfpd was told before it, NULL if nothing. */
const struct got_who *obeying_who(struct obeying *program);

void obeying_copy(const char *from, const char *to);

#endif
