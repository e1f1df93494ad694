/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c - what z/VSE's sockets may do on this host (RESTRICT_TO_HOSTID) */
#include "lfpd/policy/policy.h"

#include <errno.h>
#include <string.h>

#include "lfpd/conf/config.h"

/* The headers may be older. */
#define LOCAL_PORT_RANGE 51 /* IP_LOCAL_PORT_RANGE: chooses a port without bind() */
#define FLOWLABEL_MGR    32 /* IPV6_FLOWLABEL_MGR: a label may have a routing header */

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

static bool is_none(const struct in6_addr *addr)
{
	return IN6_IS_ADDR_UNSPECIFIED(addr);
}

void policy_init(struct policy *policy, const struct lfpd_config *config)
{
	memset(policy, 0, sizeof(*policy));
	policy->restricted = config->restrict_to_hostid;
	policy->loopback = config->allow_loopback;
	policy->hostid = config->vse_hostid;
	policy->hostid6 = config->vse_hostid6;
	policy->ruled = *config->policy_file;
	memcpy(policy->interface, config->host_interface, sizeof(policy->interface));
}

static bool has_inet(const struct policy *policy, struct in_addr addr)
{
	return addr.s_addr == policy->hostid.s_addr || (policy->loopback && is_loopback(addr));
}

/* An address that is not mapped. Without VSE_HOSTID6 z/VSE has none, not even the loopback's. */
static bool has_inet6(const struct policy *policy, const struct in6_addr *addr)
{
	if (is_none(&policy->hostid6))
		return false;
	return IN6_ARE_ADDR_EQUAL(addr, &policy->hostid6) ||
	       (policy->loopback && IN6_IS_ADDR_LOOPBACK(addr));
}

static bool is_group(struct in_addr addr)
{
	return IN_MULTICAST(ntohl(addr.s_addr)) || addr.s_addr == htonl(INADDR_BROADCAST);
}

static int bind_inet(const struct policy *policy, const struct policy_socket *sock,
		     struct in_addr *addr)
{
	if (addr->s_addr == htonl(INADDR_ANY))
		*addr = policy->hostid;
	if (has_inet(policy, *addr) || (sock->datagram && is_group(*addr)))
		return 0;
	return -EADDRNOTAVAIL;
}

static int bind_inet6(const struct policy *policy, const struct policy_socket *sock,
		      struct in6_addr *addr)
{
	struct in_addr inner;
	int rc;

	if (is_none(addr))
		*addr = !is_none(&policy->hostid6) ? policy->hostid6
			: sock->v6only             ? *addr
						   : map(policy->hostid);
	if (!IN6_IS_ADDR_V4MAPPED(addr)) {
		if (has_inet6(policy, addr) || (sock->datagram && IN6_IS_ADDR_MULTICAST(addr)))
			return 0;
		return -EADDRNOTAVAIL;
	}
	inner = unmap(addr);
	rc = bind_inet(policy, sock, &inner);
	*addr = map(inner);
	return rc;
}

int policy_bind(const struct policy *policy, const struct policy_socket *sock,
		struct sockaddr_storage *addr)
{
	if (!policy->restricted)
		return 0;
	/* bind() takes AF_UNSPEC for AF_INET if the address is the wildcard. */
	if (sock->family == AF_INET && addr->ss_family == AF_UNSPEC)
		addr->ss_family = AF_INET;
	if (sock->family != addr->ss_family)
		return 0;
	if (sock->family == AF_INET)
		return bind_inet(policy, sock, &as_inet(addr)->sin_addr);
	return bind_inet6(policy, sock, &as_inet6(addr)->sin6_addr);
}

/* The IPv4 address, as it is or mapped. */
static bool is_inet(const struct sockaddr_storage *addr)
{
	const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)addr;

	return addr->ss_family != AF_INET6 || IN6_IS_ADDR_V4MAPPED(&sin6->sin6_addr);
}

enum policy_local policy_local(const struct sockaddr_storage *addr)
{
	const struct in6_addr *in6 = &((const struct sockaddr_in6 *)addr)->sin6_addr;
	struct in_addr in = ((const struct sockaddr_in *)addr)->sin_addr;

	if (!is_inet(addr))
		return IN6_IS_ADDR_MULTICAST(in6) ? POLICY_GROUP : POLICY_INET6;
	if (addr->ss_family == AF_INET6)
		in = unmap(in6);
	return is_group(in) ? POLICY_GROUP : POLICY_INET;
}

static int reach_inet(const struct policy *policy, struct in_addr *addr)
{
	if (addr->s_addr == htonl(INADDR_ANY))
		*addr = policy->hostid;
	return is_loopback(*addr) && !has_inet(policy, *addr) ? -ENETUNREACH : 0;
}

static int reach_inet6(const struct policy *policy, const struct policy_socket *sock,
		       struct in6_addr *addr)
{
	bool has_hostid6 = !is_none(&policy->hostid6);
	struct in_addr inner;
	int rc;

	if (is_none(addr))
		*addr = has_hostid6 && sock->local != POLICY_INET ? policy->hostid6
								  : map(policy->hostid);
	if (!IN6_IS_ADDR_V4MAPPED(addr)) {
		if (!has_hostid6)
			return -ENETUNREACH;
		return IN6_IS_ADDR_LOOPBACK(addr) && !has_inet6(policy, addr) ? -ENETUNREACH : 0;
	}
	/* From an IPv6 address the kernel would send it, too, but with a source of its own. */
	if (sock->local == POLICY_INET6)
		return -ENETUNREACH;
	inner = unmap(addr);
	rc = reach_inet(policy, &inner);
	*addr = map(inner);
	return rc;
}

