/* SPDX-License-Identifier: Apache-2.0 */
/* daemon.h - leaving a process behind that tells its parent when it is ready */
#ifndef IJBLFP_DAEMON_H
#define IJBLFP_DAEMON_H

#include <stdbool.h>

/*
 * daemon_fork() makes a child in a session of its own. The parent waits until the child says
 * with which code the parent is to exit (daemon_ready), or ends without a word. Until then the
 * child keeps the parent's standard error, so that its messages are seen.
 */
struct daemon {
	int pipe; /* -1 in the foreground, and when the parent has been told */
};

/**
 * daemon_fork() - become two
 * @code:	in the parent: what the child has said; -1 if it has ended without a word
 *
 * Return: 0 in the child, 1 in the parent, or a negative errno.
 */
int daemon_fork(struct daemon *daemon, int *code);

/* Tell the parent. With code 0 the child goes on without its terminal. */
void daemon_ready(struct daemon *daemon, int code);

#endif
