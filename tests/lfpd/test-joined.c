/* SPDX-License-Identifier: Apache-2.0 */
/* test-joined.c - connections between two sockets of one instance */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <endian.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfpd/sock/joined.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/datagrams.h"
#include "tests/lfpd/joining.h"
#include "tests/lfpd/one-path.h"
#include "tests/qemu-user.h"

static const char block[VSE_WINDOW];
static struct lfp_addr listens_at;
static uint64_t server; /* id of the accepted socket */

static struct socket *sock_of(uint64_t id)
{
	return joining_socket(id);
}

static void listen_and_connect(unsigned int family, const char *ip)
{
	one_path_start();
	listens_at = joining_connect(family, ip);
}

static void accept_one(void)
{
	server = joining_accept();
}

static void make_pair(void)
{
	one_path_start();
	server = joining_make();
}

/* Expects these bytes of a socket, in one frame or more. WINDOW frames of others pass. */
static void expect_bytes(uint64_t id, uint64_t position, const char *bytes, size_t len)
{
	struct lfp_frame frame;

	while (len) {
		assert_true(vse_next(&vse, &frame));
		if (frame.code == LFP_WINDOW)
			continue;
		assert_int_equal(frame.code, LFP_DATA);
		assert_int_equal(frame.sock, id);
		assert_int_equal(frame.data.position, position);
		assert_in_range(frame.data.payload.len, 1, len);
		assert_memory_equal(frame.data.payload.ptr, bytes, frame.data.payload.len);
		position += frame.data.payload.len;
		bytes += frame.data.payload.len;
		len -= frame.data.payload.len;
	}
}

static struct lfp_frame expect_frame(enum lfp_code code)
{
	struct lfp_frame frame;

	do
		assert_true(vse_next(&vse, &frame));
	while (frame.code == LFP_WINDOW);
	assert_int_equal(frame.code, code);
	return frame;
}

static void report(uint64_t id, uint64_t consumed)
{
	const struct lfp_frame frame = {
		.code = LFP_WINDOW, .sock = id, .window.consumed = consumed};

	vse_send(&vse, &frame);
}

static void end(uint64_t id, uint64_t position, int how)
{
	const struct lfp_frame frame = {.code = LFP_SHUTDOWN,
					.sock = id,
					.shutdown = {.how = (uint8_t)how, .position = position}};

	vse_send(&vse, &frame);
}

/* The server's window is full, and 100 bytes more are held. */
static void fill(void)
{
	const size_t half = sizeof(block) / 2;

	vse_data(&vse, CLIENT, 0, block, half);
	expect_bytes(server, 0, block, half);
	vse_data(&vse, CLIENT, half, block, half);
	expect_bytes(server, half, block, half);
	vse_data(&vse, CLIENT, sizeof(block), block, 100);
}

/* Runs the loop until the held bytes are with TCP. */
static void wait_until_stalled(void)
{
	while (!sock_of(CLIENT)->stream.joined.stalled)
		host_turn(&host);
	assert_int_equal(sock_of(CLIENT)->stream.joined.in_tcp, 100);
	assert_int_equal(sock_of(CLIENT)->stream.queue.len, 0);
}

static void both_close(uint64_t client_got, uint64_t server_got)
{
	assert_int_equal(vse_close_socket(&vse, CLIENT, 0, client_got), 0);
	expect_frame(LFP_SHUTDOWN);
	assert_int_equal(vse_close_socket(&vse, server, 0, server_got), 0);
	assert_int_equal(vse_close_socket(&vse, LISTENER, 0, 0), 0);
	vse_close(&vse);
}

/* Fields of struct tcp_info, in bytes from its beginning. */
enum { BYTES_ACKED = 120, BYTES_RECEIVED = 128, BYTES_SENT = 200 };

static uint64_t info(uint64_t id, size_t at)
{
	struct lfp_frame frame = {.code = LFP_GETSOCKOPT, .sock = id};
	uint64_t value;

	frame.getsockopt.level = IPPROTO_TCP;
	frame.getsockopt.name = TCP_INFO;
	frame.getsockopt.length = 208;
	frame.request = ++vse.request;
	vse_send(&vse, &frame);
	frame = expect_frame(LFP_GETSOCKOPT_REPLY);
	assert_int_equal(frame.status, 0);
	assert_int_equal(frame.value.value.len, 208);
	memcpy(&value, frame.value.value.ptr + at, sizeof(value));
	return be64toh(value);
}