int policy_reach(const struct policy *policy, const struct policy_socket *sock,
		 struct sockaddr_storage *addr)
{
	if (!policy->restricted)
		return 0;
	if (sock->family == AF_INET6 && addr->ss_family == AF_INET6)
		return reach_inet6(policy, sock, &as_inet6(addr)->sin6_addr);
	if (addr->ss_family != AF_INET)
		return 0;
	/* A datagram socket of IPv6 takes such an address, too. */
	if (sock->local == POLICY_INET6)
		return -ENETUNREACH;
	return reach_inet(policy, &as_inet(addr)->sin_addr);
}

const char *policy_why(const struct policy *policy, const struct sockaddr_storage *addr)
{
	const struct in6_addr *in6 = &((const struct sockaddr_in6 *)addr)->sin6_addr;
	bool here;

	if (!is_inet(addr) && is_none(&policy->hostid6))
		return "RESTRICT_TO_HOSTID = yes without VSE_HOSTID6";
	if (!is_inet(addr))
		here = IN6_IS_ADDR_LOOPBACK(in6);
	else
		here = is_loopback(addr->ss_family == AF_INET6
					   ? unmap(in6)
					   : ((const struct sockaddr_in *)addr)->sin_addr);
	return here && !policy->loopback ? "RESTRICT_TO_HOSTID = yes, ALLOW_LOOPBACK = no"
					 : "RESTRICT_TO_HOSTID = yes";
}

int policy_implicit(const struct policy *policy, const struct policy_socket *sock,
		    const struct sockaddr_storage *to, struct sockaddr_storage *addr)
{
	int rc;

	if (!policy->restricted)
		return 0;
	memset(addr, 0, sizeof(*addr));
	addr->ss_family = (sa_family_t)sock->family;
	/* An IPv6 socket that has an IPv4 destination is one of IPv4 from now on. */
	if (sock->family == AF_INET6 && to && is_inet(to))
		as_inet6(addr)->sin6_addr = map(policy->hostid);
	rc = policy_bind(policy, sock, addr);
	if (rc)
		return rc;
	return sock->family == AF_INET ? (int)sizeof(struct sockaddr_in)
				       : (int)sizeof(struct sockaddr_in6);
}

bool policy_source(const struct policy *policy, const struct sockaddr_storage *addr)
{
	const struct in6_addr *in6 = &((const struct sockaddr_in6 *)addr)->sin6_addr;
	struct in_addr in = ((const struct sockaddr_in *)addr)->sin_addr;

	if (!policy->restricted)
		return true;
	if (addr->ss_family == AF_INET)
		return in.s_addr == htonl(INADDR_ANY) || has_inet(policy, in);
	if (IN6_IS_ADDR_V4MAPPED(in6))
		return has_inet(policy, unmap(in6));
	return is_none(in6) || has_inet6(policy, in6);
}

bool policy_shows(const struct policy *policy, const struct sockaddr *addr)
{
	switch (addr->sa_family) {
	case AF_INET:
		return !policy->restricted ||
		       has_inet(policy, ((const struct sockaddr_in *)addr)->sin_addr);
	case AF_INET6:
		return !policy->restricted ||
		       has_inet6(policy, &((const struct sockaddr_in6 *)addr)->sin6_addr);
	default:
		return false;
	}
}

int policy_option(const struct policy *policy, int level, int name)
{
	switch (level) {
	case SOL_SOCKET:
		switch (name) {
		case SO_MARK:
		case SO_SNDBUFFORCE:
		case SO_RCVBUFFORCE:
			return -EPERM;
		/* The kernel says so to an unprivileged process if the socket is bound. */
		case SO_BINDTODEVICE:
		case SO_BINDTOIFINDEX:
			return *policy->interface ? -EPERM : 0;
		case SO_DEBUG:
			return -EACCES; /* as the kernel says */
		/* Their reports fill the error queue, which lfpd does not read: the socket would
		 * poll as ready forever. Also, a near end refuses SCM_TXTIME: sendmsg() would fail
		 * with EINVAL. */
		case SO_TIMESTAMPING_OLD:
		case SO_TIMESTAMPING_NEW:
		case SO_TXTIME:
			return -ENOPROTOOPT;
		}
		return 0;
	case IPPROTO_IP:
		/* A source route sends packets to another address first (net/ipv4/tcp_ipv4.c,
		 * tcp_v4_connect()). */
		if (policy->ruled && (name == IP_OPTIONS || name == LOCAL_PORT_RANGE))
			return -EPERM;
		return name == IP_TRANSPARENT ? -EPERM : 0;
	case IPPROTO_IPV6:
		if (name == IPV6_TRANSPARENT || name == IPV6_JOIN_ANYCAST ||
		    name == IPV6_LEAVE_ANYCAST)
			return -EPERM;
		if (policy->ruled && (name == IPV6_RTHDR || name == IPV6_2292RTHDR ||
				      name == IPV6_2292PKTOPTIONS || name == FLOWLABEL_MGR))
			return -EPERM;
		/* It would turn an IPv6 socket into an IPv4 one below us. */
		return name == IPV6_ADDRFORM ? -ENOPROTOOPT : 0;
	}
	return 0;
}
