/* SPDX-License-Identifier: Apache-2.0 */
/* test-datagram.c - datagram sockets with a scripted z/VSE side: both ways, parts, windows */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/sockopt.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/datagrams.h"
#include "tests/lfpd/one-path.h"
#include "tests/qemu-user.h"

static void kinds(void **state)
{
	(void)state;
	one_path_start();
	assert_int_equal(make(1, 2, 0), 0);
	assert_int_equal(make(2, 2, IPPROTO_UDP), 0);
	assert_int_equal(make(3, 2, IPPROTO_TCP), EPROTONOSUPPORT);
	assert_int_equal(make(4, 2, IPPROTO_ICMP), EPROTONOSUPPORT);
	assert_int_equal(make(5, 3, 0), ESOCKTNOSUPPORT);
	assert_int_equal(host.inst.nr_sockets, 2);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	assert_int_equal(host.inst.nr_sockets, 1);
	vse_close(&vse);
}

static void both_ways(void **state)
{
	unsigned int port, vse_port, from;
	struct lfp_frame frame;
	struct lfp_addr to;
	char buf[16];
	int fd;

	(void)state;
	one_path_start();
	fd = udp(&port);
	to = vse_addr("127.0.0.1", port);
	vse_port = make_bound(1);
	datagram(1, 0, 3, 0, &to, "abc", 3);
	assert_int_equal(udp_take(fd, buf, sizeof(buf), &from), 3);
	assert_int_equal(from, vse_port);
	assert_memory_equal(buf, "abc", 3);
	datagram(1, 3 + LFP_DATAGRAM_COST, 0, 0, &to, "", 0);
	assert_int_equal(udp_take(fd, buf, sizeof(buf), &from), 0);
	assert_int_equal(last_error(1), 0);

	udp_send(fd, vse_port, "answer", 6);
	frame = vse_expect(&vse, LFP_DATAGRAM);
	assert_int_equal(frame.datagram.position, 0);
	assert_int_equal(frame.datagram.total, 6);
	assert_int_equal(frame.datagram.addr.port, port);
	assert_int_equal(frame.datagram.has, 0);
	assert_memory_equal(frame.datagram.payload.ptr, "answer", 6);
	udp_send(fd, vse_port, "", 0);
	frame = vse_expect(&vse, LFP_DATAGRAM);
	assert_int_equal(frame.datagram.position, 6 + LFP_DATAGRAM_COST);
	assert_int_equal(frame.datagram.total, 0);
	close(fd);
	vse_close(&vse);
}

static void connected(void **state)
{
	struct lfp_addr peer, none = {.family = LFP_AF_UNSPEC};
	unsigned int port, from;
	char buf[16];
	int fd;

	(void)state;
	one_path_start();
	fd = udp(&port);
	peer = vse_addr("127.0.0.1", port);
	assert_int_equal(make(1, 2, 0), 0);
	/* Without a peer it needs an address. */
	datagram(1, 0, 1, 0, NULL, "x", 1);
	assert_int_equal(vse_expect(&vse, LFP_DATAGRAM_ERROR).datagram_error.error, EDESTADDRREQ);
	connect_to(1, &peer);
	datagram(1, 1 + LFP_DATAGRAM_COST, 1, 0, NULL, "y", 1);
	assert_int_equal(udp_take(fd, buf, sizeof(buf), &from), 1);
	assert_int_equal(buf[0], 'y');
	connect_to(1, &none);
	datagram(1, 2 + 2 * LFP_DATAGRAM_COST, 1, 0, NULL, "z", 1);
	assert_int_equal(vse_expect(&vse, LFP_DATAGRAM_ERROR).datagram_error.error, EDESTADDRREQ);
	close(fd);
	vse_close(&vse);
}

