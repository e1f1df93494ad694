/* SPDX-License-Identifier: Apache-2.0 */
/* test-window.c - the window of one socket in one direction */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lfp/window.h"

static void test_round(void **state)
{
	(void)state;
	assert_int_equal(lfp_window_round(1), 4096);
	assert_int_equal(lfp_window_round(4096), 4096);
	assert_int_equal(lfp_window_round(4097), 8192);
	assert_int_equal(lfp_window_round(65535), 65536);
	assert_int_equal(lfp_window_round(65536), 65536);
	assert_int_equal(lfp_window_round(16777216), 16777216);
	assert_int_equal(lfp_window_round(UINT32_MAX), 0xfffff000);
}

static void test_threshold(void **state)
{
	(void)state;
	assert_int_equal(lfp_window_threshold(65536, 50), 32768);
	assert_int_equal(lfp_window_threshold(65536, 100), 65536);
	assert_int_equal(lfp_window_threshold(65536, 1), 655);
	assert_int_equal(lfp_window_threshold(65536, 0), 1);
	assert_int_equal(lfp_window_threshold(10, 1), 1);
	assert_int_equal(lfp_window_threshold(65536, 1000), 65536);
	assert_int_equal(lfp_window_threshold(UINT32_MAX, 100), UINT32_MAX);
}

static void test_sender(void **state)
{
	struct lfp_send_window w = {.window = 8192};

	(void)state;
	assert_int_equal(lfp_window_room(&w), 8192);
	w.sent = 8000;
	assert_int_equal(lfp_window_room(&w), 192);
	w.sent = 8192;
	assert_int_equal(lfp_window_room(&w), 0);
	assert_int_equal(lfp_window_report(&w, 4096), 0);
	assert_int_equal(lfp_window_room(&w), 4096);
	assert_int_equal(lfp_window_report(&w, 4096), 0);
	/* Neither back nor beyond what was sent; and nothing is changed then. */
	assert_int_equal(lfp_window_report(&w, 4095), -EPROTO);
	assert_int_equal(lfp_window_report(&w, 8193), -EPROTO);
	assert_int_equal(lfp_window_report(&w, UINT64_MAX), -EPROTO);
	assert_int_equal(lfp_window_room(&w), 4096);
	assert_int_equal(lfp_window_report(&w, 8192), 0);
	assert_int_equal(lfp_window_room(&w), 8192);
}

/* Little room counts as none while the receiver must still report more. */
static void test_least(void **state)
{
	struct lfp_send_window w = {.window = 65536};

	(void)state;
	assert_int_equal(lfp_window_least(65536, 16384), 8192);
	assert_int_equal(lfp_window_least(65536, 60000), 5536);
	assert_int_equal(lfp_window_least(65536, 65536), 0);
	w.sent = 60000;
	assert_int_equal(lfp_window_room_worth(&w), 5536);
	w.least = 8192;
	assert_int_equal(lfp_window_room_worth(&w), 0);
	for (uint32_t percent = 1; percent <= 100; percent++) {
		uint32_t threshold = lfp_window_threshold(65536, percent);

		w.least = lfp_window_least(65536, threshold);
		/* The most that can stay unreported when all is consumed. */
		w.consumed = 0;
		w.sent = threshold - 1;
		assert_true(lfp_window_room_worth(&w) > 0);
	}
}

/* Positions go far beyond 32 bits. */
static void test_sender_long(void **state)
{
	struct lfp_send_window w = {
		.window = 65536, .sent = UINT64_MAX - 10, .consumed = UINT64_MAX - 20};

	(void)state;
	assert_int_equal(lfp_window_room(&w), 65526);
	assert_int_equal(lfp_window_report(&w, UINT64_MAX - 10), 0);
	assert_int_equal(lfp_window_room(&w), 65536);
}

/* A sender that has somehow gone too far has no room, and not a very large one. */
static void test_sender_beyond(void **state)
{
	struct lfp_send_window w = {.window = 4096, .sent = 5000};

	(void)state;
	assert_int_equal(lfp_window_room(&w), 0);
	w.sent = UINT64_C(0x100000000);
	assert_int_equal(lfp_window_room(&w), 0);
}

