/* SPDX-License-Identifier: Apache-2.0 */
/* test-sockopt.c - layout of option values on the wire, and the handler of each option */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "lfp/sockopt.h"

/* The value on the wire, and its way back. */
static void check(int level, int name, const void *value, size_t len, const void *wire)
{
	uint8_t buf[512];

	assert_true(len <= sizeof(buf));
	memcpy(buf, value, len);
	lfp_opt_to_wire(level, name, buf, len);
	assert_memory_equal(buf, wire, len);
	lfp_opt_from_wire(level, name, buf, len);
	assert_memory_equal(buf, value, len);
}

static void check_same(int level, int name, const void *value, size_t len)
{
	check(level, name, value, len, value);
}

static void test_numbers(void **state)
{
	const int on = 0x01020304, minus = -2;

	(void)state;
	check(SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on), "\1\2\3\4");
	check(SOL_SOCKET, SO_RCVBUF, &minus, sizeof(minus), "\xff\xff\xff\xfe");
	check(IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on), "\1\2\3\4");
	/* an unknown option: 4 bytes are a number, others are bytes */
	check(12345, 678, &on, sizeof(on), "\1\2\3\4");
	check_same(12345, 678, "abcdefgh", 8);
	check_same(12345, 678, "", 0);
}

/* IP_TTL may be a byte; a truncated field stays unchanged. */
static void test_short(void **state)
{
	const struct linger linger = {.l_onoff = 1, .l_linger = 0x10203};

	(void)state;
	check_same(IPPROTO_IP, IP_TTL, "\x40", 1);
	check_same(SOL_SOCKET, SO_LINGER, "\1\2\3", 3);
	check(SOL_SOCKET, SO_LINGER, &linger, 4, "\0\0\0\1");
	check(SOL_SOCKET, SO_LINGER, &linger, 8, "\0\0\0\1\0\1\2\3");
}

static void test_times(void **state)
{
	const int64_t times[2] = {0x0102030405060708, 999999};

	(void)state;
	check(SOL_SOCKET, SO_RCVTIMEO_OLD, times, sizeof(times),
	      "\1\2\3\4\5\6\7\10\0\0\0\0\0\x0f\x42\x3f");
	check(SOL_SOCKET, SO_SNDTIMEO_NEW, times, sizeof(times),
	      "\1\2\3\4\5\6\7\10\0\0\0\0\0\x0f\x42\x3f");
}

/* Four letters are not a number. */
static void test_names(void **state)
{
	(void)state;
	check_same(IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
	check_same(IPPROTO_TCP, TCP_CONGESTION, "cubic", 6);
	check_same(SOL_SOCKET, SO_BINDTODEVICE, "eth0", 4);
	check_same(IPPROTO_IP, IP_OPTIONS, "\1\1\1\0", 4);
}

static void test_either_size(void **state)
{
	const uint64_t wide = 0x0102030405060708;
	const uint32_t narrow = 0x01020304;

	(void)state;
	check(SOL_SOCKET, SO_MAX_PACING_RATE, &wide, 8, "\1\2\3\4\5\6\7\10");
	check(SOL_SOCKET, SO_MAX_PACING_RATE, &narrow, 4, "\1\2\3\4");
	check_same(SOL_SOCKET, SO_MAX_PACING_RATE, "abcde", 5);
	check(SOL_SOCKET, SO_COOKIE, &wide, 8, "\1\2\3\4\5\6\7\10");
}

/* Addresses are in network order already, numbers of interfaces are not. */
static void test_multicast(void **state)
{
	struct ip_mreqn mreqn = {.imr_ifindex = 5};
	struct ipv6_mreq mreq6 = {.ipv6mr_interface = 5};
	uint8_t wire[20] = {0};

	(void)state;
	memcpy(&mreqn.imr_multiaddr, "\xe0\0\0\1", 4);
	memcpy(&mreqn.imr_address, "\x0a\1\2\3", 4);
	check(IPPROTO_IP, IP_ADD_MEMBERSHIP, &mreqn, 12, "\xe0\0\0\1\x0a\1\2\3\0\0\0\5");
	check_same(IPPROTO_IP, IP_ADD_MEMBERSHIP, &mreqn, 8);
	check_same(IPPROTO_IP, IP_MULTICAST_IF, "\x0a\1\2\3", 4);
	check(IPPROTO_IP, IP_MULTICAST_IF, &mreqn, 12, "\xe0\0\0\1\x0a\1\2\3\0\0\0\5");

	memcpy(&mreq6.ipv6mr_multiaddr, "\xff\2\0\0\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	memcpy(wire, &mreq6.ipv6mr_multiaddr, 16);
	wire[19] = 5;
	check(IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &mreq6, sizeof(mreq6), wire);
}

static void test_group_req(void **state)
{
	struct group_source_req req;
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_scope_id = 2};
	uint8_t wire[sizeof(req)] = {0};

	(void)state;
	memset(&req, 0, sizeof(req));
	req.gsr_interface = 3;
	memcpy(&in6.sin6_addr, "0123456789abcdef", 16);
	memcpy(&req.gsr_group, &in6, sizeof(in6));
	memcpy(&req.gsr_source, &in6, sizeof(in6));
	wire[3] = 3;
	for (int i = 0; i < 2; i++) {
		uint8_t *at = wire + (i ? offsetof(struct group_source_req, gsr_source)
					: offsetof(struct group_source_req, gsr_group));

		at[1] = AF_INET6;
		memcpy(at + 8, "0123456789abcdef", 16);
		at[27] = 2;
	}
	check(IPPROTO_IPV6, MCAST_JOIN_SOURCE_GROUP, &req, sizeof(req), wire);
}

static void put_be(uint8_t *at, size_t size, uint64_t value)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> (8 * (size - 1 - i)));
}

