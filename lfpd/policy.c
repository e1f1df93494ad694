/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c - what z/VSE's sockets may do on this host (RESTRICT_TO_HOSTID) */
#include "lfpd/policy.h"

#include <errno.h>
#include <string.h>

static struct sockaddr_in *as_inet(struct sockaddr_storage *addr)
{
	return (struct sockaddr_in *)addr;
}

static struct sockaddr_in6 *as_inet6(struct sockaddr_storage *addr)
{
	return (struct sockaddr_in6 *)addr;
}

static bool is_loopback(struct in_addr addr)
{
	return ntohl(addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* ::ffff:a.b.c.d */
static struct in6_addr map(struct in_addr addr)
{
	struct in6_addr mapped = {.s6_addr = {[10] = 0xff, [11] = 0xff}};

	memcpy(mapped.s6_addr + 12, &addr, sizeof(addr));
	return mapped;
}

static struct in_addr unmap(const struct in6_addr *mapped)
{
	struct in_addr addr;

	memcpy(&addr, mapped->s6_addr + 12, sizeof(addr));
	return addr;
}

static int bind_inet(const struct policy *policy, struct in_addr *addr)
{
	if (addr->s_addr == htonl(INADDR_ANY))
		*addr = policy->hostid;
	return addr->s_addr == policy->hostid.s_addr ? 0 : -EADDRNOTAVAIL;
}

int policy_bind(const struct policy *policy, int family, bool v6only, struct sockaddr_storage *addr)
{
	struct sockaddr_in6 *sin6 = as_inet6(addr);
	struct in_addr inner;
	int rc;

	if (!policy->restricted)
		return 0;
	/* bind() takes AF_UNSPEC for AF_INET if the address is the wildcard. */
	if (family == AF_INET && addr->ss_family == AF_UNSPEC)
		addr->ss_family = AF_INET;
	if (family != addr->ss_family)
		return 0;
	if (family == AF_INET)
		return bind_inet(policy, &as_inet(addr)->sin_addr);

	if (v6only)
		return -EADDRNOTAVAIL;
	if (IN6_IS_ADDR_UNSPECIFIED(&sin6->sin6_addr))
		sin6->sin6_addr = map(policy->hostid);
	if (!IN6_IS_ADDR_V4MAPPED(&sin6->sin6_addr))
		return -EADDRNOTAVAIL;
	inner = unmap(&sin6->sin6_addr);
	rc = bind_inet(policy, &inner);
	sin6->sin6_addr = map(inner);
	return rc;
}

int policy_connect(const struct policy *policy, int family, const struct sockaddr_storage *addr)
{
	const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)addr;

	if (!policy->restricted || family != addr->ss_family)
		return 0;
	/* 0.0.0.0 is the host itself; from a socket bound to VSE_HOSTID that is VSE_HOSTID. */
	if (family == AF_INET)
		return is_loopback(((const struct sockaddr_in *)addr)->sin_addr) ? -ENETUNREACH : 0;
	if (!IN6_IS_ADDR_V4MAPPED(&sin6->sin6_addr))
		return -ENETUNREACH;
	return is_loopback(unmap(&sin6->sin6_addr)) ? -ENETUNREACH : 0;
}

int policy_implicit(const struct policy *policy, int family, bool v6only,
		    struct sockaddr_storage *addr)
{
	int rc;

	if (!policy->restricted)
		return 0;
	memset(addr, 0, sizeof(*addr));
	addr->ss_family = (sa_family_t)family;
	rc = policy_bind(policy, family, v6only, addr);
	if (rc)
		return rc;
	return family == AF_INET ? (int)sizeof(struct sockaddr_in)
				 : (int)sizeof(struct sockaddr_in6);
}

bool policy_shows(const struct policy *policy, const struct sockaddr *addr)
{
	struct in_addr in;

	switch (addr->sa_family) {
	case AF_INET:
		in = ((const struct sockaddr_in *)addr)->sin_addr;
		return policy->hostid.s_addr == htonl(INADDR_ANY) || is_loopback(in) ||
		       in.s_addr == policy->hostid.s_addr;
	case AF_INET6:
		return policy->hostid.s_addr == htonl(INADDR_ANY) ||
		       IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)addr)->sin6_addr);
	default:
		return false;
	}
}

int policy_option(int level, int name)
{
	switch (level) {
	case SOL_SOCKET:
		switch (name) {
		case SO_MARK:
		case SO_SNDBUFFORCE:
		case SO_RCVBUFFORCE:
			return -EPERM;
		case SO_DEBUG:
			return -EACCES; /* as the kernel says */
		/* They fill the error queue, which nobody reads: the socket would be "ready"
		 * forever. */
		case SO_TIMESTAMPING_OLD:
		case SO_TIMESTAMPING_NEW:
		case SO_TXTIME:
			return -ENOPROTOOPT;
		}
		return 0;
	case IPPROTO_IP:
		return name == IP_TRANSPARENT ? -EPERM : 0;
	case IPPROTO_IPV6:
		if (name == IPV6_TRANSPARENT)
			return -EPERM;
		/* It would turn an IPv6 socket into an IPv4 one below us. */
		return name == IPV6_ADDRFORM ? -ENOPROTOOPT : 0;
	}
	return 0;
}
