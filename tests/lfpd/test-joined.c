/* SPDX-License-Identifier: Apache-2.0 */
/* test-joined.c - connections between two sockets of one instance */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "lfpd/sock/joined.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/joining.h"
#include "tests/qemu-user.h"

static uint64_t server; /* id of the accepted socket */

static void listen_and_connect(unsigned int family, const char *ip)
{
	one_path_start();
	(void)joining_connect(family, ip);
}

static void end(uint64_t id, uint64_t position, int how)
{
	const struct lfp_frame frame = {.code = LFP_SHUTDOWN,
					.sock = id,
					.shutdown = {.how = (uint8_t)how, .position = position}};

	vse_send(&vse, &frame);
}

/* Runs the loop until the held bytes are with TCP. */
static void wait_until_stalled(void)
{
	while (!get_socket(CLIENT)->stream.joined.stalled)
		host_turn(&host);
	assert_int_equal(get_socket(CLIENT)->stream.joined.in_tcp, 100);
	assert_int_equal(get_socket(CLIENT)->stream.queue.len, 0);
}

static void data_leaves_tcp_out(void **state)
{
	(void)state;
	server = joining_start();
	vse_data(&vse, CLIENT, 0, "question", 8);
	joining_expect(server, 0, "question", 8);
	vse_data(&vse, server, 0, "answer", 6);
	joining_expect(CLIENT, 0, "answer", 6);
	assert_int_equal(host.inst.counters.bytes_joined, 14);
	assert_int_equal(host.inst.counters.bytes_to_host, 14);
	assert_int_equal(host.inst.counters.bytes_to_vse, 14);
	assert_int_equal(host.inst.counters.joins, 1);
	assert_int_equal(joining_info(CLIENT, BYTES_SENT), 8);
	assert_int_equal(joining_info(CLIENT, BYTES_RECEIVED), 6);
	assert_int_equal(joining_info(server, BYTES_ACKED), 6);
	joining_close(server, 6, 8);
}

/* A client of IPv4 at a listener of IPv6: the names of the ends differ in their form. */
static void mapped_addresses(void **state)
{
	(void)state;
	listen_and_connect(LFP_AF_INET6, "127.0.0.1");
	server = joining_accept();
	assert_ptr_equal(get_socket(server)->stream.joined.other, get_socket(CLIENT));
	vse_data(&vse, CLIENT, 0, "x", 1);
	joining_expect(server, 0, "x", 1);
	joining_close(server, 0, 1);
}

static void data_before_accept_comes_first(void **state)
{
	(void)state;
	listen_and_connect(LFP_AF_INET, "127.0.0.1");
	vse_data(&vse, CLIENT, 0, "early ", 6);
	while (get_socket(CLIENT)->stream.joined.in_tcp != 6)
		host_turn(&host);
	server = joining_accept();
	vse_data(&vse, CLIENT, 6, "late", 4);
	joining_expect(server, 0, "early late", 10);
	assert_int_equal(host.inst.counters.bytes_joined, 4);
	joining_close(server, 0, 10);
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
	server = joining_start();
	vse_data(&vse, CLIENT, 0, "before", 6);
	vse_send(&vse, &frame);
	vse_data(&vse, CLIENT, 7, "behind", 6);
	joining_expect(server, 0, "before", 6);
	frame = joining_expect_frame(LFP_DATA);
	assert_int_equal(frame.flags, LFP_FRAME_URGENT);
	assert_int_equal(frame.data.position, 6);
	joining_expect(server, 7, "behind", 6);
	vse_data(&vse, CLIENT, 13, "more", 4);
	joining_expect(server, 13, "more", 4);
	assert_int_equal(host.inst.counters.bytes_joined, 16);
	joining_close(server, 0, 17);
}

/* What is held before an urgent byte goes by TCP with it. */
static void urgent_data_behind_held_data(void **state)
{
	struct lfp_frame frame = {
		.code = LFP_DATA,
		.flags = LFP_FRAME_URGENT,
		.sock = CLIENT,
		.data = {.position = VSE_WINDOW + 100, .payload = {(const uint8_t *)"!", 1}},
	};

	(void)state;
	server = joining_start();
	joining_fill(server);
	vse_send(&vse, &frame);
	joining_drain(server);
	frame = joining_expect_frame(LFP_DATA);
	assert_int_equal(frame.flags, LFP_FRAME_URGENT);
	assert_int_equal(frame.data.position, VSE_WINDOW + 100);
	assert_int_equal(host.inst.counters.bytes_joined, VSE_WINDOW);
	joining_close(server, 0, VSE_WINDOW + 101);
}

