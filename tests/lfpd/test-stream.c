/* SPDX-License-Identifier: Apache-2.0 */
/* test-stream.c - an instance with a scripted z/VSE side: data of connections, and how connections
 * end */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/sockopt.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/state/session.h"
#include "tests/qemu-user.h"
#include "tests/lfpd/one-path.h"

static void data_both_ways(void **state)
{
	struct lfp_frame frame, end = {.code = LFP_SHUTDOWN, .sock = 1};
	char buf[64];
	int fd;

	(void)state;
	one_path_start();
	fd = connect_socket(1);
	vse_data(&vse, 1, 0, "hello ", 6);
	vse_data(&vse, 1, 6, "host", 4);
	for (ptrdiff_t done = 0; done < 10;)
		done += tcp_read(&host, fd, buf + done, sizeof(buf) - (size_t)done);
	assert_memory_equal(buf, "hello host", 10);

	assert_int_equal(write(fd, "hello z/VSE", 11), 11);
	frame = vse_expect(&vse, LFP_DATA);
	assert_int_equal(frame.data.position, 0);
	assert_int_equal(frame.data.payload.len, 11);
	assert_memory_equal(frame.data.payload.ptr, "hello z/VSE", 11);

	end.shutdown.how = SHUT_WR;
	end.shutdown.position = 10;
	vse_send(&vse, &end);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 0);
	assert_int_equal(write(fd, "!", 1), 1);
	assert_int_equal(vse_expect(&vse, LFP_DATA).data.position, 11);
	close(fd);
	frame = vse_expect(&vse, LFP_SHUTDOWN);
	assert_int_equal(frame.shutdown.how, SHUT_WR);
	assert_int_equal(frame.shutdown.position, 12);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 12), 0);
	assert_int_equal(host.inst.nr_sockets, 0);
	vse_close(&vse);
}

static void refused_port_can_be_tried_again(void **state)
{
	unsigned int port;
	int nobody = tcp_bind(&port), listener;
	struct lfp_addr addr = vse_addr("127.0.0.1", port);

	(void)state;
	one_path_start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(vse_connect_to(&vse, 1, &addr), EINPROGRESS);
		assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, ECONNREFUSED);
	}
	listener = tcp_listen(&port);
	addr = vse_addr("127.0.0.1", port);
	assert_int_equal(vse_connect_to(&vse, 1, &addr), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	assert_int_equal(vse_connect_to(&vse, 1, &addr), EISCONN);
	close(listener);
	close(nobody);
	vse_close(&vse);
}

/* Waits until written data is in the other end's queue, so that a later reset comes after it on any
 * processor. Under an emulator this cannot be observed. */
static void wait_until_delivered(int fd)
{
	int left;

	while (!ioctl(fd, SIOCOUTQ, &left) && left)
		poll(NULL, 0, 1);
}

/* The peer has sent and reset before the loop saw the connection: its data still comes first. */
static void reset_before_it_was_seen(void **state)
{
	static const struct linger at_once = {.l_onoff = 1};
	struct lfp_frame frame = {.code = LFP_CONNECT, .sock = 1, .request = 50};
	unsigned int port;
	int listener = tcp_listen(&port), fd;

	(void)state;
	one_path_start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	frame.connect.peer = vse_addr("127.0.0.1", port);
	vse_send(&vse, &frame);
	do
		host_turn(&host);
	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) < 0);
	assert_int_equal(write(fd, "last", 4), 4);
	wait_until_delivered(fd);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	close(fd);
	close(listener);
	assert_int_equal(vse_expect(&vse, LFP_CONNECT_REPLY).status, EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	assert_int_equal(vse_expect(&vse, LFP_DATA).data.payload.len, 4);
	assert_int_equal(vse_expect(&vse, LFP_RESET).status, ECONNRESET);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 4), 0);
	vse_close(&vse);
}

/* connect() to AF_UNSPEC; the positions of the bytes go on. */
static void dissolved_and_connected_again(void **state)
{
	struct lfp_addr unspec = {.family = LFP_AF_UNSPEC}, addr;
	unsigned int port;
	char buf[8];
	int listener, fd;

	(void)state;
	one_path_start();
	fd = connect_socket(1);
	vse_data(&vse, 1, 0, "one", 3);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 3);
	assert_int_equal(vse_connect_to(&vse, 1, &unspec), 0);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);

	listener = tcp_listen(&port);
	addr = vse_addr("127.0.0.1", port);
	assert_int_equal(vse_connect_to(&vse, 1, &addr), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	/* The next connection begins with a whole window. */
	assert_int_equal(vse_expect(&vse, LFP_WINDOW).window.consumed, 3);
	fd = tcp_accept(&host, listener);
	vse_data(&vse, 1, 3, "two", 3);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), 3);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(vse_expect(&vse, LFP_DATA).data.position, 0);
	close(fd);
	close(listener);
	vse_close(&vse);
}

