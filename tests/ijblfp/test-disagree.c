/* SPDX-License-Identifier: Apache-2.0 */
/* test-disagree.c - frames of lfpd that do not fit end one socket: the path and another socket live
 * on */
#include "bystander.h"
#include "datagram.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The frame resets its socket: lfpd gets CLOSE, and the program ECONNRESET. */
static void resets(struct host *host, int fd, struct lfp_frame frame, const char *why)
{
	uint64_t before = host->inst->disagreements;
	struct got got;

	begin_bystander(host);
	put(host, frame);
	got = host_expect(host, LFP_CLOSE);
	assert_true(got.sock == frame.sock);
	assert_int_equal(got.how, 1);
	assert_int_equal(host->inst->disagreements, before + 1);
	assert_true(is_said(why));
	bystander_lives(host);
	if (fd >= 0) {
		assert_int_equal(call(host, LFP_CTL_WHY_EOF, 0, 0, fd), ECONNRESET);
		close(fd);
	}
	close(other);
}

static void resets_connection(void **state, struct lfp_frame frame, const char *why)
{
	int fd = connected_socket(*state, &frame.sock);

	resets(*state, fd, frame, why);
}

static void resets_new(void **state, struct lfp_frame frame, const char *why)
{
	int fd = new_socket(*state, &frame.sock);

	resets(*state, fd, frame, why);
}

static void resets_datagram(void **state, struct lfp_frame frame, const char *why)
{
	struct sockaddr_un near;
	int fd = new_datagram(*state, &frame.sock, &near);

	resets(*state, -1, frame, why);
	close(fd);
}

#define PAYLOAD(text)                                                                              \
	{                                                                                          \
		(const uint8_t *)(text), sizeof(text) - 1                                          \
	}

static void data_for_a_new_socket(void **state)
{
	resets_new(state, (struct lfp_frame){.code = LFP_DATA, .data.payload = PAYLOAD("x")},
		   "data for a socket that is not connected");
}

static void data_at_a_wrong_position(void **state)
{
	resets_connection(state,
			  (struct lfp_frame){.code = LFP_DATA,
					     .data = {.position = 1, .payload = PAYLOAD("x")}},
			  "data at the wrong position");
}

static void urgent_data_of_two_bytes(void **state)
{
	resets_connection(state,
			  (struct lfp_frame){.code = LFP_DATA,
					     .flags = LFP_FRAME_URGENT,
					     .data.payload = PAYLOAD("ab")},
			  "urgent data that is not one byte");
}

static void data_after_the_end(void **state)
{
	struct host *host = *state;
	struct lfp_frame end = {.code = LFP_SHUTDOWN, .shutdown.how = 1};
	int fd = connected_socket(host, &end.sock);

	host_send(host, end);
	host_until(host, poll_now(fd) & POLLRDHUP);
	begin_bystander(host);
	put(host,
	    (struct lfp_frame){.code = LFP_DATA, .sock = end.sock, .data.payload = PAYLOAD("x")});
	assert_int_equal(host_expect(host, LFP_CLOSE).how, 1);
	assert_true(is_said("data after the end"));
	bystander_lives(host);
	close(fd);
	close(other);
}

static void window_beyond_what_was_sent(void **state)
{
	resets_connection(state, (struct lfp_frame){.code = LFP_WINDOW, .window.consumed = 1},
			  "window that goes back");
}

static void end_at_a_wrong_position(void **state)
{
	resets_connection(
		state,
		(struct lfp_frame){.code = LFP_SHUTDOWN, .shutdown = {.how = 1, .position = 7}},
		"end of a stream at the wrong position");
}

static void connected_twice(void **state)
{
	resets_connection(state, (struct lfp_frame){.code = LFP_CONNECTED},
			  "connection of a socket that does not connect");
}

