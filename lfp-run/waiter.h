/* SPDX-License-Identifier: Apache-2.0 */
/* waiter.h - lfp-run stays until the program has ended, and takes the log of its private instance
 */
#ifndef LFP_RUN_WAITER_H
#define LFP_RUN_WAITER_H

#include <stdbool.h>
#include <sys/types.h>

struct waiter {
	const char *file; /* of --log: a path, "-" for standard error; NULL: none */
	bool summary;     /* a table on standard error at the end */
	pid_t parent;     /* in the child: the process that waits */
};

/**
 * waiter_fork() - split into the process that waits, and the one that becomes the program
 * @log:	in the child set to the descriptor that lfpd writes the log to
 *
 * Returns in the child only: 0, or an exit code after a message if there is no child. The parent
 * passes signals on, copies the log, ends as the program did, and never returns.
 */
int waiter_fork(struct waiter *waiter, int *log);

/* In the child, right before it becomes the program: it ends with its parent, however that ends. A
 * new user namespace would undo this (kernel/cred.c, commit_creds()). */
void waiter_bind(const struct waiter *waiter);

#endif
