/* SPDX-License-Identifier: Apache-2.0 */
/* addr.c - struct lfp_addr and the system's struct sockaddr */
#include "lfp/addr.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

/* The kernel's minimum for IPv6: RFC 2133 had no scope yet. */
#define SIN6_LEN_RFC2133 24

static int take_ipv4(struct lfp_addr *addr, const struct sockaddr *sa, socklen_t len)
{
	struct sockaddr_in in;

	if (len < sizeof(in))
		return -EINVAL;
	memcpy(&in, sa, sizeof(in));
	addr->family = LFP_AF_INET;
	addr->port = ntohs(in.sin_port);
	memcpy(addr->ip, &in.sin_addr, sizeof(in.sin_addr));
	return 0;
}

static int take_ipv6(struct lfp_addr *addr, const struct sockaddr *sa, socklen_t len)
{
	struct sockaddr_in6 in6 = {.sin6_scope_id = 0};

	if (len < SIN6_LEN_RFC2133)
		return -EINVAL;
	/* The kernel reads the scope only from a full-size address (net/ipv6/datagram.c,
	 * __ip6_datagram_connect()). */
	memcpy(&in6, sa, len < sizeof(in6) ? SIN6_LEN_RFC2133 : sizeof(in6));
	addr->family = LFP_AF_INET6;
	addr->port = ntohs(in6.sin6_port);
	addr->flowinfo = ntohl(in6.sin6_flowinfo);
	memcpy(addr->ip, &in6.sin6_addr, sizeof(in6.sin6_addr));
	addr->scope = in6.sin6_scope_id;
	return 0;
}

int lfp_addr_from(struct lfp_addr *addr, const struct sockaddr *sa, socklen_t len)
{
	sa_family_t family;

	memset(addr, 0, sizeof(*addr));
	if (len < sizeof(family))
		return -EINVAL;
	memcpy(&family, sa, sizeof(family));
	switch (family) {
	case AF_INET:
		return take_ipv4(addr, sa, len);
	case AF_INET6:
		return take_ipv6(addr, sa, len);
	case AF_UNSPEC:
		addr->family = LFP_AF_UNSPEC;
		return 0;
	default:
		return -EAFNOSUPPORT;
	}
}

socklen_t lfp_addr_to(const struct lfp_addr *addr, struct sockaddr_storage *sa)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};

	memset(sa, 0, sizeof(*sa));
	switch (addr->family) {
	case LFP_AF_INET:
		in.sin_port = htons(addr->port);
		memcpy(&in.sin_addr, addr->ip, sizeof(in.sin_addr));
		memcpy(sa, &in, sizeof(in));
		return sizeof(in);
	case LFP_AF_INET6:
		in6.sin6_port = htons(addr->port);
		in6.sin6_flowinfo = htonl(addr->flowinfo);
		memcpy(&in6.sin6_addr, addr->ip, sizeof(in6.sin6_addr));
		in6.sin6_scope_id = addr->scope;
		memcpy(sa, &in6, sizeof(in6));
		return sizeof(in6);
	default:
		sa->ss_family = AF_UNSPEC;
		return sizeof(sa->ss_family);
	}
}

int lfp_family_from(int af)
{
	switch (af) {
	case AF_INET:
		return LFP_AF_INET;
	case AF_INET6:
		return LFP_AF_INET6;
	default:
		return -EAFNOSUPPORT;
	}
}

int lfp_family_to(unsigned int family)
{
	switch (family) {
	case LFP_AF_INET:
		return AF_INET;
	case LFP_AF_INET6:
		return AF_INET6;
	default:
		return -EAFNOSUPPORT;
	}
}
