/* SPDX-License-Identifier: Apache-2.0 */
/* via-host.c - the addresses of the proxies of upstreams */
#include "lfpd/sock/via-host.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN_MS 60000u

struct lookup {
	uv_getaddrinfo_t request;
	struct upstream *upstream; /* a reference */
};

static void take_addresses(struct upstream_addrs *addrs, const struct addrinfo *list)
{
	addrs->v4.sin_family = addrs->v6.sin6_family = AF_UNSPEC;
	for (; list; list = list->ai_next) {
		if (list->ai_family == AF_INET && !addrs->v4.sin_family)
			memcpy(&addrs->v4, list->ai_addr, sizeof(addrs->v4));
		else if (list->ai_family == AF_INET6 && !addrs->v6.sin6_family)
			memcpy(&addrs->v6, list->ai_addr, sizeof(addrs->v6));
	}
}

static void on_found(uv_getaddrinfo_t *request, int status, struct addrinfo *list)
{
	struct lookup *lookup = request->data;
	struct upstream *upstream = lookup->upstream;
	struct via_waiter *waiter;

	take_addresses(&upstream->addrs, status ? NULL : list);
	uv_freeaddrinfo(list);
	upstream->addrs.is_asked = false;
	upstream->addrs.until = status ? 0 : uv_now(request->loop) + KNOWN_MS;
	while ((waiter =
			lfp_list_first_entry(&upstream->addrs.waiting, struct via_waiter, entry))) {
		lfp_list_del(&waiter->entry);
		waiter->done(waiter);
	}
	upstream_drop(upstream);
	free(lookup);
}

/* Returns false if it cannot. */
static bool ask(struct upstream *upstream, uv_loop_t *loop)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct lookup *lookup = calloc(1, sizeof(*lookup));

	if (!lookup)
		return false;
	lookup->request.data = lookup;
	if (uv_getaddrinfo(loop, &lookup->request, on_found, upstream->host, NULL, &hints)) {
		free(lookup);
		return false;
	}
	lookup->upstream = upstream_take(upstream);
	upstream->addrs.is_asked = true;
	return true;
}

int via_host_find(struct upstream *upstream, uv_loop_t *loop, struct via_waiter *waiter)
{
	struct upstream_addrs *addrs = &upstream->addrs;

	if (!addrs->is_asked && uv_now(loop) < addrs->until)
		return 0;
	if (!addrs->is_asked && !ask(upstream, loop))
		return 0;
	lfp_list_append(&addrs->waiting, &waiter->entry);
	return -EINPROGRESS;
}

socklen_t via_host_addr(const struct upstream *upstream, int family, struct sockaddr_storage *addr)
{
	const struct upstream_addrs *addrs = &upstream->addrs;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in = (struct sockaddr_in *)addr;

	memset(addr, 0, sizeof(*addr));
	if (family == AF_INET && addrs->v4.sin_family) {
		*in = addrs->v4;
		in->sin_port = htons(upstream->port);
		return sizeof(*in);
	}
	if (family != AF_INET6 || (!addrs->v4.sin_family && !addrs->v6.sin6_family))
		return 0;
	if (addrs->v6.sin6_family) {
		*in6 = addrs->v6;
	} else {
		in6->sin6_family = AF_INET6;
		in6->sin6_addr.s6_addr[10] = in6->sin6_addr.s6_addr[11] = 0xff;
		memcpy(in6->sin6_addr.s6_addr + 12, &addrs->v4.sin_addr, 4);
	}
	in6->sin6_port = htons(upstream->port);
	return sizeof(*in6);
}