static void data_leaves_tcp_out(void **state)
{
	(void)state;
	make_pair();
	vse_data(&vse, CLIENT, 0, "question", 8);
	expect_bytes(server, 0, "question", 8);
	vse_data(&vse, server, 0, "answer", 6);
	expect_bytes(CLIENT, 0, "answer", 6);
	assert_int_equal(host.inst.counters.bytes_joined, 14);
	assert_int_equal(host.inst.counters.bytes_to_host, 14);
	assert_int_equal(host.inst.counters.bytes_to_vse, 14);
	assert_int_equal(host.inst.counters.joins, 1);
	assert_int_equal(info(CLIENT, BYTES_SENT), 8);
	assert_int_equal(info(CLIENT, BYTES_RECEIVED), 6);
	assert_int_equal(info(server, BYTES_ACKED), 6);
	both_close(6, 8);
}

/* A client of IPv4 at a listener of IPv6: the names of the ends differ in their form. */
static void mapped_addresses(void **state)
{
	(void)state;
	listen_and_connect(LFP_AF_INET6, "127.0.0.1");
	accept_one();
	assert_ptr_equal(sock_of(server)->stream.joined.other, sock_of(CLIENT));
	vse_data(&vse, CLIENT, 0, "x", 1);
	expect_bytes(server, 0, "x", 1);
	both_close(0, 1);
}

static void data_before_accept_comes_first(void **state)
{
	(void)state;
	listen_and_connect(LFP_AF_INET, "127.0.0.1");
	vse_data(&vse, CLIENT, 0, "early ", 6);
	while (sock_of(CLIENT)->stream.joined.in_tcp != 6)
		host_turn(&host);
	accept_one();
	vse_data(&vse, CLIENT, 6, "late", 4);
	expect_bytes(server, 0, "early late", 10);
	assert_int_equal(host.inst.counters.bytes_joined, 4);
	both_close(0, 10);
}

static void urgent_data_keeps_its_place(void **state)
{
	struct lfp_frame frame = {
		.code = LFP_DATA,
		.flags = LFP_FRAME_URGENT,
		.sock = CLIENT,
		.data = {.position = 6, .payload = {(const uint8_t *)"!", 1}},
	};

	(void)state;
	make_pair();
	vse_data(&vse, CLIENT, 0, "before", 6);
	vse_send(&vse, &frame);
	vse_data(&vse, CLIENT, 7, "behind", 6);
	expect_bytes(server, 0, "before", 6);
	frame = expect_frame(LFP_DATA);
	assert_int_equal(frame.flags, LFP_FRAME_URGENT);
	assert_int_equal(frame.data.position, 6);
	expect_bytes(server, 7, "behind", 6);
	vse_data(&vse, CLIENT, 13, "more", 4);
	expect_bytes(server, 13, "more", 4);
	assert_int_equal(host.inst.counters.bytes_joined, 16);
	both_close(0, 17);
}

/* What is held before an urgent byte goes by TCP with it. */
static void urgent_data_behind_held_data(void **state)
{
	struct lfp_frame frame = {
		.code = LFP_DATA,
		.flags = LFP_FRAME_URGENT,
		.sock = CLIENT,
		.data = {.position = sizeof(block) + 100, .payload = {(const uint8_t *)"!", 1}},
	};

	(void)state;
	make_pair();
	fill();
	vse_send(&vse, &frame);
	report(server, sizeof(block));
	expect_bytes(server, sizeof(block), block, 100);
	frame = expect_frame(LFP_DATA);
	assert_int_equal(frame.flags, LFP_FRAME_URGENT);
	assert_int_equal(frame.data.position, sizeof(block) + 100);
	assert_int_equal(host.inst.counters.bytes_joined, sizeof(block));
	both_close(0, sizeof(block) + 101);
}

/* A reader that stops has the buffers of TCP before it. */
static void stalled_reader(void **state)
{
	static const char held[101] = {[100] = 'y'};

	(void)state;
	make_pair();
	fill();
	wait_until_stalled();
	vse_data(&vse, CLIENT, sizeof(block) + 100, "y", 1);
	while (sock_of(CLIENT)->stream.joined.in_tcp != 101)
		host_turn(&host);
	report(server, sizeof(block));
	expect_bytes(server, sizeof(block), held, sizeof(held));
	vse_data(&vse, CLIENT, sizeof(block) + 101, "z", 1);
	expect_bytes(server, sizeof(block) + 101, "z", 1);
	assert_int_equal(host.inst.counters.bytes_joined, sizeof(block) + 1);
	both_close(0, sizeof(block) + 102);
}

static void end_follows_held_data(void **state)
{
	struct lfp_frame frame;

	(void)state;
	make_pair();
	fill();
	end(CLIENT, sizeof(block) + 100, SHUT_WR);
	report(server, sizeof(block));
	expect_bytes(server, sizeof(block), block, 100);
	frame = expect_frame(LFP_SHUTDOWN);
	assert_int_equal(frame.sock, server);
	assert_int_equal(frame.shutdown.position, sizeof(block) + 100);
	/* The other direction goes on. */
	vse_data(&vse, server, 0, "x", 1);
	expect_bytes(CLIENT, 0, "x", 1);
	assert_int_equal(vse_close_socket(&vse, server, 0, sizeof(block) + 100), 0);
	assert_int_equal(expect_frame(LFP_SHUTDOWN).sock, CLIENT);
	assert_int_equal(vse_close_socket(&vse, CLIENT, 0, 1), 0);
	vse_close(&vse);
}

