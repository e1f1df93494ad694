/* SPDX-License-Identifier: Apache-2.0 */
/* test-path-end.c - ends of a path: bad packets, BYE, a peer that vanishes */
#include "tests/transport/pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "transport/path-inner.h"
#include "transport/stream-socket.h"

/* Below the path of the z/VSE side. */
static void send_raw(struct pair *f, const void *bytes, size_t len)
{
	struct packet *packet;

	if (f->stream) {
		const struct streamsock_conn *conn = (struct streamsock_conn *)f->connected;

		assert_int_equal(send(conn->fd, bytes, len, 0), (ssize_t)len);
		return;
	}
	packet = malloc(sizeof(*packet) + len);
	*packet = (struct packet){.size = len, .len = len};
	packet->buf = packet->memory;
	memcpy(packet->memory, bytes, len);
	assert_int_equal(f->transport->send(f->connected, &packet, 1), 1);
	if (!f->transport->keeps)
		free(packet);
}

static void expect_down(struct pair *f, const char *why)
{
	pair_run_until(f, pair_lfpd_down);
	assert_int_equal(f->lfpd.error, -EPROTO);
	assert_string_equal(f->lfpd.why, why);
}

static size_t packet_of(uint8_t *buf, uint8_t flags, uint32_t sequence, uint32_t taken, size_t body)
{
	struct lfp_packet header = {flags, (uint32_t)(LFP_PACKET_HEADER + body), sequence, taken};

	lfp_packet_encode(&header, buf);
	return header.length;
}

static void test_bad_magic(void **state)
{
	uint8_t buf[100] = {0};

	send_raw(*state, buf, sizeof(buf));
	expect_down(*state, "packet without the magic number");
}

static void test_short_packet(void **state)
{
	struct pair *f = *state;

	/* The rest of it may come. */
	if (f->stream)
		skip();
	send_raw(f, "LF", 2);
	expect_down(*state, "packet shorter than its header");
}

static void test_long_packet(void **state)
{
	static uint8_t buf[9000];

	packet_of(buf, 0, 1, 0, sizeof(buf) - LFP_PACKET_HEADER);
	send_raw(*state, buf, sizeof(buf));
	expect_down(*state, "packet longer than the MTU");
}

static void test_sequence(void **state)
{
	uint8_t buf[64];

	send_raw(*state, buf, packet_of(buf, 0, 2, 0, 0));
	expect_down(*state, "packet out of sequence");
}

static void test_acknowledges_too_much(void **state)
{
	uint8_t buf[64];

	send_raw(*state, buf, packet_of(buf, 0, 1, 1, 0));
	expect_down(*state, "packet acknowledges more than was sent");
}

static void test_above_limit(void **state)
{
	struct pair *f = *state;
	uint8_t buf[64] = {0};

	pair_open(f, 8192, 2);
	/* Three packets at once: the receiver has not told that it took any of them. */
	for (uint32_t i = 1; i <= 3; i++) {
		size_t len = packet_of(buf, LFP_PACKET_DATA, i, 0, LFP_DATA_OVERHEAD + 1);

		lfp_data_header(buf + LFP_PACKET_HEADER, 1, i - 1, 1, false);
		buf[len - 1] = (uint8_t)((i - 1) * 7);
		send_raw(f, buf, len);
	}
	expect_down(f, "packet with data above the message limit");
}

static void test_data_flag_missing(void **state)
{
	struct pair *f = *state;
	uint8_t buf[64] = {0};
	size_t len = packet_of(buf, 0, 1, 0, LFP_DATA_OVERHEAD + 1);

	pair_open(f, 8192, 2);
	lfp_data_header(buf + LFP_PACKET_HEADER, 1, 0, 1, false);
	send_raw(f, buf, len);
	expect_down(f, "packet with a wrong data flag");
}

static void test_owner_refuses(void **state)
{
	struct pair *f = *state;
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1};

	f->lfpd.refuse_after = 2;
	path_send(f->vse.path, &window);
	path_send(f->vse.path, &window);
	path_send(f->vse.path, &window);
	expect_down(f, "refused by the test");
	assert_int_equal(f->lfpd.frames, 2);
}

static void test_bye(void **state)
{
	struct pair *f = *state;

	path_close(f->vse.path, "enough for today");
	f->vse.path = NULL;
	pair_run_until(f, pair_lfpd_down);
	assert_int_equal(f->lfpd.error, 0);
	assert_string_equal(f->lfpd.why, "enough for today");
}

