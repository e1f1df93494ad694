/* SPDX-License-Identifier: Apache-2.0 */
/* test-disagree.c - frames that do not fit end one socket: the path and another socket live on */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfpd/users/task.h"
#include "lfpd/state/session.h"
#include "tests/lfpd/bystander.h"
#include "tests/lfpd/datagrams.h"

/* The frame resets its socket, and a request is answered; CLOSE has still to come, and nothing else
 * has an effect. */
static void resets(struct lfp_frame frame, const char *why)
{
	uint64_t before = count();
	struct lfp_frame reset, ask = {.code = LFP_GETSOCKNAME, .sock = frame.sock};

	begin_bystander();
	vse_send(&vse, &frame);
	reset = vse_expect(&vse, LFP_RESET);
	assert_int_equal(reset.status, EPROTO);
	assert_true(reset.sock == frame.sock);
	if (frame.request)
		assert_int_equal(vse_expect(&vse, frame.code | 0x80).status, EPROTO);
	assert_int_equal(count(), before + 1);
	assert_true(is_said(why));
	bystander_lives();
	assert_int_equal(vse_ask(&vse, ask).status, EPROTO);
	vse_send(&vse, &frame);
	if (frame.request)
		assert_int_equal(vse_expect(&vse, frame.code | 0x80).status, EPROTO);
	assert_int_equal(count(), before + 1);
	assert_int_equal(vse_close_socket(&vse, frame.sock, 1, 0), 0);
	assert_int_equal(host.inst.nr_sockets, 1);
	bystander_lives();
	close(far_end);
	vse_close(&vse);
}

/* The same for a connection; its peer gets a reset at once. */
static void resets_connection(struct lfp_frame frame, const char *why)
{
	char c;
	int fd;

	host.config.window_size = 4096;
	start_logged();
	fd = connect_socket(1);
	frame.sock = 1;
	resets(frame, why);
	assert_int_equal(read(fd, &c, 1), -1);
	assert_int_equal(errno, ECONNRESET);
	close(fd);
}

static void resets_new(struct lfp_frame frame, const char *why)
{
	start_logged();
	assert_int_equal(vse_socket(&vse, 1, LFP_AF_INET), 0);
	frame.sock = 1;
	resets(frame, why);
}

static void resets_datagram(struct lfp_frame frame, const char *why)
{
	start_logged();
	assert_int_equal(make(1, 2, 0), 0);
	frame.sock = 1;
	resets(frame, why);
}

#define PAYLOAD(text)                                                                              \
	{                                                                                          \
		(const uint8_t *)(text), sizeof(text) - 1                                          \
	}

static void data_without_connection(void **state)
{
	(void)state;
	resets_new((struct lfp_frame){.code = LFP_DATA, .data.payload = PAYLOAD("x")},
		   "DATA for a socket that is not connected");
}

static void data_at_a_wrong_position(void **state)
{
	(void)state;
	resets_connection((struct lfp_frame){.code = LFP_DATA,
					     .data = {.position = 1, .payload = PAYLOAD("x")}},
			  "DATA at a wrong position");
}

static void data_beyond_the_window(void **state)
{
	static uint8_t bytes[4097];

	(void)state;
	resets_connection(
		(struct lfp_frame){.code = LFP_DATA, .data.payload = {bytes, sizeof(bytes)}},
		"more than the window allows");
}

static void urgent_data_of_two_bytes(void **state)
{
	(void)state;
	resets_connection((struct lfp_frame){.code = LFP_DATA,
					     .flags = LFP_FRAME_URGENT,
					     .data.payload = PAYLOAD("ab")},
			  "urgent data that is not one byte");
}

static void window_beyond_what_was_sent(void **state)
{
	(void)state;
	resets_connection((struct lfp_frame){.code = LFP_WINDOW, .window.consumed = 1},
			  "WINDOW counts back");
}

static void shutdown_at_a_wrong_position(void **state)
{
	(void)state;
	resets_connection(
		(struct lfp_frame){.code = LFP_SHUTDOWN, .shutdown = {.how = 1, .position = 7}},
		"SHUTDOWN at a wrong position");
}