/* The program is gone: what was held goes by TCP, and all arrives. */
static void close_with_held_data(void **state)
{
	(void)state;
	make_pair();
	fill();
	assert_int_equal(vse_close_socket(&vse, CLIENT, 0, 0), 0);
	assert_null(sock_of(server)->stream.joined.other);
	report(server, sizeof(block));
	expect_bytes(server, sizeof(block), block, 100);
	assert_int_equal(expect_frame(LFP_SHUTDOWN).shutdown.position, sizeof(block) + 100);
	assert_int_equal(vse_close_socket(&vse, server, 0, sizeof(block) + 100), 0);
	vse_close(&vse);
}

/* As the kernel does for data in its own queue. */
static void close_before_held_data_is_read(void **state)
{
	(void)state;
	make_pair();
	fill();
	assert_int_equal(vse_close_socket(&vse, server, 0, sizeof(block)), 0);
	assert_int_equal(expect_frame(LFP_RESET).status, ECONNRESET);
	vse_close(&vse);
}

static void reset(void **state)
{
	(void)state;
	make_pair();
	vse_data(&vse, CLIENT, 0, "last", 4);
	expect_bytes(server, 0, "last", 4);
	assert_int_equal(vse_close_socket(&vse, CLIENT, 1, 0), 0);
	assert_int_equal(expect_frame(LFP_RESET).status, ECONNRESET);
	assert_int_equal(vse_close_socket(&vse, server, 0, 4), 0);
	vse_close(&vse);
}

static void no_more_reading(void **state)
{
	(void)state;
	make_pair();
	fill();
	end(server, 0, SHUT_RD);
	while (sock_of(CLIENT)->stream.joined.other || sock_of(CLIENT)->stream.queue.len)
		host_turn(&host);
	vse_data(&vse, server, 0, "x", 1);
	expect_bytes(CLIENT, 0, "x", 1);
	assert_int_equal(host.inst.counters.bytes_joined, sizeof(block));
	vse_close(&vse);
}

static void options_that_need_tcp(void **state)
{
	(void)state;
	make_pair();
	fill();
	set_option(CLIENT, IPPROTO_TCP, TCP_NODELAY, 1);
	assert_non_null(sock_of(CLIENT)->stream.joined.other);
	set_option(server, SOL_SOCKET, SO_MAX_PACING_RATE, 1 << 30);
	assert_null(sock_of(CLIENT)->stream.joined.other);
	report(server, sizeof(block));
	expect_bytes(server, sizeof(block), block, 100);
	assert_int_equal(host.inst.counters.bytes_joined, sizeof(block));
	both_close(0, sizeof(block) + 100);
}

/* Accepted sockets have the options of their listener. */
static void listener_that_needs_tcp(void **state)
{
	(void)state;
	listen_and_connect(LFP_AF_INET, "127.0.0.1");
	set_option(LISTENER, SOL_SOCKET, SO_MAX_PACING_RATE, 1 << 30);
	accept_one();
	vse_data(&vse, CLIENT, 0, "x", 1);
	expect_bytes(server, 0, "x", 1);
	assert_int_equal(host.inst.counters.joins, 0);
	both_close(0, 1);
}

