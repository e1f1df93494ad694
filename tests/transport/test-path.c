/* SPDX-License-Identifier: Apache-2.0 */
/* test-path.c - two paths on one loop: order, message limit, acknowledgement, bad packets, the end
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/places.h"
#include "transport/path.h"

struct side {
	struct path *path;
	int error;
	bool down;
	char why[128];
	uint64_t frames, bytes, position;
	uint64_t to_send, sent; /* data still to be sent */
	bool out_of_order;
	unsigned int ready;
	int refuse_after; /* on_frame says -EPROTO at this frame */
};

struct fixture {
	const struct transport *transport;
	uv_loop_t loop;
	char dir[64], name[96];
	struct transport_listener *listener;
	struct transport_conn *accepted, *connected;
	struct side vse, lfpd;
};

static void pump(struct side *side)
{
	while (side->sent < side->to_send) {
		uint8_t *at;
		size_t want =
			side->to_send - side->sent < 100000 ? side->to_send - side->sent : 100000;
		size_t n = path_data_reserve(side->path, want, &at);

		if (!n)
			return;
		for (size_t i = 0; i < n; i++)
			at[i] = (uint8_t)((side->sent + i) * 7);
		path_data_commit(side->path, 1, side->sent, n, false);
		side->sent += n;
	}
}

static int on_frame(struct path *path, const struct lfp_frame *frame, const char **why)
{
	struct side *side = path_data(path);

	side->frames++;
	if (side->refuse_after && side->frames >= (uint64_t)side->refuse_after) {
		*why = "refused by the test";
		return -EPROTO;
	}
	if (frame->code == LFP_DATA) {
		if (frame->data.position != side->position)
			side->out_of_order = true;
		for (uint32_t i = 0; i < frame->data.payload.len; i++)
			if (frame->data.payload.ptr[i] != (uint8_t)((side->position + i) * 7))
				side->out_of_order = true;
		side->position += frame->data.payload.len;
		side->bytes += frame->data.payload.len;
	}
	return 0;
}

static void on_ready(struct path *path)
{
	struct side *side = path_data(path);

	side->ready++;
	pump(side);
}

static void on_down(struct path *path, int error, const char *why)
{
	struct side *side = path_data(path);

	side->down = true;
	side->error = error;
	snprintf(side->why, sizeof(side->why), "%s", why);
}

static const struct path_ops ops = {.on_frame = on_frame, .on_ready = on_ready, .on_down = on_down};

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	struct fixture *f = listener->data;

	f->accepted = conn;
}

static void on_connected(void *data, int status, struct transport_conn *conn)
{
	struct fixture *f = data;

	assert_int_equal(status, 0);
	f->connected = conn;
}

static bool both_there(struct fixture *f)
{
	return f->accepted && f->connected;
}

static void run_until(struct fixture *f, bool (*done)(struct fixture *f))
{
	uint64_t end;

	uv_update_time(&f->loop);
	end = uv_now(&f->loop) + 30000;
	while (!done(f)) {
		uv_run(&f->loop, UV_RUN_NOWAIT);
		if (uv_now(&f->loop) > end)
			fail_msg("condition not met within 30 seconds");
	}
}

static const struct transport *under_test; /* of the group that runs */

/* iucv needs a kernel that has it: VSELFPD_IUCV has the hsuids of both sides, or one word, the z/VM
 * user id of this system. */
static char iucv_lfpd[9], iucv_vse[9];
static bool with_iucv(void)
{
	const char *users = getenv("VSELFPD_IUCV");

	return users && sscanf(users, "%8s %8s", iucv_lfpd, iucv_vse) >= 1;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct transport_where where = {.name = "TEST", .mtu = 8192, .ring_size = 65536};

	snprintf(f->dir, sizeof(f->dir), "/tmp/test-path-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->name, sizeof(f->name), "%s/path", f->dir);
	where.path = f->name;
	where.own = "TESTV";
	where.vmid = *iucv_lfpd ? iucv_lfpd : NULL;
	f->transport = under_test;
	uv_loop_init(&f->loop);
	where.hsuid = *iucv_vse ? iucv_lfpd : "";
	assert_int_equal(f->transport->listen(&f->loop, &where, &f->listener), 0);
	f->listener->data = f;
	f->listener->on_connection = on_connection;
	where.hsuid = iucv_vse;
	assert_int_equal(f->transport->connect(&f->loop, &where, on_connected, f), 0);
	run_until(f, both_there);
	f->lfpd.path = path_create(&f->loop, f->accepted, LFP_FROM_VSE, 8192, &ops, &f->lfpd);
	f->vse.path = path_create(&f->loop, f->connected, LFP_FROM_LFPD, 8192, &ops, &f->vse);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->lfpd.path)
		path_close(f->lfpd.path, NULL);
	if (f->vse.path)
		path_close(f->vse.path, NULL);
	f->transport->stop(f->listener);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	rmdir(f->dir);
	free(f);
	return 0;
}

