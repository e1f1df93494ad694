/* SPDX-License-Identifier: Apache-2.0 */
/* waiter.c - callers that wait for the outcome of connect() */
#include "ijblfp/sock/waiter.h"

#include "ijblfp/sock/vsock.h"

void waiter_add(struct connect_waiter *waiter, struct vsock *vs)
{
	waiter->vs = vs;
	lfp_list_init(&waiter->place);
	lfp_list_append(&vs->waiters, &waiter->place);
}

void waiter_leave(struct connect_waiter *waiter)
{
	waiter->vs = NULL;
	lfp_list_del(&waiter->place);
}

struct connect_waiter *waiter_first(const struct vsock *vs)
{
	return lfp_list_entry(vs->waiters.next, struct connect_waiter, place);
}

void waiters_answer(struct vsock *vs, int error)
{
	while (!lfp_list_empty(&vs->waiters)) {
		struct connect_waiter *waiter = waiter_first(vs);

		waiter_leave(waiter);
		waiter->done(waiter, error, false);
	}
}

bool waiters_block(const struct vsock *vs)
{
	const struct connect_waiter *waiter;

	lfp_list_each(waiter, &vs->waiters, place)
		if (!waiter->blocking)
			return false;
	return !lfp_list_empty(&vs->waiters);
}