static void test_arrive(void **state)
{
	struct lfp_recv_window w = {.window = 8192, .threshold = 4096};

	(void)state;
	assert_int_equal(lfp_window_arrive(&w, 1, 10), -EPROTO);
	assert_int_equal(lfp_window_arrive(&w, 0, 8193), -EPROTO);
	assert_int_equal(lfp_window_arrive(&w, 0, UINT32_MAX), -EPROTO);
	assert_int_equal(w.received, 0);
	assert_int_equal(lfp_window_arrive(&w, 0, 8000), 0);
	assert_int_equal(lfp_window_arrive(&w, 0, 10), -EPROTO);
	assert_int_equal(lfp_window_arrive(&w, 8000, 193), -EPROTO);
	assert_int_equal(lfp_window_arrive(&w, 8000, 192), 0);
	assert_int_equal(lfp_window_arrive(&w, 8192, 1), -EPROTO);
	assert_int_equal(w.received, 8192);
}

static void test_consume(void **state)
{
	struct lfp_recv_window w = {.window = 8192, .threshold = 4096};

	(void)state;
	assert_int_equal(lfp_window_arrive(&w, 0, 8192), 0);
	assert_false(lfp_window_consume(&w, 4095));
	assert_int_equal(w.reported, 0);
	/* Consumed but not reported: the sender cannot know, so that it may not send more. */
	assert_int_equal(lfp_window_arrive(&w, 8192, 1), -EPROTO);
	assert_true(lfp_window_consume(&w, 1));
	assert_int_equal(w.reported, 4096);
	assert_int_equal(lfp_window_arrive(&w, 8192, 4096), 0);
	assert_false(lfp_window_consume(&w, 0));
	assert_true(lfp_window_consume(&w, 8192));
	assert_int_equal(w.reported, 12288);
	assert_int_equal(w.consumed, w.received);
}

/* Without consumed bytes there is nothing to report, at any threshold. */
static void test_consume_nothing(void **state)
{
	struct lfp_recv_window w = {.window = 8192, .threshold = 0};

	(void)state;
	assert_false(lfp_window_consume(&w, 0));
}

/* With every threshold both sides reach the end of a stream of more than 2^32 bytes. */
static void test_both(void **state)
{
	const unsigned int percents[] = {1, 30, 50, 99, 100};

	(void)state;
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		const uint64_t start = UINT32_MAX - 20000u, end = start + 200000;
		struct lfp_send_window out = {.sent = start, .consumed = start, .window = 8192};
		struct lfp_recv_window in = {
			.received = start,
			.consumed = start,
			.reported = start,
			.window = 8192,
			.threshold = lfp_window_threshold(8192, percents[i]),
		};

		while (out.sent < end) {
			uint32_t room = lfp_window_room(&out);

			assert_true(room > 0);
			if (room > 1000)
				room = 1000;
			assert_int_equal(lfp_window_arrive(&in, out.sent, room), 0);
			out.sent += room;
			if (lfp_window_consume(&in, room))
				assert_int_equal(lfp_window_report(&out, in.reported), 0);
		}
	}
}

static void test_settle(void **state)
{
	struct lfp_recv_window in = {.window = 1000, .threshold = 500};

	(void)state;
	assert_false(lfp_window_settle(&in));
	assert_int_equal(lfp_window_arrive(&in, 0, 10), 0);
	assert_false(lfp_window_consume(&in, 10));
	assert_true(lfp_window_settle(&in));
	assert_true(in.reported == 10);
	assert_false(lfp_window_settle(&in));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round),           cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_sender),          cmocka_unit_test(test_least),
		cmocka_unit_test(test_sender_long),     cmocka_unit_test(test_sender_beyond),
		cmocka_unit_test(test_arrive),          cmocka_unit_test(test_consume),
		cmocka_unit_test(test_consume_nothing), cmocka_unit_test(test_both),
		cmocka_unit_test(test_settle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