static void open_both(struct fixture *f, uint32_t mtu, uint32_t limit)
{
	assert_int_equal(path_open(f->lfpd.path, mtu, limit), 0);
	assert_int_equal(path_open(f->vse.path, mtu, limit), 0);
}

static bool all_arrived(struct fixture *f)
{
	return f->lfpd.bytes == f->vse.to_send && f->vse.bytes == f->lfpd.to_send;
}

static bool all_acknowledged(struct fixture *f)
{
	return !path_stats(f->vse.path)->outstanding && !path_stats(f->lfpd.path)->outstanding;
}

/* Both directions at once; never more packets with data on the way than the limit. */
static void transfer(struct fixture *f, uint32_t mtu, uint32_t limit, uint64_t bytes)
{
	open_both(f, mtu, limit);
	f->vse.to_send = f->lfpd.to_send = bytes;
	pump(&f->vse);
	pump(&f->lfpd);
	run_until(f, all_arrived);
	assert_false(f->vse.out_of_order);
	assert_false(f->lfpd.out_of_order);
	assert_in_range(path_stats(f->vse.path)->outstanding_max, 1, limit);
	assert_in_range(path_stats(f->lfpd.path)->outstanding_max, 1, limit);
	assert_in_range(path_stats(f->lfpd.path)->peer_max, 1, limit);
	run_until(f, all_acknowledged);
	assert_false(f->vse.down);
	assert_false(f->lfpd.down);
}

static void test_limit_1(void **state)
{
	transfer(*state, 8192, 1, 3000000);
}

static void test_limit_2(void **state)
{
	transfer(*state, 1024, 2, 1000000);
}

static void test_limit_1024(void **state)
{
	transfer(*state, 8192, 1024, 20000000);
}

/* What one side has sent the other has received, whatever carried it. */
static void compare_counts(const struct path_stats *from, const struct path_stats *to)
{
	assert_int_equal(from->packets_out, to->packets_in);
	assert_int_equal(from->bytes_out, to->bytes_in);
	assert_int_equal(from->frames_out, to->frames_in);
	assert_int_equal(from->data_out, to->data_in);
	assert_int_equal(from->windows_out, to->windows_in);
	/* Each packet with data was credited, once. */
	assert_int_equal(from->credits_in, from->data_out);
	assert_int_equal(to->credits_out, from->credits_in);
	assert_in_range(from->transport.calls_out, 1, from->packets_out);
	assert_in_range(to->transport.calls_in, 1, to->packets_in);
	assert_in_range(to->transport.wakeups_in, 1, to->packets_in + 1);
}

static void test_counts(void **state)
{
	struct fixture *f = *state;
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1, .window.consumed = 5};
	const struct path_stats *vse, *lfpd;
	uint64_t calls;

	transfer(f, 8192, 16, 2000000);
	for (int i = 0; i < 3; i++)
		assert_int_equal(path_send(f->vse.path, &window), 0);
	path_flush(f->vse.path);
	while (path_stats(f->lfpd.path)->windows_in < 3)
		uv_run(&f->loop, UV_RUN_ONCE);
	vse = path_stats(f->vse.path);
	lfpd = path_stats(f->lfpd.path);
	compare_counts(vse, lfpd);
	compare_counts(lfpd, vse);
	assert_int_equal(vse->windows_out, 3);
	/* 2000000 bytes in packets of at most 8192, 16 of them at a time */
	assert_in_range(vse->data_out, 2000000 / 8192, 2000000 / 4096);
	assert_in_range(vse->limit_waits, 2000000 / 8192 / 16, vse->data_out);
	assert_in_range(vse->outstanding_max, 16, 16);
	/* What is not woken does not call. */
	calls = lfpd->transport.calls_in;
	for (int i = 0; i < 10; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
	assert_int_equal(path_stats(f->lfpd.path)->transport.calls_in, calls);
}