static void accept_without_listen(void **state)
{
	(void)state;
	resets_new((struct lfp_frame){.code = LFP_ACCEPT, .accept.count = 1},
		   "ACCEPT for a socket that has never listened");
}

static void taken_by_nobody(void **state)
{
	(void)state;
	resets_connection((struct lfp_frame){.code = LFP_TAKEN, .task = 55},
			  "socket taken by an unknown task");
}

static void an_epoch_that_has_not_begun(void **state)
{
	(void)state;
	resets_connection((struct lfp_frame){.code = LFP_GETPEERNAME, .request = 77, .epoch = 1},
			  "an epoch that has not begun");
}

static void datagram_for_a_stream(void **state)
{
	(void)state;
	resets_new((struct lfp_frame){.code = LFP_DATAGRAM}, "DATAGRAM for a stream");
}

static void sent_for_a_stream(void **state)
{
	(void)state;
	resets_new((struct lfp_frame){.code = LFP_SENT, .request = 77}, "SENT for a stream");
}

static void errqueue_for_a_stream(void **state)
{
	(void)state;
	resets_new((struct lfp_frame){.code = LFP_ERRQUEUE, .request = 77}, "for a stream");
}

/* The parts of a connection lie where those of a datagram socket would, and the other way round. */
static void datagram_for_a_connection(void **state)
{
	(void)state;
	resets_connection((struct lfp_frame){.code = LFP_DATAGRAM}, "DATAGRAM for a stream");
}

static void sent_for_a_connection(void **state)
{
	(void)state;
	resets_connection((struct lfp_frame){.code = LFP_SENT, .request = 77}, "SENT for a stream");
}

static void errqueue_for_a_connection(void **state)
{
	(void)state;
	resets_connection((struct lfp_frame){.code = LFP_ERRQUEUE, .request = 77}, "for a stream");
}

static void data_for_datagrams(void **state)
{
	(void)state;
	resets_datagram((struct lfp_frame){.code = LFP_DATA, .data.payload = PAYLOAD("x")},
			"DATA for a socket that is not connected");
}

static void accept_for_datagrams(void **state)
{
	(void)state;
	resets_datagram((struct lfp_frame){.code = LFP_ACCEPT, .accept.count = 1},
			"ACCEPT for a socket that has never listened");
}

static void datagram_at_a_wrong_position(void **state)
{
	(void)state;
	resets_datagram((struct lfp_frame){.code = LFP_DATAGRAM, .datagram.position = 1},
			"datagram at the wrong position");
}

static void data_for_a_datagram_socket(void **state)
{
	(void)state;
	resets_datagram((struct lfp_frame){.code = LFP_DATA, .data.payload = PAYLOAD("x")},
			"DATA for a socket that is not connected");
}

static void a_datagram_socket_has_one_life(void **state)
{
	(void)state;
	resets_datagram((struct lfp_frame){.code = LFP_DATAGRAM, .epoch = 0x7fff},
			"an epoch that has not begun");
}

static void unknown_socket(void **state)
{
	struct lfp_frame frame = {.code = LFP_GETSOCKNAME, .sock = 77}, reset;

	(void)state;
	start_logged();
	begin_bystander();
	assert_int_equal(vse_ask(&vse, frame).status, EBADF);
	assert_int_equal(vse_close_socket(&vse, 77, 0, 0), EBADF);
	frame = (struct lfp_frame){.code = LFP_WINDOW, .sock = 77, .epoch = 3};
	vse_send(&vse, &frame);
	reset = vse_expect(&vse, LFP_RESET);
	assert_true(reset.sock == 77 && reset.status == EPROTO && reset.epoch == 3);
	assert_int_equal(count(), 3);
	assert_true(is_said("there is no such socket"));
	bystander_lives();
	close(far_end);
	vse_close(&vse);
}