static void accepted_without_listen(void **state)
{
	struct host *host = *state;
	struct lfp_frame frame = {
		.code = LFP_ACCEPTED,
		.accepted = {.id = LFP_ID_LFPD | 9, .peer = some_addr(1), .local = some_addr(2)}};
	int fd = new_socket(host, &frame.sock);

	begin_bystander(host);
	put(host, frame);
	/* The connection, and the socket that cannot have it. */
	assert_true(host_expect(host, LFP_CLOSE).sock == (LFP_ID_LFPD | 9));
	assert_true(host_expect(host, LFP_CLOSE).sock == frame.sock);
	assert_int_equal(host->inst->disagreements, 1);
	bystander_lives(host);
	close(fd);
	close(other);
}

static void accepted_beyond_the_credits(void **state)
{
	struct host *host = *state;
	struct lfp_frame frame = {.code = LFP_ACCEPTED,
				  .accepted = {.peer = some_addr(1), .local = some_addr(2)}};
	int fd = listening_socket(host, &frame.sock, 2);

	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 1);
	begin_bystander(host);
	for (uint64_t i = 1; i <= 2; i++) {
		frame.accepted.id = LFP_ID_LFPD | i;
		put(host, frame);
	}
	assert_true(host_expect(host, LFP_CLOSE).sock == (LFP_ID_LFPD | 2));
	assert_true(host_expect(host, LFP_CLOSE).sock == frame.sock);
	assert_int_equal(host->inst->disagreements, 1);
	bystander_lives(host);
	close(fd);
	close(other);
}

/* A socket is announced twice: the first one stays as it is. */
static void accepted_with_an_id_in_use(void **state)
{
	struct host *host = *state;
	struct lfp_frame frame = {.code = LFP_ACCEPTED,
				  .accepted = {.peer = some_addr(1), .local = some_addr(2)}};
	int fd = listening_socket(host, &frame.sock, 4);

	assert_int_equal(host_expect(host, LFP_ACCEPT).count, 2);
	begin_bystander(host);
	frame.accepted.id = other_id;
	put(host, frame);
	assert_true(host_expect(host, LFP_CLOSE).sock == frame.sock);
	assert_true(is_said("not lfpd's, or is in use"));
	bystander_lives(host);
	close(fd);
	close(other);
}

static void reset_because_lfpd_disagrees(void **state)
{
	resets_connection(state, (struct lfp_frame){.code = LFP_RESET, .status = EPROTO},
			  "lfpd reports that a frame for it did not fit");
}

/* In all states, and in any epoch. */
static void reset_of_a_new_socket(void **state)
{
	resets_new(state, (struct lfp_frame){.code = LFP_RESET, .status = EPROTO, .epoch = 5},
		   "lfpd reports that a frame for it did not fit");
}

static void an_epoch_that_has_not_begun(void **state)
{
	resets_connection(state, (struct lfp_frame){.code = LFP_WINDOW, .epoch = 1},
			  "an epoch that has not begun");
}

static void datagram_for_a_stream(void **state)
{
	resets_new(state, (struct lfp_frame){.code = LFP_DATAGRAM}, "datagram for a stream");
}

/* The part of a stream lies where that of a datagram socket would, and begins with what connect()
 * has reported. */
static void resets_reported(void **state, struct lfp_frame frame, const char *why)
{
	struct lfp_addr peer = some_addr(80);
	int fd = connected_socket(*state, &frame.sock);
	int conn = call_send(*state, LFP_CTL_CONNECT, 0, 0, 0, 0, &peer, sizeof(peer), fd);

	assert_int_equal(call_wait(*state, conn, NULL, NULL), 0);
	resets(*state, fd, frame, why);
}

static void datagram_for_a_connection(void **state)
{
	resets_reported(state, (struct lfp_frame){.code = LFP_DATAGRAM}, "datagram for a stream");
}

static void error_for_a_connection(void **state)
{
	resets_reported(
		state,
		(struct lfp_frame){.code = LFP_DATAGRAM_ERROR, .datagram_error.error = EPERM},
		"for a stream");
}

static void error_for_a_stream(void **state)
{
	resets_new(state,
		   (struct lfp_frame){.code = LFP_DATAGRAM_ERROR, .datagram_error.error = EPERM},
		   "for a stream");
}