/* The largest one comes in parts that fit packets, and goes in parts. */
static void parts(void **state)
{
	static uint8_t large[LFP_DATAGRAM_MAX4], back[LFP_DATAGRAM_MAX4 + 1];
	unsigned int port, vse_port, from, nr = 0;
	struct lfp_addr to;
	uint32_t got = 0;
	int fd;

	(void)state;
	for (size_t i = 0; i < sizeof(large); i++)
		large[i] = (uint8_t)(i * 13 + i / 256);
	one_path_start();
	fd = udp(&port);
	to = vse_addr("127.0.0.1", port);
	vse_port = make_bound(1);
	for (uint32_t at = 0; at < sizeof(large); at += 8000) {
		size_t len = sizeof(large) - at < 8000 ? sizeof(large) - at : 8000;

		datagram(1, 0, sizeof(large), at, &to, large + at, len);
	}
	assert_int_equal(udp_take(fd, back, sizeof(back), &from), sizeof(large));
	assert_memory_equal(back, large, sizeof(large));
	/* More than a window is consumed: lfpd reports it. */
	assert_int_equal(vse_expect(&vse, LFP_WINDOW).window.consumed,
			 sizeof(large) + LFP_DATAGRAM_COST);

	udp_send(fd, vse_port, large, sizeof(large));
	while (got < sizeof(large)) {
		struct lfp_frame frame = vse_expect(&vse, LFP_DATAGRAM);

		assert_int_equal(frame.datagram.position, 0);
		assert_int_equal(frame.datagram.total, sizeof(large));
		assert_int_equal(frame.datagram.offset, got);
		memcpy(back + got, frame.datagram.payload.ptr, frame.datagram.payload.len);
		got += frame.datagram.payload.len;
		nr++;
	}
	assert_true(nr >= 9);
	assert_memory_equal(back, large, sizeof(large));
	close(fd);
	vse_close(&vse);
}

/* CONNECT comes while a datagram of several parts is half-way: it goes to the address of its first
 * part. */
static void connected_half_way(void **state)
{
	unsigned int port[2], from;
	struct lfp_addr peer[2];
	char buf[16];
	int fd[2];

	(void)state;
	one_path_start();
	for (int i = 0; i < 2; i++) {
		fd[i] = udp(&port[i]);
		peer[i] = vse_addr("127.0.0.1", port[i]);
	}
	assert_int_equal(make(1, 2, 0), 0);
	connect_to(1, &peer[0]);
	datagram(1, 0, 6, 0, NULL, "old", 3);
	connect_to(1, &peer[1]);
	datagram(1, 0, 6, 3, NULL, "one", 3);
	assert_int_equal(udp_take(fd[0], buf, sizeof(buf), &from), 6);
	assert_memory_equal(buf, "oldone", 6);
	datagram(1, 6 + LFP_DATAGRAM_COST, 3, 0, NULL, "new", 3);
	assert_int_equal(udp_take(fd[1], buf, sizeof(buf), &from), 3);
	assert_memory_equal(buf, "new", 3);
	close(fd[0]);
	close(fd[1]);
	vse_close(&vse);
}

/* Less than the window is open, or nothing is sent. */
static void window(void **state)
{
	const uint64_t cost = 1000 + LFP_DATAGRAM_COST;
	unsigned int port, vse_port,
		first = (VSE_WINDOW + (unsigned int)cost - 1) / (unsigned int)cost;
	struct lfp_frame frame = {.code = LFP_WINDOW, .sock = 1};
	char data[1000] = "";
	int fd;

	(void)state;
	one_path_start();
	fd = udp(&port);
	vse_port = make_bound(1);
	for (unsigned int i = 0; i < 3 * first; i++) {
		data[0] = (char)i;
		udp_send(fd, vse_port, data, sizeof(data));
	}
	for (unsigned int i = 0; i < first; i++)
		assert_int_equal(vse_expect(&vse, LFP_DATAGRAM).datagram.position, i * cost);
	/* The answer to a request is the next that comes. */
	assert_int_equal(last_error(1), 0);
	frame.window.consumed = 2 * cost;
	vse_send(&vse, &frame);
	for (unsigned int i = first; i < first + 2; i++)
		assert_int_equal(vse_expect(&vse, LFP_DATAGRAM).datagram.payload.ptr[0], (int)i);
	assert_int_equal(last_error(1), 0);
	close(fd);
	vse_close(&vse);
}