#define PUT(wire, info, member)                                                                    \
	put_be((wire) + offsetof(struct tcp_info, member), sizeof((info).member), (info).member)

static void test_tcp_info(void **state)
{
	struct tcp_info info = {
		.tcpi_state = 1,
		.tcpi_options = 7,
		.tcpi_rto = 201000,
		.tcpi_rtt = 33,
		.tcpi_total_retrans = 0x01020304,
	};
	uint8_t wire[sizeof(info)] = {0};

	(void)state;
	wire[0] = 1;
	wire[offsetof(struct tcp_info, tcpi_options)] = 7;
	PUT(wire, info, tcpi_rto);
	PUT(wire, info, tcpi_rtt);
	PUT(wire, info, tcpi_total_retrans);
	check(IPPROTO_TCP, TCP_INFO, &info, sizeof(info), wire);
	/* Lengths of older programs, and one in the middle of a number. */
	check(IPPROTO_TCP, TCP_INFO, &info, 104, wire);
	memcpy(wire + 8, &info.tcpi_rto, 4);
	check(IPPROTO_TCP, TCP_INFO, &info, 10, wire);
}

/* The rest of struct tcp_info, by the kernel's offsets: libc's header ends before. */
static void test_tcp_info_long(void **state)
{
	static const struct {
		size_t at, size;
	} members[] = {
		{104, 8}, /* pacing_rate */
		{128, 8}, /* bytes_received */
		{136, 4}, /* segs_out */
		{156, 4}, /* data_segs_out */
		{160, 8}, /* delivery_rate */
		{184, 8}, /* sndbuf_limited */
		{192, 4}, /* delivered */
		{196, 4}, /* delivered_ce */
		{200, 8}, /* bytes_sent */
		{208, 8}, /* bytes_retrans */
		{216, 4}, /* dsack_dups */
		{228, 4}, /* snd_wnd */
		{232, 4}, /* rcv_wnd */
		{240, 2}, /* total_rto */
		{242, 2}, /* total_rto_recoveries */
		{244, 4}, /* total_rto_time */
		{272, 4}, /* received_e1_bytes and what follows */
	};
	uint8_t value[300], wire[300];

	(void)state;
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		const uint64_t number = 0x0102030405060708;
		const uint32_t number4 = 0x01020304;
		const uint16_t number2 = 0x0102;
		const void *from = members[i].size == 8   ? (const void *)&number
				   : members[i].size == 4 ? (const void *)&number4
							  : (const void *)&number2;

		memset(value, 0, sizeof(value));
		memset(wire, 0, sizeof(wire));
		memcpy(value + members[i].at, from, members[i].size);
		memcpy(wire + members[i].at, "\1\2\3\4\5\6\7\10", members[i].size);
		check(IPPROTO_TCP, TCP_INFO, value, sizeof(value), wire);
	}
}

static void test_unaligned(void **state)
{
	uint8_t buf[1 + sizeof(struct linger)];
	const struct linger linger = {.l_onoff = 1, .l_linger = 2};

	(void)state;
	memcpy(buf + 1, &linger, sizeof(linger));
	lfp_opt_to_wire(SOL_SOCKET, SO_LINGER, buf + 1, sizeof(linger));
	assert_memory_equal(buf + 1, "\0\0\0\1\0\0\0\2", 8);
}