/* The peer ends in order and then resets: a program that only waits must hear of it. */
static void reset_after_end_of_file(void **state)
{
	static const struct linger at_once = {.l_onoff = 1};
	int fd;

	(void)state;
	one_path_start();
	fd = connect_socket(1);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	assert_int_equal(vse_expect(&vse, LFP_SHUTDOWN).shutdown.position, 0);
	for (int i = 0; i < 5; i++)
		host_turn(&host);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	close(fd);
	assert_int_not_equal(vse_expect(&vse, LFP_RESET).status, 0);
	vse_close(&vse);
}

/* The window of the z/VSE side stops the host, and WINDOW lets it go on. */
static void window_of_the_reader(void **state)
{
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1};
	static char bytes[4 * VSE_WINDOW];
	uint64_t got = 0;
	int fd;

	(void)state;
	one_path_start();
	fd = connect_socket(1);
	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	while (got < sizeof(bytes)) {
		struct lfp_frame frame = vse_expect(&vse, LFP_DATA);

		assert_int_equal(frame.data.position, got);
		got += frame.data.payload.len;
		assert_true(got - window.window.consumed <= VSE_WINDOW);
		/* lfpd may leave room of less than an eighth unused. */
		if (got - window.window.consumed > VSE_WINDOW - VSE_WINDOW / 8) {
			for (int i = 0; i < 5; i++)
				host_turn(&host);
			window.window.consumed = got;
			vse_send(&vse, &window);
		}
	}
	close(fd);
	vse_expect(&vse, LFP_SHUTDOWN);
	vse_close(&vse);
}

/* lfpd queues data that the host does not take, at most a window. An orderly CLOSE still delivers
 * all of it.
 */
static void close_flushes(void **state)
{
	static char bytes[4096];
	struct lfp_frame option = {.code = LFP_SETSOCKOPT, .sock = 1};
	uint64_t sent = 0, got = 0;
	uint32_t window = 65536;
	struct lfp_frame frame;
	uint64_t consumed = 0;
	int fd, small = 4096, large = 262144;

	(void)state;
	one_path_start();
	fd = connect_socket(1);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small)), 0);
	option.setsockopt.level = SOL_SOCKET;
	option.setsockopt.name = SO_SNDBUF;
	option.setsockopt.value.ptr = (const uint8_t *)"\0\0\x10\0";
	option.setsockopt.value.len = 4;
	assert_int_equal(vse_ask(&vse, option).status, 0);

	/* Waits until no more data is consumed. */
	for (;;) {
		for (int i = 0; i < 3; i++)
			host_turn(&host);
		while (vse_look(&vse, &frame)) {
			assert_int_equal(frame.code, LFP_WINDOW);
			consumed = frame.window.consumed;
		}
		if (sent + sizeof(bytes) > consumed + window)
			break;
		vse_data(&vse, 1, sent, bytes, sizeof(bytes));
		sent += sizeof(bytes);
	}
	assert_true(host.inst.pool.in_use > 0);
	assert_true(host.inst.pool.in_use <= 65536 / 8192 + 2);
	frame = (struct lfp_frame){.code = LFP_CLOSE, .sock = 1};
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	assert_int_equal(host.inst.nr_sockets, 1);
	vse_close(&vse); /* the path may end, too */
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &large, sizeof(large)), 0);
	for (;;) {
		ptrdiff_t n = tcp_read(&host, fd, bytes, sizeof(bytes));

		assert_true(n >= 0);
		if (!n)
			break;
		got += (uint64_t)n;
	}
	assert_int_equal(got, sent);
	assert_int_equal(host.inst.nr_sockets, 0);
	close(fd);
}

static void close_with_unread_data_resets(void **state)
{
	char buf[8];
	int fd;

	(void)state;
	one_path_start();
	fd = connect_socket(1);
	assert_int_equal(write(fd, "data", 4), 4);
	vse_expect(&vse, LFP_DATA);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);
	vse_close(&vse);
}

static void reset_of_the_peer(void **state)
{
	static const struct linger at_once = {.l_onoff = 1};
	struct lfp_frame frame;
	int fd;

	(void)state;
	one_path_start();
	fd = connect_socket(1);
	assert_int_equal(write(fd, "last", 4), 4);
	assert_int_equal(vse_expect(&vse, LFP_DATA).data.payload.len, 4);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	close(fd);
	frame = vse_expect(&vse, LFP_RESET);
	assert_int_equal(frame.status, ECONNRESET);
	/* Data that was under way is thrown away; the path lives. */
	vse_data(&vse, 1, 0, "late", 4);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 4), 0);
	vse_close(&vse);
}

