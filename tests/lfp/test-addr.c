/* SPDX-License-Identifier: Apache-2.0 */
/* test-addr.c - addresses of the system, of the wire and for people */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "lfp/addr.h"

static const struct sockaddr *as_sa(const void *addr)
{
	return addr;
}

static void test_ipv4(void **state)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(0x1234)};
	struct sockaddr_storage back;
	struct lfp_addr addr;
	static const uint8_t wire[LFP_ADDR_SIZE] = {0, 2, 0x12, 0x34, 0, 0, 0, 0, 10, 1, 2, 3};
	uint8_t buf[LFP_ADDR_SIZE];

	(void)state;
	inet_pton(AF_INET, "10.1.2.3", &in.sin_addr);
	/* The padding's contents are not sent. */
	memset(in.sin_zero, 0xee, sizeof(in.sin_zero));
	assert_int_equal(lfp_addr_from(&addr, as_sa(&in), sizeof(in)), 0);
	lfp_addr_put(&addr, buf);
	assert_memory_equal(buf, wire, sizeof(wire));

	assert_int_equal(lfp_addr_to(&addr, &back), sizeof(in));
	memset(in.sin_zero, 0, sizeof(in.sin_zero));
	assert_memory_equal(&back, &in, sizeof(in));
	/* A longer one is as good. */
	assert_int_equal(lfp_addr_from(&addr, as_sa(&back), sizeof(back)), 0);
	assert_int_equal(addr.port, 0x1234);
}

static void test_ipv6(void **state)
{
	struct sockaddr_in6 in6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(443),
		.sin6_flowinfo = htonl(0x000abcde),
		.sin6_scope_id = 7,
	};
	struct sockaddr_storage back;
	struct lfp_addr addr;
	static const uint8_t wire[LFP_ADDR_SIZE] = {0, 19, 1, 187, 0, 0x0a, 0xbc, 0xde, 0xfe, 0x80,
						    0, 0,  0, 0,   0, 0,    0,    0,    0,    0,
						    0, 0,  0, 1,   0, 0,    0,    7};
	uint8_t buf[LFP_ADDR_SIZE];

	(void)state;
	inet_pton(AF_INET6, "fe80::1", &in6.sin6_addr);
	assert_int_equal(lfp_addr_from(&addr, as_sa(&in6), sizeof(in6)), 0);
	lfp_addr_put(&addr, buf);
	assert_memory_equal(buf, wire, sizeof(wire));
	assert_int_equal(lfp_addr_to(&addr, &back), sizeof(in6));
	assert_memory_equal(&back, &in6, sizeof(in6));
}

static void test_lengths(void **state)
{
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_scope_id = 7};
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct lfp_addr addr;

	(void)state;
	for (socklen_t len = 0; len < sizeof(in); len++)
		assert_int_equal(lfp_addr_from(&addr, as_sa(&in), len), -EINVAL);
	for (socklen_t len = 0; len < 24; len++)
		assert_int_equal(lfp_addr_from(&addr, as_sa(&in6), len), -EINVAL);
	for (socklen_t len = 24; len < sizeof(in6); len++) {
		assert_int_equal(lfp_addr_from(&addr, as_sa(&in6), len), 0);
		assert_int_equal(addr.scope, 0);
	}
	assert_int_equal(lfp_addr_from(&addr, as_sa(&in6), sizeof(in6)), 0);
	assert_int_equal(addr.scope, 7);
}

static void test_other_families(void **state)
{
	struct sockaddr_storage ss = {.ss_family = AF_UNSPEC};
	struct lfp_addr addr;

	(void)state;
	memset((uint8_t *)&ss + 2, 0xee, 14);
	assert_int_equal(lfp_addr_from(&addr, as_sa(&ss), 2), 0);
	assert_int_equal(addr.family, LFP_AF_UNSPEC);
	assert_int_equal(lfp_addr_from(&addr, as_sa(&ss), 16), 0);
	assert_int_equal(addr.port, 0);
	assert_int_equal(lfp_addr_from(&addr, as_sa(&ss), 1), -EINVAL);
	assert_int_equal(lfp_addr_to(&addr, &ss), 2);
	assert_int_equal(ss.ss_family, AF_UNSPEC);

	ss.ss_family = AF_UNIX;
	assert_int_equal(lfp_addr_from(&addr, as_sa(&ss), sizeof(ss)), -EAFNOSUPPORT);
}

static void test_family_numbers(void **state)
{
	(void)state;
	assert_int_equal(lfp_family_from(AF_INET), 2);
	assert_int_equal(lfp_family_from(AF_INET6), 19);
	assert_int_equal(lfp_family_to(2), AF_INET);
	assert_int_equal(lfp_family_to(19), AF_INET6);
	assert_int_equal(lfp_family_from(AF_UNSPEC), -EAFNOSUPPORT);
	assert_int_equal(lfp_family_from(AF_UNIX), -EAFNOSUPPORT);
	assert_int_equal(lfp_family_from(19), -EAFNOSUPPORT);
	assert_int_equal(lfp_family_to(0), -EAFNOSUPPORT);
	assert_int_equal(lfp_family_to(10), -EAFNOSUPPORT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ipv4),           cmocka_unit_test(test_ipv6),
		cmocka_unit_test(test_lengths),        cmocka_unit_test(test_other_families),
		cmocka_unit_test(test_family_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
