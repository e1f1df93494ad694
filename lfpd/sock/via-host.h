/* SPDX-License-Identifier: Apache-2.0 */
/* via-host.h - the addresses of the proxies of upstreams */
#ifndef LFPD_SOCK_VIA_HOST_H
#define LFPD_SOCK_VIA_HOST_H

#include <stdbool.h>
#include <uv.h>

#include "lfpd/policy/upstream.h"

/* An attempt that waits for the addresses. */
struct via_waiter {
	struct lfp_list entry; /* in upstream->addrs.waiting; alone if it does not wait */
	void (*done)(struct via_waiter *waiter);
};

/*
 * Makes the addresses known. There is one look-up at a time for each upstream, whatever its
 * programs do, so that they leave libuv's threads to others.
 *
 * Returns 0 if they are known, or were asked for in vain; or -EINPROGRESS: @waiter->done() is
 * called once, unless the caller takes @waiter off the list before.
 */
int via_host_find(struct upstream *upstream, uv_loop_t *loop, struct via_waiter *waiter);

/* Sets @addr to an address of the proxy that a socket of this family can connect to. Returns its
 * length, or 0 if there is none. */
socklen_t via_host_addr(const struct upstream *upstream, int family, struct sockaddr_storage *addr);

#endif