static void path_end_resets(void **state)
{
	char buf[8];
	int fd;

	(void)state;
	one_path_start();
	fd = connect_socket(1);
	vse_close(&vse);
	assert_int_equal(tcp_read(&host, fd, buf, sizeof(buf)), -1);
	assert_int_equal(errno, ECONNRESET);
	assert_int_equal(host.inst.nr_sockets, 0);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, one_path_set_up, one_path_tear_down)

/* A peer resets while its data waits for the path, and the program reads no more. The program must
 * still learn of the reset, even if it only writes. */
static void reset_and_nobody_reads(void **state)
{
	static const struct linger at_once = {.l_onoff = 1};
	struct lfp_frame end = {.code = LFP_SHUTDOWN, .sock = 1};
	int fd, other;

	(void)state;
	host.config.iucv_msglimit = 1;
	one_path_start();
	fd = connect_socket(1);
	other = connect_socket(2);
	/* The first data uses up the path's message limit. */
	assert_int_equal(write(other, "x", 1), 1);
	while (!get_socket(2)->out.sent)
		host_turn(&host);
	assert_int_equal(write(fd, "last", 4), 4);
	while (get_socket(1)->from_host != FROM_WAITS)
		host_turn(&host);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	close(fd);
	vse_data(&vse, 1, 0, "a", 1);
	while (!get_socket(1)->stream.broken)
		host_turn(&host);
	end.shutdown.how = SHUT_RD;
	vse_send(&vse, &end);
	assert_int_equal(vse_expect(&vse, LFP_DATA).sock, 2);
	assert_int_equal(vse_expect(&vse, LFP_RESET).sock, 1);
	close(other);
	vse_close(&vse);
}

static enum nagle nagle_of(uint64_t id)
{
	return get_socket(id)->stream.nagle;
}

/* TCP_NODELAY of the host's socket 1. */
static int nodelay(void)
{
	int fd = get_socket(1)->fd, on = -1;
	socklen_t len = sizeof(on);

	assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, &len), 0);
	return on;
}

/* Writes @len bytes at a time until lfpd's use of Nagle's algorithm is @wanted. Returns how many
 * writes that took. */
static int write_until(enum nagle wanted, size_t len, uint64_t *position)
{
	static const char zeros[4096];
	int nr = 0;

	for (; nagle_of(1) != wanted && nr < 100; nr++) {
		vse_data(&vse, 1, *position, zeros, len);
		*position += len;
		while (get_socket(1)->in.received != *position)
			host_turn(&host);
	}
	assert_int_equal(nagle_of(1), wanted);
	return nr;
}

/* Ends of long writes do not wait for acknowledgements. TCP_NODELAY, which lfpd sets for that, is
 * not the program's, and ends when short writes have used up what long ones have paid. */
static void ends_of_long_writes_are_pushed(void **state)
{
	struct lfp_frame ask = {.code = LFP_GETSOCKOPT, .sock = 1, .request = 77}, reply;
	uint64_t position = 0;
	const int off = 0;
	char buf[4096];
	int fd, nr;

	(void)state;
	one_path_start(); /* which the teardown ends */
	QEMU_USER_LACKS("SIOCOUTQNSD");
	fd = connect_socket(1);
	/* The peer acknowledges late. */
	assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &off, sizeof(off)), 0);
	vse_data(&vse, 1, 0, "short", 5);
	vse_data(&vse, 1, 5, "short", 5);
	position = 10;
	write_until(NAGLE_LIFTED, 3000, &position);
	assert_int_equal(nodelay(), 1);

	ask.getsockopt.level = IPPROTO_TCP;
	ask.getsockopt.name = TCP_NODELAY;
	ask.getsockopt.length = sizeof(int);
	vse_send(&vse, &ask);
	do
		assert_true(vse_next(&vse, &reply));
	while (reply.request != ask.request);
	assert_int_equal(reply.status, 0);
	assert_int_equal(reply.value.value.len, sizeof(int));
	assert_int_equal(reply.value.value.ptr[3], 0);
	assert_int_equal(nodelay(), 0);

	write_until(NAGLE_LIFTED, 3000, &position);
	nr = write_until(NAGLE_ACTS, 100, &position);
	assert_in_range(nr, 1, 32);
	assert_int_equal(nodelay(), 0);
	for (uint64_t done = 0; done < position;) {
		ptrdiff_t n = tcp_read(&host, fd, buf, sizeof(buf));

		assert_true(n > 0);
		done += (uint64_t)n;
	}
	close(fd);
	vse_close(&vse);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(data_both_ways),
		TEST(refused_port_can_be_tried_again),
		TEST(reset_before_it_was_seen),
		TEST(dissolved_and_connected_again),
		TEST(reset_after_end_of_file),
		TEST(window_of_the_reader),
		TEST(close_flushes),
		TEST(close_with_unread_data_resets),
		TEST(reset_of_the_peer),
		TEST(path_end_resets),
		TEST(reset_and_nobody_reads),
		TEST(ends_of_long_writes_are_pushed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
