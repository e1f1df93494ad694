/* SPDX-License-Identifier: Apache-2.0 */
/* waiter.h - callers that wait for the outcome of connect() */
#ifndef IJBLFP_SOCK_WAITER_H
#define IJBLFP_SOCK_WAITER_H

#include <stdbool.h>

#include "lfp/list.h"

struct vsock;

/* One call of connect(), or one that ends a connection. The caller owns it and keeps it until
 * done(). All members but @blocking and @done are 0 at first. */
struct connect_waiter {
	struct lfp_list place; /* in vs->waiters */
	struct vsock *vs;      /* the socket whose connection it waits for, or NULL */
	bool blocking;         /* waits until the connection is made or has failed */
	bool joined;           /* another call has begun the attempt */
	bool was_made;         /* of connect_dissolve(): there was a connection, or nearly */
	int error;             /* the outcome of a connect() that first has to dissolve */
	int taken;             /* the socket's error that this call has taken to report it, or 0 */

	/* Called once with the outcome: @error is 0 or a positive errno. If @renew is set, the
	 * near end is of no use any more: the program gets another one (renew_begin()) and
	 * @error, which may be 0. The waiter may be gone after it. */
	void (*done)(struct connect_waiter *waiter, int error, bool renew);
};

void waiter_add(struct connect_waiter *waiter, struct vsock *vs);

/* Removes the waiter. Its caller has no answer yet. */
void waiter_leave(struct connect_waiter *waiter);

/* Answers all waiters of the socket. @error is 0 or a positive errno. */
void waiters_answer(struct vsock *vs, int error);

/* Returns true if there is a waiter, and all are blocking. */
bool waiters_block(const struct vsock *vs);

/* Returns the first waiter. There must be one. */
struct connect_waiter *waiter_first(const struct vsock *vs);

#endif
