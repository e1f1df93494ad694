/* SPDX-License-Identifier: Apache-2.0 */
/* test-session.c - an instance with a scripted z/VSE side: admission, ends of a path, limits */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/sockopt.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/one-path.h"

static void hello_is_answered(void **state)
{
	struct lfp_frame reply;

	(void)state;
	host_start(&host);
	vse_connect(&vse, &host);
	reply = vse_hello(&vse, "TESTV", "TEST");
	assert_int_equal(reply.status, 0);
	assert_int_equal(reply.hello_reply.window, 65536);
	assert_int_equal(reply.hello_reply.threshold, 25);
	assert_string_equal(reply.hello_reply.appname, "TEST");
	assert_int_equal(reply.hello_reply.codepage.len, strlen("EBCDIC-US"));
	vse_close(&vse);
}

static void refused(const char *appname, const char *dest, int status)
{
	vse_connect(&vse, &host);
	assert_int_equal(vse_hello(&vse, appname, dest).status, status);
	vse_expect(&vse, LFP_BYE);
	vse_expect_end(&vse);
	assert_null(host.inst.session);
}

static void wrong_names_are_refused(void **state)
{
	(void)state;
	strcpy(host.config.peer_iucv_appname, "TESTV");
	strcpy(host.config.peer_iucv_vmid, "VSER05");
	host_start(&host);
	refused("OTHER", "TEST", EACCES);
	refused("TESTV", "OTHER", ECONNREFUSED);
	vse_open(&vse, &host);
	vse_close(&vse);
}

static void second_instance_is_refused(void **state)
{
	struct vse *second = malloc(sizeof(*second));

	(void)state;
	one_path_start();
	vse_connect(second, &host);
	assert_int_equal(vse_hello(second, "TESTV", "TEST").status, EBUSY);
	vse_expect(second, LFP_BYE);
	vse_expect_end(second);
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	vse_close(&vse);
	free(second);
}

static void dead_instance_is_replaced(void **state)
{
	(void)state;
	one_path_start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	vse_close(&vse); /* the loop has not run since */
	vse_open(&vse, &host);
	assert_int_equal(host.inst.nr_sockets, 0);
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	vse_close(&vse);
}

/* The path has ended; the instance takes the next one. */
static void path_has_ended(void)
{
	vse_expect_end(&vse);
	assert_int_equal(host.inst.nr_sockets, 0);
	vse_open(&vse, &host);
	vse_close(&vse);
}

static void malformed_packet(void **state)
{
	static const uint8_t junk[] = "this is no packet at all, as anybody can see";

	(void)state;
	one_path_start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	vse_send_raw(&vse, junk, sizeof(junk));
	path_has_ended();
}

static void message_before_hello(void **state)
{
	struct lfp_frame task = {.code = LFP_TASK_BEGIN, .task = 1, .request = 1};

	(void)state;
	host_start(&host);
	vse_connect(&vse, &host);
	vse_send(&vse, &task);
	path_has_ended();
}

static void random_frames(void **state)
{
	(void)state;
	srand(4711);
	host_start(&host);
	for (int round = 0; round < 300; round++) {
		uint8_t packet[256];
		struct lfp_packet header = {.flags = (uint8_t)(rand() % 2), .taken = 0};
		size_t len = LFP_PACKET_HEADER + LFP_FRAME_HEADER + (size_t)(rand() % 64);

		vse_open(&vse, &host);
		assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
		for (size_t i = 0; i < len; i++)
			packet[i] = (uint8_t)(rand() % 3 ? 0 : rand());
		header.length = (uint32_t)len;
		header.sequence = vse.sequence + 1;
		lfp_packet_encode(&header, packet);
		memset(packet + LFP_PACKET_HEADER, 0, 3);
		packet[LFP_PACKET_HEADER + 3] = (uint8_t)(len - LFP_PACKET_HEADER);
		packet[LFP_PACKET_HEADER + 4] = (uint8_t)(rand() % 0x28);
		packet[LFP_PACKET_HEADER + 6] = packet[LFP_PACKET_HEADER + 7] = 0;
		packet[LFP_PACKET_HEADER + 11] = 1;
		packet[LFP_PACKET_HEADER + 15] = 1;
		packet[LFP_PACKET_HEADER + 23] = 1;
		vse_send_raw(&vse, packet, len);
		host_turn(&host);
		vse_close(&vse);
	}
	vse_open(&vse, &host);
	vse_close(&vse);
}

static void max_sockets(void **state)
{
	(void)state;
	one_path_start();
	for (uint64_t id = 1; id <= 8; id++)
		assert_int_equal(vse_socket(&vse, id, LFP_AF_INET), 0);
	assert_int_equal(vse_socket(&vse, 9, LFP_AF_INET), ENFILE);
	assert_int_equal(vse_close_socket(&vse, 3, 0, 0), 0);
	assert_int_equal(vse_socket(&vse, 10, LFP_AF_INET6), 0);
	vse_close(&vse);
}

static void max_tasks(void **state)
{
	struct lfp_frame frame = {.code = LFP_TASK_BEGIN};

	(void)state;
	one_path_start();
	for (frame.task = 2; frame.task <= 4; frame.task++)
		assert_int_equal(vse_ask(&vse, frame).status, 0);
	assert_int_equal(vse_ask(&vse, frame).status, EAGAIN);
	frame.code = LFP_TASK_END;
	frame.task = 2;
	vse_send(&vse, &frame);
	frame.code = LFP_TASK_BEGIN;
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	vse_close(&vse);
}

static void a_task_takes_a_socket(void **state)
{
	struct lfp_frame frame = {.code = LFP_TASK_BEGIN, .task = 2}, taken = {.code = LFP_TAKEN};

	(void)state;
	one_path_start();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	assert_int_equal(vse_ask(&vse, frame).status, 0);
	taken.sock = 1;
	taken.task = 2;
	vse_send(&vse, &taken);
	/* The socket survives the task that made it, and the other task. */
	frame.code = LFP_TASK_END;
	frame.task = 1;
	vse_send(&vse, &frame);
	frame.task = 2;
	vse_send(&vse, &frame);
	assert_int_equal(vse_close_socket(&vse, 1, 0, 0), 0);
	vse_close(&vse);
}

static void kinds_that_are_not_there(void **state)
{
	struct lfp_frame frame = {.code = LFP_SOCKET, .sock = 1, .task = 1};

	(void)state;
	one_path_start();
	frame.socket.family = LFP_AF_INET;
	frame.socket.kind = 3;
	assert_int_equal(vse_ask(&vse, frame).status, ESOCKTNOSUPPORT);
	frame.sock++;
	frame.socket.kind = 1;
	frame.socket.protocol = IPPROTO_UDP;
	assert_int_equal(vse_ask(&vse, frame).status, EPROTONOSUPPORT);
	frame.sock++;
	frame.socket.family = 1;
	assert_int_equal(vse_ask(&vse, frame).status, EAFNOSUPPORT);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, one_path_set_up, one_path_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hello_is_answered),
		TEST(wrong_names_are_refused),
		TEST(second_instance_is_refused),
		TEST(dead_instance_is_replaced),
		TEST(malformed_packet),
		TEST(message_before_hello),
		TEST(a_task_takes_a_socket),
		TEST(random_frames),
		TEST(max_sockets),
		TEST(max_tasks),
		TEST(kinds_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