static void ancillary(void **state)
{
	unsigned int port, vse_port;
	struct lfp_frame frame;
	struct msghdr msg = {.msg_iovlen = 1};
	union {
		struct cmsghdr align;
		char buf[64];
	} control;
	char buf[16];
	struct iovec iov = {buf, sizeof(buf)};
	int fd, on = 1, ttl;

	(void)state;
	one_path_start();
	QEMU_USER_LACKS("ancillary data of IP that is sent");
	fd = udp(&port);
	vse_port = make_bound(1);
	set_option(1, IPPROTO_IP, IP_PKTINFO, 1);
	set_option(1, IPPROTO_IP, IP_RECVTTL, 1);
	set_option(1, IPPROTO_IP, IP_RECVTOS, 1);
	ttl = 77;
	assert_int_equal(setsockopt(fd, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl)), 0);
	udp_send(fd, vse_port, "x", 1);
	frame = vse_expect(&vse, LFP_DATAGRAM);
	assert_int_equal(frame.datagram.has, LFP_HAS_PKTINFO | LFP_HAS_TTL | LFP_HAS_TOS);
	assert_int_equal(frame.datagram.ttl, 77);
	assert_int_equal(frame.datagram.tos, 0);
	assert_int_equal(frame.datagram.local.family, LFP_AF_INET);
	assert_memory_equal(frame.datagram.local.ip, "\x7f\0\0\1", 4);
	assert_int_equal(frame.datagram.spec, INADDR_LOOPBACK);
	assert_int_not_equal(frame.datagram.ifindex, 0);

	assert_int_equal(setsockopt(fd, IPPROTO_IP, IP_RECVTTL, &on, sizeof(on)), 0);
	frame = (struct lfp_frame){.code = LFP_DATAGRAM, .sock = 1};
	frame.datagram.total = 1;
	frame.datagram.addr = vse_addr("127.0.0.1", port);
	frame.datagram.has = LFP_HAS_TTL;
	frame.datagram.ttl = 55;
	frame.datagram.payload.ptr = (const uint8_t *)"y";
	frame.datagram.payload.len = 1;
	vse_send(&vse, &frame);
	assert_int_equal(last_error(1), 0);
	msg.msg_iov = &iov;
	msg.msg_control = control.buf;
	msg.msg_controllen = sizeof(control.buf);
	udp_wait(fd);
	assert_int_equal(recvmsg(fd, &msg, MSG_DONTWAIT), 1);
	assert_int_equal(control.align.cmsg_type, IP_TTL);
	memcpy(&ttl, CMSG_DATA(&control.align), sizeof(ttl));
	assert_int_equal(ttl, 55);
	close(fd);
	vse_close(&vse);
}

/* lfpd reports consumed bytes in time, so that a window never stays closed. */
static void window_is_told(void **state)
{
	static uint8_t large[8000];
	unsigned int port;
	int fd = udp(&port); /* of which none is read */
	struct lfp_addr to = vse_addr("127.0.0.1", port);
	uint64_t at = 0;

	(void)state;
	one_path_start();
	assert_int_equal(make(1, 2, 0), 0);
	for (int i = 0; i < 20; i++) {
		for (int j = 0; j < 2; j++) {
			datagram(1, at, sizeof(large), 0, &to, large, sizeof(large));
			at += sizeof(large) + LFP_DATAGRAM_COST;
		}
		assert_int_equal(vse_expect(&vse, LFP_WINDOW).window.consumed, at);
	}
	close(fd);
	vse_close(&vse);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, one_path_set_up, one_path_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(kinds),     TEST(both_ways),          TEST(connected),
		TEST(parts),     TEST(connected_half_way), TEST(window),
		TEST(ancillary), TEST(window_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