/* Data that a closing peer has not read does not hide the data that it has sent. */
static void test_bye_with_unread(void **state)
{
	struct pair *f = *state;
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1};

	for (int i = 0; i < 5; i++) {
		assert_int_equal(path_send(f->lfpd.path, &window), 0);
		path_flush(f->lfpd.path);
	}
	assert_int_equal(path_send(f->vse.path, &window), 0);
	path_close(f->vse.path, "enough for today");
	f->vse.path = NULL;
	pair_run_until(f, pair_lfpd_down);
	assert_int_equal(f->lfpd.error, 0);
	assert_string_equal(f->lfpd.why, "enough for today");
	assert_int_equal(f->lfpd.frames, 1);
}

/* The peer has sent much and is gone. All of it is received, even if this side sends more
 * meanwhile. */
static void test_gone_while_sending(void **state)
{
	struct pair *f = *state;
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1};

	pair_open(f, 1024, 4);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(path_send(f->vse.path, &window), 0);
		path_flush(f->vse.path);
	}
	assert_int_equal(path_stats(f->vse.path)->queued, 0);
	path_close(f->vse.path, "enough for today");
	f->vse.path = NULL;
	f->lfpd.to_send = 100000;
	pair_pump(&f->lfpd);
	while (!f->lfpd.down) {
		(void)path_send(f->lfpd.path, &window);
		uv_run(&f->loop, UV_RUN_ONCE);
	}
	assert_int_equal(f->lfpd.frames, 100);
	assert_int_equal(f->lfpd.error, 0);
	assert_string_equal(f->lfpd.why, "enough for today");
}

/* A side that does not receive learns of the end by sending. */
static void test_gone_while_paused(void **state)
{
	struct pair *f = *state;
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1};

	path_pause(f->lfpd.path, true);
	path_close(f->vse.path, "enough for today");
	f->vse.path = NULL;
	uv_run(&f->loop, UV_RUN_NOWAIT);
	assert_int_equal(path_send(f->lfpd.path, &window), 0);
	pair_run_until(f, pair_lfpd_down);
	assert_int_not_equal(f->lfpd.error, 0);
}

/* A side that pauses receiving, because its answers are not taken, must not wait for ever or spin:
 * it gets the peer's data, and its end. */
static void gone_while_congested(struct pair *f)
{
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1};

	assert_int_equal(path_send(f->vse.path, &window), 0);
	path_flush(f->vse.path);
	while (!path_congested(f->lfpd.path)) {
		assert_int_equal(path_send(f->lfpd.path, &window), 0);
		path_flush(f->lfpd.path);
	}
	path_pause(f->lfpd.path, true);
	f->lfpd.resumes = true;
	path_close(f->vse.path, "enough for today");
	f->vse.path = NULL;
	pair_run_until(f, pair_lfpd_down);
	assert_int_equal(f->lfpd.frames, 1);
	assert_int_equal(f->lfpd.error, 0);
	assert_string_equal(f->lfpd.why, "enough for today");
}

static void test_gone_while_congested(void **state)
{
	gone_while_congested(*state);
}

static const struct transport *told;

static void watch_reads(struct transport_conn *conn, unsigned int events)
{
	told->watch(conn, events & ~(unsigned int)TRANSPORT_WRITE);
}

/* The same if no event reports room or the end. */
static void test_gone_and_nothing_tells(void **state)
{
	struct pair *f = *state;
	struct transport silent;

	told = f->transport;
	silent = *told;
	silent.watch = watch_reads;
	f->lfpd.path->transport = &silent;
	gone_while_congested(f);
	f->lfpd.path->transport = told;
}

static void test_gone(void **state)
{
	struct pair *f = *state;

	path_close(f->vse.path, NULL);
	f->vse.path = NULL;
	pair_run_until(f, pair_lfpd_down);
	assert_int_equal(f->lfpd.error, -ECONNRESET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(test_bad_magic),
		PAIR_TEST(test_short_packet),
		PAIR_TEST(test_long_packet),
		PAIR_TEST(test_sequence),
		PAIR_TEST(test_acknowledges_too_much),
		PAIR_TEST(test_above_limit),
		PAIR_TEST(test_data_flag_missing),
		PAIR_TEST(test_owner_refuses),
		PAIR_TEST(test_bye),
		PAIR_TEST(test_bye_with_unread),
		PAIR_TEST(test_gone),
		PAIR_TEST(test_gone_while_sending),
		PAIR_TEST(test_gone_while_paused),
		PAIR_TEST(test_gone_while_congested),
		PAIR_TEST(test_gone_and_nothing_tells),
	};

	return pair_run(tests);
}
