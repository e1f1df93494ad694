/* SPDX-License-Identifier: Apache-2.0 */
/* test-vse.c - addresses and options as the z/VSE interfaces have them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

#include "libvsesock/vse/values.h"

static void addresses_of_ipv4(void **state)
{
	/* Length byte, family, port, address, eight bytes that may be anything. */
	const uint8_t bytes[16] = {77, 2, 0x1F, 0x90, 10, 1, 2, 3, 'j', 'u', 'n', 'k', 0xF0, 0xF0};
	struct sockaddr_storage addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)&addr;
	uint8_t back[20];
	socklen_t len;

	(void)state;
	assert_int_equal(vse_addr_take(&addr, &len, bytes, 16), 0);
	assert_int_equal(len, sizeof(*in));
	assert_int_equal(in->sin_family, AF_INET);
	assert_int_equal(ntohs(in->sin_port), 8080);
	assert_int_equal(ntohl(in->sin_addr.s_addr), 0x0A010203);
	assert_memory_equal(in->sin_zero, "\0\0\0\0\0\0\0\0", 8);
	memset(back, 0xEE, sizeof(back));
	assert_int_equal(vse_addr_give(back, sizeof(back), &addr, VSE_ADDR_LEC), 16);
	assert_int_equal(back[0], 16);
	assert_memory_equal(back + 1, bytes + 1, 7);
	/* Not a byte more than it is long. */
	assert_int_equal(back[16], 0xEE);
	assert_int_equal(vse_addr_give(back, 4, &addr, VSE_ADDR_EZA), 16);
	assert_memory_equal(back, "\0\2\x1F\x90", 4);
	assert_int_equal(vse_addr_take(&addr, &len, bytes, 15), -EINVAL);
	assert_int_equal(vse_addr_take(&addr, &len, bytes, 1), -EINVAL);
}

static void addresses_of_ipv6(void **state)
{
	uint8_t bytes[28] = {0, 19, 0, 80}, back[28];
	struct sockaddr_storage addr;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&addr;
	socklen_t len;

	(void)state;
	bytes[23] = 1;
	assert_int_equal(vse_addr_take(&addr, &len, bytes, 28), 0);
	assert_int_equal(in6->sin6_family, AF_INET6);
	assert_true(IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr));
	assert_int_equal(vse_addr_give(back, sizeof(back), &addr, VSE_ADDR_EZA), 28);
	assert_memory_equal(back, bytes, 28);
	assert_int_equal(vse_addr_take(&addr, &len, bytes, 27), -EINVAL);
	bytes[1] = AF_INET6; /* Linux's number */
	assert_int_equal(vse_addr_take(&addr, &len, bytes, 28), -EAFNOSUPPORT);
}

/* Numbers that sources give for OPTNAME. */
static void options_of_eza(void **state)
{
	static const struct {
		uint32_t optname;
		int level, name;
	} seen[] = {
		{4, SOL_SOCKET, SO_REUSEADDR},
		{8, SOL_SOCKET, SO_KEEPALIVE},
		{32, SOL_SOCKET, SO_BROADCAST},
		{128, SOL_SOCKET, SO_LINGER},
		{256, SOL_SOCKET, SO_OOBINLINE},
		{4097, SOL_SOCKET, SO_SNDBUF},
		{4098, SOL_SOCKET, SO_RCVBUF},
		{4103, SOL_SOCKET, SO_ERROR},
		{4104, SOL_SOCKET, SO_TYPE},
		{1048579, IPPROTO_IP, IP_MULTICAST_TTL},
		{1048580, IPPROTO_IP, IP_MULTICAST_LOOP},
		{1048581, IPPROTO_IP, IP_ADD_MEMBERSHIP},
		{1048582, IPPROTO_IP, IP_DROP_MEMBERSHIP},
		{1048583, IPPROTO_IP, IP_MULTICAST_IF},
		{65539, IPPROTO_IPV6, IPV6_UNICAST_HOPS},
		{65540, IPPROTO_IPV6, IPV6_MULTICAST_LOOP},
		{65541, IPPROTO_IPV6, IPV6_JOIN_GROUP},
		{65542, IPPROTO_IPV6, IPV6_LEAVE_GROUP},
		{65543, IPPROTO_IPV6, IPV6_MULTICAST_IF},
		{65545, IPPROTO_IPV6, IPV6_MULTICAST_HOPS},
		{65546, IPPROTO_IPV6, IPV6_V6ONLY},
		{0x80000001, IPPROTO_TCP, TCP_NODELAY},
		{0x80000008, IPPROTO_TCP, TCP_KEEPIDLE},
	};
	struct vse_option option;

	(void)state;
	for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++) {
		assert_int_equal(vse_option_of_eza(&option, seen[i].optname), 0);
		assert_int_equal(option.level, seen[i].level);
		assert_int_equal(option.name, seen[i].name);
		assert_true(option.size > 0);
	}
	assert_int_equal(vse_option_of_eza(&option, 0), -ENOPROTOOPT);
	assert_int_equal(vse_option_of_eza(&option, 0x40000001), -ENOPROTOOPT);
	assert_int_equal(vse_option_of_eza(&option, 0x80000077), -ENOPROTOOPT);
	assert_int_equal(vse_option(&option, SOL_SOCKET, 4), -ENOPROTOOPT); /* Linux's level */
	assert_int_equal(vse_option(&option, VSE_SOL_SOCKET, 4), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_of_ipv4),
		cmocka_unit_test(addresses_of_ipv6),
		cmocka_unit_test(options_of_eza),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