/* The kernel may bind an accepted socket to an interface, where other names count. */
static void bound_to_an_interface(void **state)
{
	(void)state;
	listen_and_connect(LFP_AF_INET, "127.0.0.1");
	if (setsockopt(sock_of(LISTENER)->fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", 3))
		fail_msg("SO_BINDTODEVICE: %s", strerror(errno));
	assert_int_equal(vse_socket(&vse, CLIENT + 1, LFP_AF_INET), 0);
	assert_int_equal(vse_connect_to(&vse, CLIENT + 1, &listens_at), EINPROGRESS);
	assert_int_equal(vse_expect(&vse, LFP_CONNECTED).status, 0);
	accept_one();
	accept_one();
	assert_int_equal(host.inst.counters.joins, 1);
	assert_null(sock_of(server)->stream.joined.other);
	vse_close(&vse);
}

/* A socket at the address @from, or anywhere, that is connected to the listener. */
static int native_client(const struct sockaddr_in *from)
{
	const int on = 1;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_port = htons((uint16_t)listens_at.port);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
	if (from)
		assert_int_equal(bind(fd, (const struct sockaddr *)from, sizeof(*from)), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

/* The client is reset, and another one has its port before lfpd has seen so: names alone prove
 * nothing. */
static void same_names_again(void **state)
{
	const struct linger at_once = {.l_onoff = 1};
	const int on = 1;
	struct lfp_frame frame = {.code = LFP_ACCEPT, .sock = LISTENER, .accept.count = 2};
	struct sockaddr_in from;
	socklen_t len = sizeof(from);
	struct socket *listener;
	int fd, first, second;

	(void)state;
	listen_and_connect(LFP_AF_INET, "127.0.0.1");
	listener = sock_of(LISTENER);
	fd = accept(listener->fd, NULL, NULL);
	assert_true(fd >= 0);
	assert_int_equal(getpeername(fd, (struct sockaddr *)&from, &len), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)), 0);
	assert_int_equal(setsockopt(sock_of(CLIENT)->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)),
			 0);
	vse_send(&vse, &frame);
	while (listener->listener.credits != 2)
		host_turn(&host);
	/* The listener's event is the first. */
	first = native_client(NULL);
	close(fd);
	second = native_client(&from);
	vse_expect(&vse, LFP_ACCEPTED);
	server = vse_expect(&vse, LFP_ACCEPTED).accepted.id;
	assert_int_equal(expect_frame(LFP_RESET).sock, CLIENT);
	assert_int_equal(host.inst.counters.joins, 0);
	assert_int_equal(write(second, "native", 6), 6);
	expect_bytes(server, 0, "native", 6);
	close(first);
	close(second);
	vse_close(&vse);
}

static void key_forbids(void **state)
{
	(void)state;
	host.config.joined_sockets = false;
	listen_and_connect(LFP_AF_INET, "127.0.0.1");
	accept_one();
	assert_int_equal(host.inst.unjoined.count, 0);
	vse_data(&vse, CLIENT, 0, "x", 1);
	expect_bytes(server, 0, "x", 1);
	assert_int_equal(host.inst.counters.joins, 0);
	assert_int_equal(host.inst.counters.bytes_joined, 0);
	both_close(0, 1);
}

/* A reload parts the ends that are joined: held data goes by TCP. */
static void key_becomes_no(void **state)
{
	(void)state;
	make_pair();
	fill();
	host.inst.config.joined_sockets = true;
	joined_reload(&host.inst);
	assert_non_null(sock_of(CLIENT)->stream.joined.other);
	host.inst.config.joined_sockets = false;
	joined_reload(&host.inst);
	assert_null(sock_of(CLIENT)->stream.joined.other);
	assert_null(sock_of(server)->stream.joined.other);
	report(server, sizeof(block));
	expect_bytes(server, sizeof(block), block, 100);
	assert_int_equal(host.inst.counters.bytes_joined, sizeof(block));
	both_close(0, sizeof(block) + 100);
}

/* A reload also forgets the end that waits for its other one. */
static void key_becomes_no_before_accept(void **state)
{
	(void)state;
	listen_and_connect(LFP_AF_INET, "127.0.0.1");
	assert_int_equal(host.inst.unjoined.count, 1);
	host.inst.config.joined_sockets = false;
	joined_reload(&host.inst);
	assert_int_equal(host.inst.unjoined.count, 0);
	host.inst.config.joined_sockets = true;
	accept_one();
	vse_data(&vse, CLIENT, 0, "x", 1);
	expect_bytes(server, 0, "x", 1);
	assert_int_equal(host.inst.counters.joins, 0);
	both_close(0, 1);
}

static void others_do_not_join(void **state)
{
	int fd;

	(void)state;
	one_path_start();
	fd = connect_socket(1);
	vse_data(&vse, 1, 0, "x", 1);
	assert_int_equal(host.inst.counters.joins, 0);
	assert_int_equal(host.inst.unjoined.count, 0);
	close(fd);
	vse_close(&vse);
}

#define TEST(function)                                                                             \
	cmocka_unit_test_setup_teardown(function, one_path_set_up, one_path_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(data_leaves_tcp_out),
		TEST(mapped_addresses),
		TEST(data_before_accept_comes_first),
		TEST(urgent_data_keeps_its_place),
		TEST(urgent_data_behind_held_data),
		TEST(stalled_reader),
		TEST(end_follows_held_data),
		TEST(close_with_held_data),
		TEST(close_before_held_data_is_read),
		TEST(reset),
		TEST(no_more_reading),
		TEST(options_that_need_tcp),
		TEST(listener_that_needs_tcp),
		TEST(same_names_again),
		TEST(bound_to_an_interface),
		TEST(key_forbids),
		TEST(key_becomes_no),
		TEST(key_becomes_no_before_accept),
		TEST(others_do_not_join),
	};

	QEMU_USER_CANNOT("TCP_INFO of 208 bytes and SO_MAX_PACING_RATE");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