static void test_policy(void **state)
{
	static const struct {
		int level, name;
		enum lfp_opt_policy policy;
	} known[] = {
		{SOL_SOCKET, 20, LFP_OPT_LOCAL}, /* SO_RCVTIMEO, old and new */
		{SOL_SOCKET, 21, LFP_OPT_LOCAL},
		{SOL_SOCKET, 66, LFP_OPT_LOCAL},
		{SOL_SOCKET, 67, LFP_OPT_LOCAL},
		{SOL_SOCKET, SO_RCVLOWAT, LFP_OPT_LOCAL},
		{SOL_SOCKET, SO_OOBINLINE, LFP_OPT_LOCAL},
		{SOL_SOCKET, SO_PEEK_OFF, LFP_OPT_LOCAL},
		{SOL_SOCKET, SO_ZEROCOPY, LFP_OPT_ASK},
		{SOL_SOCKET, SO_ATTACH_FILTER, LFP_OPT_ASK},
		{SOL_SOCKET, SO_ATTACH_BPF, LFP_OPT_REFUSE},
		{SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, LFP_OPT_REFUSE},
		{SOL_SOCKET, SO_ATTACH_REUSEPORT_EBPF, LFP_OPT_REFUSE},
		{SOL_SOCKET, SO_LOCK_FILTER, LFP_OPT_FORWARD},
		{IPPROTO_TCP, TCP_ULP, LFP_OPT_ASK},
		{IPPROTO_TCP, TCP_REPAIR, LFP_OPT_ASK},
		{IPPROTO_TCP, TCP_REPAIR_QUEUE, LFP_OPT_ASK},
		{IPPROTO_TCP, TCP_REPAIR_OPTIONS, LFP_OPT_ASK},
		{IPPROTO_TCP, TCP_REPAIR_WINDOW, LFP_OPT_ASK},
		{IPPROTO_TCP, TCP_FASTOPEN_CONNECT, LFP_OPT_FORWARD},
		{IPPROTO_TCP, TCP_INQ, LFP_OPT_FORWARD},
		{IPPROTO_TCP, TCP_ZEROCOPY_RECEIVE, LFP_OPT_REFUSE},
		{IPPROTO_IP, 64, LFP_OPT_REFUSE},   /* IPT_SO_SET_REPLACE */
		{IPPROTO_IPV6, 64, LFP_OPT_REFUSE}, /* IP6T_SO_SET_REPLACE */
		{IPPROTO_IP, 80, LFP_OPT_FORWARD},  /* SO_ORIGINAL_DST */
		{IPPROTO_IPV6, IPV6_TCLASS, LFP_OPT_FORWARD},
		{SOL_SOCKET, SO_KEEPALIVE, LFP_OPT_FORWARD},
		{SOL_SOCKET, SO_LINGER, LFP_OPT_FORWARD},
		{SOL_SOCKET, SO_PEERCRED, LFP_OPT_FORWARD},
		{SOL_SOCKET, SO_DETACH_FILTER, LFP_OPT_FORWARD},
		{IPPROTO_TCP, TCP_NODELAY, LFP_OPT_FORWARD},
		{IPPROTO_TCP, TCP_INFO, LFP_OPT_FORWARD},
		{IPPROTO_TCP, TCP_TIMESTAMP, LFP_OPT_FORWARD},
		{IPPROTO_TCP, SO_ZEROCOPY, LFP_OPT_FORWARD}, /* the number on another level */
		{12345, 678, LFP_OPT_FORWARD},
		{-1, -1, LFP_OPT_FORWARD},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (lfp_opt_policy(known[i].level, known[i].name) != known[i].policy)
			fail_msg("level %d name %d: %d", known[i].level, known[i].name,
				 lfp_opt_policy(known[i].level, known[i].name));
}

/* No length of any option may be read or written beyond; for the sanitizers. */
static void test_every_length(void **state)
{
	static const int levels[] = {SOL_SOCKET, IPPROTO_TCP, IPPROTO_IP, IPPROTO_IPV6};

	(void)state;
	for (size_t l = 0; l < sizeof(levels) / sizeof(levels[0]); l++)
		for (int name = 0; name < 140; name++)
			for (size_t len = 0; len <= 300; len += len < 40 ? 1 : 13) {
				uint8_t *value = test_malloc(len ? len : 1);
				uint8_t *wire = test_malloc(len ? len : 1);

				for (size_t i = 0; i < len; i++)
					value[i] = wire[i] = (uint8_t)(i + 1);
				lfp_opt_to_wire(levels[l], name, wire, len);
				lfp_opt_from_wire(levels[l], name, wire, len);
				assert_memory_equal(value, wire, len);
				test_free(value);
				test_free(wire);
			}
}

/* Only what can't fail: a whole number, and the host's kernel takes any. */
static void test_certain(void **state)
{
	(void)state;
	assert_true(lfp_opt_certain(IPPROTO_TCP, TCP_NODELAY, 4));
	assert_true(lfp_opt_certain(SOL_SOCKET, SO_KEEPALIVE, 8));
	assert_false(lfp_opt_certain(IPPROTO_TCP, TCP_NODELAY, 3));
	assert_false(lfp_opt_certain(IPPROTO_TCP, TCP_KEEPIDLE, 4));
	assert_false(lfp_opt_certain(SOL_SOCKET, SO_LINGER, 8));
	assert_false(lfp_opt_certain(IPPROTO_IP, TCP_NODELAY, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),       cmocka_unit_test(test_short),
		cmocka_unit_test(test_times),         cmocka_unit_test(test_names),
		cmocka_unit_test(test_either_size),   cmocka_unit_test(test_multicast),
		cmocka_unit_test(test_group_req),     cmocka_unit_test(test_tcp_info),
		cmocka_unit_test(test_tcp_info_long), cmocka_unit_test(test_unaligned),
		cmocka_unit_test(test_policy),        cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_certain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