static bool waits_for_space(struct fixture *f)
{
	return path_stats(f->vse.path)->space_waits > 0;
}

/* Buffer space for three packets: as many wait, wherever they are, and no more; then all arrives.
 */
static void test_space(void **state)
{
	struct fixture *f = *state;
	const struct path_stats *stats;

	path_limit_space(f->vse.path, 2 * 8192, 3 * 8192 + 100);
	open_both(f, 8192, 1024);
	assert_in_range(path_stats(f->vse.path)->buffers, 2, 4);
	path_pause(f->lfpd.path, true);
	f->vse.to_send = 400000;
	pump(&f->vse);
	run_until(f, waits_for_space);
	for (int i = 0; i < 10; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
	stats = path_stats(f->vse.path);
	assert_int_equal(stats->space, 3);
	assert_int_equal(stats->outstanding, 3);
	assert_int_equal(stats->limit_waits, 0);
	assert_int_equal(f->vse.ready, 0);
	path_pause(f->lfpd.path, false);
	run_until(f, all_arrived);
	run_until(f, all_acknowledged);
	stats = path_stats(f->vse.path);
	assert_int_equal(stats->space, 0);
	assert_int_equal(stats->space_max, 3);
	assert_in_range(stats->buffers, 2, 4 + 32);
	assert_false(f->lfpd.out_of_order);
}

/* Less than a packet is one packet. */
static void test_little_space(void **state)
{
	struct fixture *f = *state;

	path_limit_space(f->vse.path, 0, 1);
	transfer(f, 8192, 1024, 100000);
	assert_int_equal(path_stats(f->vse.path)->space_max, 1);
}

static void test_control_ignores_limit(void **state)
{
	struct fixture *f = *state;
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1, .window.consumed = 5};
	uint8_t *at;

	open_both(f, 8192, 1);
	assert_true(path_data_reserve(f->vse.path, 10, &at) == 10);
	memset(at, 0, 10);
	path_data_commit(f->vse.path, 1, 0, 10, false);
	path_flush(f->vse.path);
	assert_true(path_data_reserve(f->vse.path, 10, &at) == 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(path_send(f->vse.path, &window), 0);
	path_flush(f->vse.path);
	/* 1000 frames of 32 bytes share few packets. */
	assert_in_range(path_stats(f->vse.path)->packets_out + path_stats(f->vse.path)->queued, 1,
			6);
	while (f->lfpd.frames < 1001)
		uv_run(&f->loop, UV_RUN_ONCE);
}

static void test_small_frames_share_a_packet(void **state)
{
	struct fixture *f = *state;
	uint8_t *at;

	open_both(f, 8192, 8);
	for (uint64_t i = 0; i < 20; i++) {
		assert_true(path_data_reserve(f->vse.path, 1, &at) == 1);
		*at = (uint8_t)(i * 7);
		path_data_commit(f->vse.path, 1, i, 1, false);
	}
	f->vse.to_send = 20;
	run_until(f, all_arrived);
	assert_int_equal(path_stats(f->vse.path)->packets_out, 1);
	assert_int_equal(f->lfpd.frames, 20);
}

static bool lfpd_down(struct fixture *f)
{
	return f->lfpd.down;
}

/* Below the path of the z/VSE side. */
static void send_raw(struct fixture *f, const void *bytes, size_t len)
{
	struct packet *packet = malloc(sizeof(*packet) + len);

	*packet = (struct packet){.size = len, .len = len};
	packet->buf = packet->memory;
	memcpy(packet->memory, bytes, len);
	assert_int_equal(f->transport->send(f->connected, &packet, 1), 1);
	if (!f->transport->keeps)
		free(packet);
}

static void expect_down(struct fixture *f, const char *why)
{
	run_until(f, lfpd_down);
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
	send_raw(*state, "LF", 2);
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
	struct fixture *f = *state;
	uint8_t buf[64] = {0};

	open_both(f, 8192, 2);
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
	struct fixture *f = *state;
	uint8_t buf[64] = {0};
	size_t len = packet_of(buf, 0, 1, 0, LFP_DATA_OVERHEAD + 1);

	open_both(f, 8192, 2);
	lfp_data_header(buf + LFP_PACKET_HEADER, 1, 0, 1, false);
	send_raw(f, buf, len);
	expect_down(f, "packet whose data flag is wrong");
}

static void test_owner_refuses(void **state)
{
	struct fixture *f = *state;
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
	struct fixture *f = *state;

	path_close(f->vse.path, "enough for today");
	f->vse.path = NULL;
	run_until(f, lfpd_down);
	assert_int_equal(f->lfpd.error, 0);
	assert_string_equal(f->lfpd.why, "enough for today");
}

static void test_gone(void **state)
{
	struct fixture *f = *state;

	path_close(f->vse.path, NULL);
	f->vse.path = NULL;
	run_until(f, lfpd_down);
	assert_int_equal(f->lfpd.error, -ECONNRESET);
}

static bool queue_empty(struct fixture *f)
{
	return !path_stats(f->lfpd.path)->queued;
}

/* A peer that does not receive: answers pile up, the side is told, and goes on when they drain. */
static void test_congestion(void **state)
{
	struct fixture *f = *state;
	struct lfp_frame answer = {.code = LFP_GETSOCKOPT_REPLY, .sock = 1, .request = 1};
	static const uint8_t value[1000];

	open_both(f, 8192, 2);
	path_pause(f->vse.path, true);
	answer.value.value = (struct lfp_bytes){value, sizeof(value)};
	while (!path_congested(f->lfpd.path))
		assert_int_equal(path_send(f->lfpd.path, &answer), 0);
	path_pause(f->lfpd.path, true);
	uv_run(&f->loop, UV_RUN_NOWAIT);
	assert_int_equal(f->lfpd.ready, 0);
	path_pause(f->vse.path, false);
	run_until(f, queue_empty);
	assert_true(f->lfpd.ready > 0);
}

static bool all_frames(struct fixture *f)
{
	return f->lfpd.frames == 20000;
}

/* A frame a turn of the loop, and a peer that takes none: what waits shares packets. */
static void test_control_waits_together(void **state)
{
	struct fixture *f = *state;
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1};

	open_both(f, 8192, 2);
	path_pause(f->lfpd.path, true);
	for (unsigned int i = 0; i < 20000; i++) {
		assert_int_equal(path_send(f->vse.path, &window), 0);
		uv_run(&f->loop, UV_RUN_NOWAIT);
	}
	/* Up to 640 KB of frames, and packets that are kept for use. */
	assert_in_range(path_stats(f->vse.path)->queued, 1, 80);
	if (!f->transport->keeps)
		assert_in_range(path_stats(f->vse.path)->buffers, 1, 80 + 33);
	path_pause(f->lfpd.path, false);
	run_until(f, all_frames);
	assert_false(f->lfpd.down);
}

