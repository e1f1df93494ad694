/* SPDX-License-Identifier: Apache-2.0 */
/* test-rtnetlink.c - requests about links, addresses and routes, in a network namespace of its own
 */
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "lfp/rtnetlink.h"
#include "tests/qemu-user.h"

/* The loopback alone is there, and it is down. */
static void need_namespace(void)
{
	static int entered;

	if (!entered)
		entered = unshare(geteuid() ? CLONE_NEWUSER | CLONE_NEWNET : CLONE_NEWNET) ? -1 : 1;
	if (entered < 0)
		skip();
}

static int set_link(int device, uint32_t mtu)
{
	struct lfp_rtnetlink msg;

	lfp_rtnetlink_begin(&msg, RTM_NEWLINK, 0, sizeof(msg.body.link));
	msg.body.link.ifi_index = device;
	msg.body.link.ifi_flags = msg.body.link.ifi_change = IFF_UP;
	lfp_rtnetlink_add(&msg, IFLA_MTU, &mtu, sizeof(mtu));
	return lfp_rtnetlink_ask(&msg);
}

static void test_link(void **state)
{
	struct ifreq req = {.ifr_name = "lo"};
	int fd;

	(void)state;
	QEMU_USER_LACKS("the byte order of attributes of links");
	need_namespace();
	assert_int_equal(set_link(1, 9000), 0);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(ioctl(fd, SIOCGIFMTU, &req), 0);
	assert_int_equal(req.ifr_mtu, 9000);
	assert_int_equal(ioctl(fd, SIOCGIFFLAGS, &req), 0);
	assert_true(req.ifr_flags & IFF_UP);
	close(fd);
}

/* The kernel's errors come back as they are. */
static void test_error(void **state)
{
	(void)state;
	need_namespace();
	assert_int_equal(set_link(4711, 9000), -ENODEV);
}

static int change_address(uint16_t type, uint16_t flags)
{
	const struct in_addr address = {htonl(0xc0000201)}; /* 192.0.2.1 */
	struct lfp_rtnetlink msg;

	lfp_rtnetlink_begin(&msg, type, flags, sizeof(msg.body.addr));
	msg.body.addr.ifa_family = AF_INET;
	msg.body.addr.ifa_prefixlen = 24;
	msg.body.addr.ifa_index = 1;
	lfp_rtnetlink_add(&msg, IFA_LOCAL, &address, sizeof(address));
	lfp_rtnetlink_add(&msg, IFA_ADDRESS, &address, sizeof(address));
	return lfp_rtnetlink_ask(&msg);
}

static void test_address(void **state)
{
	(void)state;
	need_namespace();
	assert_int_equal(change_address(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL), 0);
	assert_int_equal(change_address(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL), -EEXIST);
	assert_int_equal(change_address(RTM_DELADDR, 0), 0);
	assert_int_equal(change_address(RTM_DELADDR, 0), -EADDRNOTAVAIL);
}

/* Each attribute begins at a multiple of 4 bytes. */
static void test_layout(void **state)
{
	struct lfp_rtnetlink msg;

	(void)state;
	lfp_rtnetlink_begin(&msg, RTM_NEWROUTE, NLM_F_CREATE, sizeof(msg.body.route));
	assert_int_equal(msg.head.nlmsg_len, 16 + 12);
	assert_int_equal(msg.head.nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE);
	lfp_rtnetlink_add(&msg, RTA_DST, "abcde", 5);
	assert_int_equal(msg.head.nlmsg_len, 16 + 12 + 12);
	lfp_rtnetlink_add(&msg, RTA_OIF, "fghi", 4);
	assert_int_equal(msg.head.nlmsg_len, 16 + 12 + 12 + 8);
	assert_memory_equal((const char *)&msg + 16 + 12 + 12 + 4, "fghi", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_address),
		cmocka_unit_test(test_layout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
