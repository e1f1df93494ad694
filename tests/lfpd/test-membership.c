/* SPDX-License-Identifier: Apache-2.0 */
/* test-membership.c - options that name an interface or a source, with VSE_HOSTID on the loopback
 * interface */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>

#include "lfpd/sock/option.h"

#define NOWHERE 987654 /* no interface has this number */

static struct policy policy = {.restricted = true};
static unsigned int lo;

static int set_up(void **state)
{
	(void)state;
	policy.hostid.s_addr = htonl(INADDR_LOOPBACK);
	lo = if_nametoindex("lo");
	return lo ? 0 : -1;
}

static int ask(int level, int name, void *value, size_t len)
{
	return membership_option(&policy, level, name, value, len);
}

static struct in_addr inet(const char *text)
{
	struct in_addr addr;

	assert_int_equal(inet_pton(AF_INET, text, &addr), 1);
	return addr;
}

/* Addresses that mean interfaces: ours, no one's (which becomes ours or stays), another one's. */
static void addresses(void **state)
{
	struct ip_mreq mreq = {.imr_multiaddr = inet("239.1.1.1")};
	struct ip_mreq_source source = {.imr_multiaddr = inet("239.1.1.1")};
	struct in_addr addr = {.s_addr = 0};

	(void)state;
	assert_int_equal(ask(IPPROTO_IP, IP_ADD_MEMBERSHIP, &mreq, sizeof(mreq)), 0);
	assert_int_equal(mreq.imr_interface.s_addr, policy.hostid.s_addr);
	assert_int_equal(ask(IPPROTO_IP, IP_DROP_MEMBERSHIP, &mreq, sizeof(mreq)), 0);
	mreq.imr_interface = inet("127.0.0.2");
	assert_int_equal(ask(IPPROTO_IP, IP_ADD_MEMBERSHIP, &mreq, sizeof(mreq)), -ENODEV);
	/* too short: the kernel says so */
	assert_int_equal(ask(IPPROTO_IP, IP_ADD_MEMBERSHIP, &mreq, 7), 0);

	assert_int_equal(ask(IPPROTO_IP, IP_ADD_SOURCE_MEMBERSHIP, &source, sizeof(source)), 0);
	assert_int_equal(source.imr_interface.s_addr, policy.hostid.s_addr);
	source.imr_interface = inet("10.9.9.9");
	assert_int_equal(ask(IPPROTO_IP, IP_BLOCK_SOURCE, &source, sizeof(source)), -ENODEV);

	assert_int_equal(ask(IPPROTO_IP, IP_MULTICAST_IF, &addr, sizeof(addr)), 0);
	assert_int_equal(addr.s_addr, 0); /* the kernel's choice again */
	addr = policy.hostid;
	assert_int_equal(ask(IPPROTO_IP, IP_MULTICAST_IF, &addr, sizeof(addr)), 0);
	addr = inet("127.0.0.2");
	assert_int_equal(ask(IPPROTO_IP, IP_MULTICAST_IF, &addr, sizeof(addr)), -EADDRNOTAVAIL);
}

/* Numbers of interfaces. */
static void numbers(void **state)
{
	struct ip_mreqn mreqn = {.imr_multiaddr = inet("239.1.1.1"), .imr_ifindex = (int)lo};
	struct ipv6_mreq mreq6 = {.ipv6mr_interface = 0};
	struct group_req req = {.gr_interface = 0};
	unsigned int index = NOWHERE;

	(void)state;
	assert_int_equal(ask(IPPROTO_IP, IP_ADD_MEMBERSHIP, &mreqn, sizeof(mreqn)), 0);
	mreqn.imr_ifindex = NOWHERE;
	assert_int_equal(ask(IPPROTO_IP, IP_ADD_MEMBERSHIP, &mreqn, sizeof(mreqn)), -ENODEV);
	assert_int_equal(ask(IPPROTO_IP, IP_MULTICAST_IF, &mreqn, sizeof(mreqn)), -EADDRNOTAVAIL);

	assert_int_equal(ask(IPPROTO_IPV6, IPV6_JOIN_GROUP, &mreq6, sizeof(mreq6)), 0);
	assert_int_equal(mreq6.ipv6mr_interface, lo);
	mreq6.ipv6mr_interface = NOWHERE;
	assert_int_equal(ask(IPPROTO_IPV6, IPV6_JOIN_GROUP, &mreq6, sizeof(mreq6)), -ENODEV);
	assert_int_equal(ask(IPPROTO_IPV6, IPV6_MULTICAST_IF, &index, sizeof(index)), -ENODEV);
	index = 0;
	assert_int_equal(ask(IPPROTO_IPV6, IPV6_MULTICAST_IF, &index, sizeof(index)), 0);

	for (int i = 0; i < 2; i++) {
		int level = i ? IPPROTO_IPV6 : IPPROTO_IP;

		req.gr_interface = 0;
		assert_int_equal(ask(level, MCAST_JOIN_GROUP, &req, sizeof(req)), 0);
		assert_int_equal(req.gr_interface, lo);
		req.gr_interface = NOWHERE;
		assert_int_equal(ask(level, MCAST_LEAVE_GROUP, &req, sizeof(req)), -ENODEV);
	}
}

static void sources(void **state)
{
	struct in6_pktinfo info = {.ipi6_ifindex = 0};

	(void)state;
	assert_int_equal(ask(IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof(info)), 0);
	info.ipi6_addr.s6_addr[15] = 1;
	assert_int_equal(ask(IPPROTO_IPV6, IPV6_PKTINFO, &info, sizeof(info)), -EADDRNOTAVAIL);
}

/* Other options, other levels, and an instance without restrictions. */
static void others(void **state)
{
	struct ip_mreq mreq = {.imr_interface = inet("10.9.9.9")}, same = mreq;
	struct policy open = {.restricted = false};

	(void)state;
	assert_int_equal(ask(SOL_SOCKET, IP_ADD_MEMBERSHIP, &mreq, sizeof(mreq)), 0);
	assert_int_equal(ask(IPPROTO_IP, IP_TTL, &mreq, sizeof(mreq)), 0);
	assert_int_equal(membership_option(&open, IPPROTO_IP, IP_ADD_MEMBERSHIP, (uint8_t *)&mreq,
					   sizeof(mreq)),
			 0);
	assert_memory_equal(&mreq, &same, sizeof(same));
	/* An address that no interface carries has none. */
	policy.hostid = inet("192.0.2.9");
	mreq.imr_interface.s_addr = 0;
	assert_int_equal(ask(IPPROTO_IPV6, IPV6_JOIN_GROUP,
			     &(struct ipv6_mreq){.ipv6mr_interface = 0}, sizeof(struct ipv6_mreq)),
			 -ENODEV);
	policy.hostid.s_addr = htonl(INADDR_LOOPBACK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),
		cmocka_unit_test(numbers),
		cmocka_unit_test(sources),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
