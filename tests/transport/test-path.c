/* SPDX-License-Identifier: Apache-2.0 */
/* test-path.c - two paths on one loop: order, message limit, acknowledgement, space, congestion */
#include "tests/transport/pair.h"

#include <string.h>

static bool all_acknowledged(struct pair *f)
{
	return !path_stats(f->vse.path)->outstanding && !path_stats(f->lfpd.path)->outstanding;
}

/* Both directions at once; never more packets with data on the way than the limit. */
static void transfer(struct pair *f, uint32_t mtu, uint32_t limit, uint64_t bytes)
{
	pair_open(f, mtu, limit);
	f->vse.to_send = f->lfpd.to_send = bytes;
	pair_pump(&f->vse);
	pair_pump(&f->lfpd);
	pair_run_until(f, pair_all_arrived);
	assert_false(f->vse.out_of_order);
	assert_false(f->lfpd.out_of_order);
	assert_in_range(path_stats(f->vse.path)->outstanding_max, 1, limit);
	assert_in_range(path_stats(f->lfpd.path)->outstanding_max, 1, limit);
	assert_in_range(path_stats(f->lfpd.path)->peer_max, 1, limit);
	pair_run_until(f, all_acknowledged);
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

/* One side has received everything that the other sent, over any transport. */
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
	struct pair *f = *state;
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
	/* A stopped side is not called. */
	calls = lfpd->transport.calls_in;
	for (int i = 0; i < 10; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
	assert_int_equal(path_stats(f->lfpd.path)->transport.calls_in, calls);
}

static bool waits_for_space(struct pair *f)
{
	return path_stats(f->vse.path)->space_waits > 0;
}

/* Buffer space for three packets: as many wait, wherever they are, and no more; then all arrives.
 */
static void test_space(void **state)
{
	struct pair *f = *state;
	const struct path_stats *stats;

	path_limit_space(f->vse.path, 2 * 8192, 3 * 8192 + 100);
	pair_open(f, 8192, 1024);
	assert_in_range(path_stats(f->vse.path)->buffers, 2, 4);
	path_pause(f->lfpd.path, true);
	f->vse.to_send = 400000;
	pair_pump(&f->vse);
	pair_run_until(f, waits_for_space);
	for (int i = 0; i < 10; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
	stats = path_stats(f->vse.path);
	assert_int_equal(stats->space, 3);
	assert_int_equal(stats->outstanding, 3);
	assert_int_equal(stats->limit_waits, 0);
	assert_int_equal(f->vse.ready, 0);
	path_pause(f->lfpd.path, false);
	pair_run_until(f, pair_all_arrived);
	pair_run_until(f, all_acknowledged);
	stats = path_stats(f->vse.path);
	assert_int_equal(stats->space, 0);
	assert_int_equal(stats->space_max, 3);
	assert_in_range(stats->buffers, 2, 4 + 32);
	assert_false(f->lfpd.out_of_order);
}

/* Less than a packet is one packet. */
static void test_little_space(void **state)
{
	struct pair *f = *state;

	path_limit_space(f->vse.path, 0, 1);
	transfer(f, 8192, 1024, 100000);
	assert_int_equal(path_stats(f->vse.path)->space_max, 1);
}

static void test_control_ignores_limit(void **state)
{
	struct pair *f = *state;
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1, .window.consumed = 5};
	uint8_t *at;

	pair_open(f, 8192, 1);
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
	struct pair *f = *state;
	uint8_t *at;

	pair_open(f, 8192, 8);
	for (uint64_t i = 0; i < 20; i++) {
		assert_true(path_data_reserve(f->vse.path, 1, &at) == 1);
		*at = (uint8_t)(i * 7);
		path_data_commit(f->vse.path, 1, i, 1, false);
	}
	f->vse.to_send = 20;
	pair_run_until(f, pair_all_arrived);
	assert_int_equal(path_stats(f->vse.path)->packets_out, 1);
	assert_int_equal(f->lfpd.frames, 20);
}
static bool queue_empty(struct pair *f)
{
	return !path_stats(f->lfpd.path)->queued;
}

/* Room that was reserved and is not used makes no packet. */
static void test_nothing_after_all(void **state)
{
	struct pair *f = *state;
	uint8_t *at;

	pair_open(f, 8192, 8);
	assert_true(path_data_reserve(f->vse.path, 10, &at) == 10);
	path_data_commit(f->vse.path, 1, 0, 0, 0);
	path_flush(f->vse.path);
	assert_int_equal(path_stats(f->vse.path)->packets_out, 0);
	f->vse.to_send = 10;
	pair_pump(&f->vse);
	pair_run_until(f, pair_all_arrived);
	assert_int_equal(path_stats(f->vse.path)->packets_out, 1);
	assert_false(f->lfpd.out_of_order);
}

/* A queued packet from before HELLO does not grow beyond the size that is valid before HELLO. */
static void test_open_while_blocked(void **state)
{
	struct lfp_frame answer = {.code = LFP_GETSOCKOPT_REPLY, .sock = 1, .request = 1};
	static const uint8_t value[1000];
	struct pair *f = *state;
	uint32_t waiting;

	path_pause(f->vse.path, true);
	answer.value.value = (struct lfp_bytes){value, 900};
	do {
		assert_int_equal(path_send(f->lfpd.path, &answer), 0);
		path_flush(f->lfpd.path);
	} while (!path_stats(f->lfpd.path)->queued);
	assert_int_equal(path_send(f->lfpd.path, &answer), 0);
	waiting = path_stats(f->lfpd.path)->queued;
	pair_open(f, 8192, 2);
	assert_int_equal(path_stats(f->lfpd.path)->queued, waiting + 1);
	answer.value.value.len = sizeof(value);
	assert_int_equal(path_send(f->lfpd.path, &answer), 0);
	path_pause(f->vse.path, false);
	pair_run_until(f, queue_empty);
}

/* A peer that does not receive: answers pile up, the side learns of it, and goes on when they
 * drain. */
static void congestion(struct pair *f, bool pauses)
{
	struct lfp_frame answer = {.code = LFP_GETSOCKOPT_REPLY, .sock = 1, .request = 1};
	static const uint8_t value[1000];

	pair_open(f, 8192, 2);
	path_pause(f->vse.path, true);
	answer.value.value = (struct lfp_bytes){value, sizeof(value)};
	path_pause(f->lfpd.path, pauses);
	/* CP delivers accepted packets by itself, which makes room once more. */
	for (unsigned int i = 0; i < 1000 && (!i || f->lfpd.ready); i++) {
		f->lfpd.ready = 0;
		while (!path_congested(f->lfpd.path))
			assert_int_equal(path_send(f->lfpd.path, &answer), 0);
		uv_run(&f->loop, UV_RUN_NOWAIT);
	}
	assert_int_equal(f->lfpd.ready, 0);
	path_pause(f->vse.path, false);
	pair_run_until(f, queue_empty);
	assert_true(f->lfpd.ready > 0);
}

static void test_congestion(void **state)
{
	congestion(*state, true);
}

/* The LFP instance stops to take calls, and goes on receiving. */
static void test_congestion_of_who_receives(void **state)
{
	congestion(*state, false);
}

static bool all_frames(struct pair *f)
{
	return f->lfpd.frames == 20000;
}

/* One frame in each turn of the loop, and a peer that takes none: queued frames share packets. */
static void test_control_waits_together(void **state)
{
	struct pair *f = *state;
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1};

	pair_open(f, 8192, 2);
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
	pair_run_until(f, all_frames);
	assert_false(f->lfpd.down);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		PAIR_TEST(test_limit_1),
		PAIR_TEST(test_limit_2),
		PAIR_TEST(test_limit_1024),
		PAIR_TEST(test_counts),
		PAIR_TEST(test_space),
		PAIR_TEST(test_little_space),
		PAIR_TEST(test_control_ignores_limit),
		PAIR_TEST(test_small_frames_share_a_packet),
		PAIR_TEST(test_nothing_after_all),
		PAIR_TEST(test_open_while_blocked),
		PAIR_TEST(test_congestion),
		PAIR_TEST(test_congestion_of_who_receives),
		PAIR_TEST(test_control_waits_together),
	};

	return pair_run(tests);
}
