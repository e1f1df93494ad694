/* SPDX-License-Identifier: Apache-2.0 */
/* published.c - PUBLISH: sockets that are bound elsewhere on the host than the program says */
#include "lfpd/sock/published.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "lfpd/sock/datagram.h"

/*
 * Theory of operation
 *
 * Only the name of the host's socket differs. A socket keeps the program's address of bind() in
 * `published`, from which getsockname() answers. A connection that it accepts has that port, too.
 * The policy and the rules see the host's address: it is what becomes reachable.
 */

static int set_addr(const struct socket *sock, const struct in6_addr *host,
		    struct sockaddr_storage *addr)
{
	bool v4 = IN6_IS_ADDR_V4MAPPED(host);
	int v6only = 0;
	socklen_t len = sizeof(v6only);

	if (sock->family == AF_INET6) {
		if (v4 && !getsockopt(sock->fd, IPPROTO_IPV6, IPV6_V6ONLY, &v6only, &len) && v6only)
			return -EADDRNOTAVAIL;
		((struct sockaddr_in6 *)addr)->sin6_addr = *host;
		return 0;
	}
	if (!v4)
		return -EADDRNOTAVAIL;
	memcpy(&((struct sockaddr_in *)addr)->sin_addr, host->s6_addr + 12, 4);
	return 0;
}

int published_bind(const struct socket *sock, const struct lfp_addr *asked,
		   struct sockaddr_storage *addr)
{
	const struct lfp_publish *found =
		lfp_publish_find(&sock->instance->publish, asked->port,
				 sock->is_datagram ? LFP_PUBLISH_UDP : LFP_PUBLISH_TCP);
	in_port_t port;
	int rc;

	if (!found || addr->ss_family != sock->family)
		return 0;
	rc = found->has_addr ? set_addr(sock, &found->addr, addr) : 0;
	if (rc)
		return rc;
	port = htons((uint16_t)(found->host + (asked->port - found->own)));
	if (sock->family == AF_INET6)
		((struct sockaddr_in6 *)addr)->sin6_port = port;
	else
		((struct sockaddr_in *)addr)->sin_port = port;
	return 1;
}

void published_note(struct socket *sock, const struct lfp_addr *asked)
{
	sock->published = *asked;
}

static bool is_any(const struct lfp_addr *addr)
{
	static const uint8_t none[16];

	return !memcmp(addr->ip, none, addr->family == LFP_AF_INET ? 4 : 16);
}

bool published_is_connected(const struct socket *sock)
{
	return sock->is_datagram ? sock->dgram->connected
				 : sock->state != SOCKET_NEW && sock->state != SOCKET_LISTENING;
}

void published_show(const struct socket *sock, struct lfp_addr *addr, bool connected)
{
	if (sock->published.family == LFP_AF_UNSPEC)
		return;
	addr->port = sock->published.port;
	if (connected && is_any(&sock->published))
		return;
	memcpy(addr->ip, sock->published.ip, sizeof(addr->ip));
	addr->scope = sock->published.scope;
}