static void test_no_iucv(void **state)
{
	(void)state;
	print_message("skipped: VSELFPD_IUCV names no users of AF_IUCV\n");
	skip();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_limit_1),
		TEST(test_limit_2),
		TEST(test_limit_1024),
		TEST(test_counts),
		TEST(test_space),
		TEST(test_little_space),
		TEST(test_control_ignores_limit),
		TEST(test_small_frames_share_a_packet),
		TEST(test_bad_magic),
		TEST(test_short_packet),
		TEST(test_long_packet),
		TEST(test_sequence),
		TEST(test_acknowledges_too_much),
		TEST(test_above_limit),
		TEST(test_data_flag_missing),
		TEST(test_owner_refuses),
		TEST(test_bye),
		TEST(test_gone),
		TEST(test_congestion),
		TEST(test_control_waits_together),
	};

	const struct CMUnitTest none[] = {cmocka_unit_test(test_no_iucv)};
	int failed = 0;

	for (unsigned int i = 0; (under_test = transport_at(i)); i++)
		if (under_test == &transport_iucv && !with_iucv())
			failed += cmocka_run_group_tests_name(under_test->name, none, NULL, NULL);
		else
			failed += cmocka_run_group_tests_name(under_test->name, tests, NULL, NULL);
	return failed;
}