/* A reader that stops has the buffers of TCP before it. */
static void stalled_reader(void **state)
{
	static const char held[101] = {[100] = 'y'};

	(void)state;
	server = joining_start();
	joining_fill(server);
	wait_until_stalled();
	vse_data(&vse, CLIENT, VSE_WINDOW + 100, "y", 1);
	while (get_socket(CLIENT)->stream.joined.in_tcp != 101)
		host_turn(&host);
	joining_report(server, VSE_WINDOW);
	joining_expect(server, VSE_WINDOW, held, sizeof(held));
	vse_data(&vse, CLIENT, VSE_WINDOW + 101, "z", 1);
	joining_expect(server, VSE_WINDOW + 101, "z", 1);
	assert_int_equal(host.inst.counters.bytes_joined, VSE_WINDOW + 1);
	joining_close(server, 0, VSE_WINDOW + 102);
}

static void end_follows_held_data(void **state)
{
	struct lfp_frame frame;

	(void)state;
	server = joining_start();
	joining_fill(server);
	end(CLIENT, VSE_WINDOW + 100, SHUT_WR);
	joining_drain(server);
	frame = joining_expect_frame(LFP_SHUTDOWN);
	assert_int_equal(frame.sock, server);
	assert_int_equal(frame.shutdown.position, VSE_WINDOW + 100);
	/* The other direction goes on. */
	vse_data(&vse, server, 0, "x", 1);
	joining_expect(CLIENT, 0, "x", 1);
	assert_int_equal(vse_close_socket(&vse, server, 0, VSE_WINDOW + 100), 0);
	assert_int_equal(joining_expect_frame(LFP_SHUTDOWN).sock, CLIENT);
	assert_int_equal(vse_close_socket(&vse, CLIENT, 0, 1), 0);
	vse_close(&vse);
}

/* The program is gone: what was held goes by TCP, and all arrives. */
static void close_with_held_data(void **state)
{
	(void)state;
	server = joining_start();
	joining_fill(server);
	assert_int_equal(vse_close_socket(&vse, CLIENT, 0, 0), 0);
	assert_null(get_socket(server)->stream.joined.other);
	joining_drain(server);
	assert_int_equal(joining_expect_frame(LFP_SHUTDOWN).shutdown.position, VSE_WINDOW + 100);
	assert_int_equal(vse_close_socket(&vse, server, 0, VSE_WINDOW + 100), 0);
	vse_close(&vse);
}

/* As the kernel does for data in its own queue. */
static void close_before_held_data_is_read(void **state)
{
	(void)state;
	server = joining_start();
	joining_fill(server);
	assert_int_equal(vse_close_socket(&vse, server, 0, VSE_WINDOW), 0);
	assert_int_equal(joining_expect_frame(LFP_RESET).status, ECONNRESET);
	vse_close(&vse);
}

static void reset(void **state)
{
	(void)state;
	server = joining_start();
	vse_data(&vse, CLIENT, 0, "last", 4);
	joining_expect(server, 0, "last", 4);
	assert_int_equal(vse_close_socket(&vse, CLIENT, 1, 0), 0);
	assert_int_equal(joining_expect_frame(LFP_RESET).status, ECONNRESET);
	assert_int_equal(vse_close_socket(&vse, server, 0, 4), 0);
	vse_close(&vse);
}

static void no_more_reading(void **state)
{
	(void)state;
	server = joining_start();
	joining_fill(server);
	end(server, 0, SHUT_RD);
	while (get_socket(CLIENT)->stream.joined.other || get_socket(CLIENT)->stream.queue.len)
		host_turn(&host);
	vse_data(&vse, server, 0, "x", 1);
	joining_expect(CLIENT, 0, "x", 1);
	assert_int_equal(host.inst.counters.bytes_joined, VSE_WINDOW);
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
	};

	QEMU_USER_CANNOT("TCP_INFO of 208 bytes");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
