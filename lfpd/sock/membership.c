/* SPDX-License-Identifier: Apache-2.0 */
/* membership.c - options that name an interface or a source address of this host */
#include "lfpd/sock/option.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "lfpd/names/interfaces.h"

/* The IPv4 address at @at that means an interface; @fill: an unset one becomes VSE_HOSTID,
 * or an address of HOST_INTERFACE. */
static int check_addr(const struct policy *policy, uint8_t *at, bool fill, int error)
{
	struct sockaddr_in sin = {.sin_family = AF_INET};

	memcpy(&sin.sin_addr, at, sizeof(sin.sin_addr));
	if (!policy->restricted) {
		if (sin.sin_addr.s_addr == htonl(INADDR_ANY) && !fill)
			return 0;
		if (!interfaces_carry(policy, &sin.sin_addr))
			return error;
		memcpy(at, &sin.sin_addr, sizeof(sin.sin_addr));
		return 0;
	}
	if (sin.sin_addr.s_addr == htonl(INADDR_ANY)) {
		if (fill)
			memcpy(at, &policy->hostid, sizeof(policy->hostid));
		return 0;
	}
	return policy_shows(policy, (struct sockaddr *)&sin) ? 0 : error;
}

/* The number of an interface at @at. */
static int check_index(const struct policy *policy, uint8_t *at, int family, bool fill, int error)
{
	unsigned int index;

	memcpy(&index, at, sizeof(index));
	if (index)
		return interfaces_has(policy, index) ? 0 : error;
	if (!fill)
		return 0;
	index = interfaces_index(policy, family);
	if (!index)
		return error;
	memcpy(at, &index, sizeof(index));
	return 0;
}

/* struct ip_mreq, or struct ip_mreqn, whose number comes before its address. */
static int check_mreq(const struct policy *policy, uint8_t *value, size_t len, bool fill, int error)
{
	unsigned int index = 0;

	if (len < sizeof(struct ip_mreq))
		return 0;
	if (len >= sizeof(struct ip_mreqn)) {
		memcpy(&index, value + offsetof(struct ip_mreqn, imr_ifindex), sizeof(index));
		if (index)
			return interfaces_has(policy, index) ? 0 : error;
	}
	return check_addr(policy, value + offsetof(struct ip_mreq, imr_interface), fill, error);
}

static int check_inet(const struct policy *policy, int name, uint8_t *value, size_t len)
{
	switch (name) {
	case IP_ADD_MEMBERSHIP:
	case IP_DROP_MEMBERSHIP:
		return check_mreq(policy, value, len, true, -ENODEV);
	case IP_MULTICAST_IF:
		if (len >= sizeof(struct in_addr) && len < sizeof(struct ip_mreq))
			return check_addr(policy, value, false, -EADDRNOTAVAIL);
		return check_mreq(policy, value, len, false, -EADDRNOTAVAIL);
	case IP_ADD_SOURCE_MEMBERSHIP:
	case IP_DROP_SOURCE_MEMBERSHIP:
	case IP_BLOCK_SOURCE:
	case IP_UNBLOCK_SOURCE:
		if (len < sizeof(struct ip_mreq_source))
			return 0;
		return check_addr(policy, value + offsetof(struct ip_mreq_source, imr_interface),
				  true, -ENODEV);
	case IP_MSFILTER:
		if (len < IP_MSFILTER_SIZE(0))
			return 0;
		return check_addr(policy, value + offsetof(struct ip_msfilter, imsf_interface),
				  true, -ENODEV);
	}
	return 0;
}

/* The wildcard address names no source. */
static int check_source(const struct policy *policy, const uint8_t *value, size_t len)
{
	struct sockaddr_storage addr = {.ss_family = AF_INET6};

	if (len < sizeof(struct in6_pktinfo))
		return 0;
	memcpy(&((struct sockaddr_in6 *)&addr)->sin6_addr, value, sizeof(struct in6_addr));
	return policy_source(policy, &addr) ? 0 : -EADDRNOTAVAIL;
}

static int check_inet6(const struct policy *policy, int name, uint8_t *value, size_t len)
{
	switch (name) {
	case IPV6_JOIN_GROUP:
	case IPV6_LEAVE_GROUP:
		if (len < sizeof(struct ipv6_mreq))
			return 0;
		return check_index(policy, value + offsetof(struct ipv6_mreq, ipv6mr_interface),
				   AF_INET6, true, -ENODEV);
	case IPV6_MULTICAST_IF:
		if (len < sizeof(int))
			return 0;
		return check_index(policy, value, AF_INET6, false, -ENODEV);
	case IPV6_PKTINFO:
		return check_source(policy, value, len);
	}
	return 0;
}

int membership_option(const struct policy *policy, int level, int name, uint8_t *value, size_t len)
{
	bool ipv4 = level == IPPROTO_IP;

	if ((!policy->restricted && !*policy->interface) || (!ipv4 && level != IPPROTO_IPV6))
		return 0;
	/* The same on both levels; they start with the number of the interface. */
	if (name >= MCAST_JOIN_GROUP && name <= MCAST_MSFILTER && len >= sizeof(struct group_req))
		return check_index(policy, value, ipv4 ? AF_INET : AF_INET6, true, -ENODEV);
	return ipv4 ? check_inet(policy, name, value, len) : check_inet6(policy, name, value, len);
}