static void datagram_at_a_wrong_position(void **state)
{
	resets_datagram(state, (struct lfp_frame){.code = LFP_DATAGRAM, .datagram.position = 1},
			"datagram at the wrong position");
}

static void end_of_a_datagram_socket(void **state)
{
	resets_datagram(state, (struct lfp_frame){.code = LFP_SHUTDOWN, .shutdown.how = 1},
			"end of an unknown stream");
}

/* The caller that waits for the connection gets an error. */
static void a_socket_that_connects(void **state)
{
	struct host *host = *state;
	struct lfp_addr peer = some_addr(80);
	uint64_t id;
	int fd = new_socket(host, &id), conn;

	conn = call_send(host, LFP_CTL_CONNECT, LFP_CTL_BLOCKING, 0, 0, 0, &peer, sizeof(peer), fd);
	host_answer(host, host_expect(host, LFP_CONNECT), EINPROGRESS);
	begin_bystander(host);
	put(host, (struct lfp_frame){.code = LFP_DATA, .sock = id, .data.payload = PAYLOAD("x")});
	assert_int_equal(call_wait(host, conn, NULL, NULL), ECONNRESET);
	assert_true(host_expect(host, LFP_CLOSE).sock == id);
	bystander_lives(host);
	close(fd);
	close(other);
}

static void unknown_socket(void **state)
{
	struct host *host = *state;

	begin_bystander(host);
	/* A frame that resets an unknown socket has no effect; other frames make lfpd close it. */
	put(host, (struct lfp_frame){.code = LFP_RESET, .sock = 999, .status = EPROTO});
	put(host, (struct lfp_frame){.code = LFP_CONNECTED, .sock = 999});
	assert_int_equal(host_expect(host, LFP_CLOSE).sock, 999);
	assert_int_equal(host->inst->disagreements, 1);
	assert_true(is_said("there is no such socket"));
	bystander_lives(host);
	assert_int_equal(host->inst->strays, 0);
	close(other);
}

static void answer_to_no_request(void **state)
{
	struct host *host = *state;

	begin_bystander(host);
	put(host, (struct lfp_frame){.code = LFP_GETSOCKNAME_REPLY, .sock = 1, .request = 4711});
	bystander_lives(host);
	assert_int_equal(host->inst->disagreements, 1);
	assert_true(is_said("answer without a request"));
	close(other);
}

static void answer_to_another_request(void **state)
{
	struct host *host = *state;
	uint64_t id;
	int fd = new_socket(host, &id), conn;
	struct got got;

	begin_bystander(host);
	conn = call_send(host, LFP_CTL_GETSOCKNAME, 0, 0, 0, 0, "", 0, fd);
	got = host_expect(host, LFP_GETSOCKNAME);
	got.sock = other_id;
	host_answer(host, got, 0);
	assert_int_equal(call_wait(host, conn, NULL, NULL), EPROTO);
	assert_int_equal(host->inst->disagreements, 1);
	bystander_lives(host);
	close(fd);
	close(other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, log_set_up, log_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(data_for_a_new_socket),
		TEST(data_at_a_wrong_position),
		TEST(urgent_data_of_two_bytes),
		TEST(data_after_the_end),
		TEST(window_beyond_what_was_sent),
		TEST(end_at_a_wrong_position),
		TEST(connected_twice),
		TEST(accepted_without_listen),
		TEST(accepted_beyond_the_credits),
		TEST(accepted_with_an_id_in_use),
		TEST(reset_because_lfpd_disagrees),
		TEST(reset_of_a_new_socket),
		TEST(an_epoch_that_has_not_begun),
		TEST(datagram_for_a_stream),
		TEST(datagram_for_a_connection),
		TEST(error_for_a_connection),
		TEST(error_for_a_stream),
		TEST(datagram_at_a_wrong_position),
		TEST(end_of_a_datagram_socket),
		TEST(a_socket_that_connects),
		TEST(unknown_socket),
		TEST(answer_to_no_request),
		TEST(answer_to_another_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
