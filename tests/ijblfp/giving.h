/* SPDX-License-Identifier: Apache-2.0 */
/* giving.h - tasks of a program, sockets that one gives and another takes, with a scripted lfpd */
#ifndef TESTS_IJBLFP_GIVING_H
#define TESTS_IJBLFP_GIVING_H

#include <stdbool.h>

#include "host.h"

#define NUMBER 3 /* the giver's number of the socket */

/* An address space and a task that are all blanks. */
extern const struct lfp_ctl_client any;

/* Begins a CICS-style task of this name. Returns the key for its calls. */
uint64_t begin(struct host *host, const char *name);

/* Makes a connected stream: the near end and its id. */
int connected(struct host *host, uint64_t *id);

/* Makes a call about a client. Returns its error. */
int call_client(struct host *host, int op, int a, int b, const struct lfp_ctl_client *client,
		int fd);

int give_for(struct host *host, int fd, const struct lfp_ctl_client *to, int seconds);
int give(struct host *host, int fd, const struct lfp_ctl_client *to);

/* Returns the caller's client id. */
struct lfp_ctl_client client_id(struct host *host);

/* Returns the error. 0: @fd is the new near end. */
int take_given(struct host *host, const struct lfp_ctl_client *giver, int number, int *fd);

int is_taken(struct host *host, int fd);
bool hangs(int fd);
void expect_text(int fd, const char *text);

#endif
