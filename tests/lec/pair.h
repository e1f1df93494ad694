/* SPDX-License-Identifier: Apache-2.0 */
/* pair.h - connections of a program with itself, for tests of LE/C */
#ifndef TESTS_LEC_PAIR_H
#define TESTS_LEC_PAIR_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

static int family;

static void *volatile bad = (void *)16; /* an address without memory */

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_storage room;
};

static socklen_t loopback(union address *addr, in_port_t port)
{
	memset(addr, 0, sizeof(*addr));
	if (family == AF_INET) {
		addr->v4.sin_family = AF_INET;
		addr->v4.sin_port = htons(port);
		addr->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		return sizeof(addr->v4);
	}
	addr->v6.sin6_family = AF_INET6;
	addr->v6.sin6_port = htons(port);
	addr->v6.sin6_addr = in6addr_loopback;
	return sizeof(addr->v6);
}

static in_port_t port_of(int s)
{
	union address addr;
	int len = sizeof(addr);

	CHECK(getsockname(s, &addr.any, &len) == 0);
	return ntohs(family == AF_INET ? addr.v4.sin_port : addr.v6.sin6_port);
}

/* A bound socket that does not listen. */
static int bound(in_port_t *port)
{
	union address addr;
	int s = socket(family, SOCK_STREAM, 0);

	CHECK(s >= 0);
	CHECK(bind(s, &addr.any, loopback(&addr, 0)) == 0);
	*port = port_of(s);
	return s;
}

static inline int make_listener(in_port_t *port)
{
	int s = bound(port);

	CHECK(listen(s, 5) == 0);
	return s;
}

/* Two ends of a connection. */
static inline void make_pair(int ends[2])
{
	union address addr;
	in_port_t port;
	int listener = make_listener(&port);

	ends[0] = socket(family, SOCK_STREAM, 0);
	CHECK(connect(ends[0], &addr.any, loopback(&addr, port)) == 0);
	ends[1] = accept(listener, NULL, NULL);
	CHECK(ends[1] >= 0);
	CHECK(close(listener) == 0);
}

static inline void close_pair(int ends[2])
{
	CHECK(close(ends[0]) == 0);
	CHECK(close(ends[1]) == 0);
}

#endif