static void id_that_does_not_rise(void **state)
{
	struct lfp_frame frame = {.code = LFP_SOCKET,
				  .sock = BYSTANDER,
				  .task = 1,
				  .socket = {.family = LFP_AF_INET, .kind = 1}};

	(void)state;
	start_logged();
	begin_bystander();
	assert_int_equal(vse_ask(&vse, frame).status, EPROTO);
	frame.sock = BYSTANDER - 1;
	assert_int_equal(vse_ask(&vse, frame).status, EPROTO);
	frame.sock = LFP_ID_LFPD | 5000;
	assert_int_equal(vse_ask(&vse, frame).status, EPROTO);
	frame.sock = BYSTANDER + 1;
	frame.epoch = 1;
	assert_int_equal(vse_ask(&vse, frame).status, EPROTO);
	assert_int_equal(count(), 4);
	bystander_lives();
	close(far_end);
	vse_close(&vse);
}

static void task_that_begins_twice(void **state)
{
	struct lfp_frame frame = {.code = LFP_TASK_BEGIN, .task = 1, .task_begin.pid = 77};
	struct lfp_frame renamed = {.code = LFP_TASK_BEGIN, .task = 1};
	static const uint8_t curl[] = {0x83, 0xa4, 0x99, 0x93}; /* EBCDIC */

	(void)state;
	start_logged();
	begin_bystander();
	assert_int_equal(vse_ask(&vse, frame).status, EPROTO);
	assert_int_equal(count(), 1);
	assert_int_equal(host.inst.session->tasks.count, 1);
	/* The same task with another name has executed a program. */
	renamed.task_begin.program = (struct lfp_text){.ptr = curl, .len = sizeof(curl)};
	assert_int_equal(vse_ask(&vse, renamed).status, 0);
	assert_int_equal(count(), 1);
	assert_string_equal(task_find(host.inst.session, 1)->program, "curl");
	bystander_lives();
	close(far_end);
	vse_close(&vse);
}

static void close_that_counts_too_much(void **state)
{
	char c;
	int fd;

	(void)state;
	start_logged();
	begin_bystander();
	fd = connect_socket(101);
	assert_int_equal(vse_close_socket(&vse, 101, 0, 9), EPROTO);
	assert_int_equal(count(), 1);
	assert_int_equal(host.inst.nr_sockets, 1);
	assert_int_equal(tcp_read(&host, fd, &c, 1), -1);
	assert_int_equal(errno, ECONNRESET);
	bystander_lives();
	close(fd);
	close(far_end);
	vse_close(&vse);
}

/* Any number of them does not fill the log. */
static void many(void **state)
{
	struct lfp_frame frame = {.code = LFP_GETSOCKNAME, .sock = 77};

	(void)state;
	start_logged();
	for (int i = 0; i < 500; i++)
		assert_int_equal(vse_ask(&vse, frame).status, EBADF);
	assert_int_equal(count(), 500);
	assert_int_equal(lines_of_log(), 1);
	vse_close(&vse);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, log_set_up, log_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(data_without_connection),
		TEST(data_at_a_wrong_position),
		TEST(data_beyond_the_window),
		TEST(urgent_data_of_two_bytes),
		TEST(window_beyond_what_was_sent),
		TEST(shutdown_at_a_wrong_position),
		TEST(accept_without_listen),
		TEST(taken_by_nobody),
		TEST(an_epoch_that_has_not_begun),
		TEST(datagram_for_a_stream),
		TEST(sent_for_a_stream),
		TEST(errqueue_for_a_stream),
		TEST(datagram_for_a_connection),
		TEST(sent_for_a_connection),
		TEST(errqueue_for_a_connection),
		TEST(data_for_datagrams),
		TEST(accept_for_datagrams),
		TEST(datagram_at_a_wrong_position),
		TEST(data_for_a_datagram_socket),
		TEST(a_datagram_socket_has_one_life),
		TEST(unknown_socket),
		TEST(id_that_does_not_rise),
		TEST(task_that_begins_twice),
		TEST(close_that_counts_too_much),
		TEST(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
