/* SPDX-License-Identifier: Apache-2.0 */
/* test-path-pipes-traced.c - a trace of a path whose data goes by reference has the same packets as
 * of copied data */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>

#include "tests/transport/piped-bytes.h"
#include "tests/transport/piped-path.h"

static void on_packet(void *data, struct path *path, bool sent, const uint8_t *packet, size_t len,
		      size_t there)
{
	struct piped *f = data;
	struct lfp_frame head;

	(void)path;
	f->tapped[sent] += len;
	if (len < PIPED_HEAD)
		return;
	(void)lfp_frame_head(packet + LFP_PACKET_HEADER, &head);
	if (head.code != LFP_DATA)
		return;
	assert_in_range(there, PIPED_HEAD, len);
	for (size_t i = PIPED_HEAD; i < there; i++)
		assert_int_equal(packet[i], pattern_at(f->seen[sent]++));
}

static void tap_of_headers(void **state)
{
	struct piped *f = *state;

	f->tap = (struct path_tap){.packet = on_packet, .data = f};
	path_set_tap(f->from, &f->tap);
	path_set_tap(f->to, &f->tap);
	piped_open(f, 1024);
	piped_feed(f, 30000);
	assert_int_equal(piped_splice(f, 30000), 30000);
	piped_run(f);
	assert_int_equal(f->tapped[true], 30000 + PIPED_HEAD);
	assert_int_equal(f->tapped[false], 30000 + PIPED_HEAD);
	assert_int_equal(f->seen[true] + f->seen[false], 0);
	assert_int_equal(f->pipes, 1);
	piped_compare(f);
	assert_int_equal(f->checked, 30000);
}

static void tap_of_payload_prevents_pipes(void **state)
{
	struct piped *f = *state;

	f->tap = (struct path_tap){.packet = on_packet, .data = f, .payload = true};
	path_set_tap(f->from, &f->tap);
	piped_open(f, 1024);
	piped_feed(f, 30000);
	assert_int_equal(piped_splice(f, 30000), -ENOTSUP);
	f->tap.packet = NULL;
	assert_int_equal(piped_splice(f, 30000), 30000);
}

/* One that begins while packets with pipes are under way sees all their bytes, on both sides. */
static void tap_of_payload_begins(void **state)
{
	struct piped *f = *state;

	path_limit_space(f->from, PIPED_MTU, 16 * PIPED_MTU);
	piped_open(f, 1024);
	for (int i = 0; i < 5; i++) {
		piped_feed(f, 40000);
		assert_int_equal(piped_splice(f, 40000), 40000);
	}
	/* There is room for 128 KiB on the way, so the last packets wait on the side that sends. */
	f->tap = (struct path_tap){.packet = on_packet, .data = f, .payload = true};
	path_set_tap(f->to, &f->tap);
	piped_run(f);
	assert_int_equal(f->seen[false], 200000);
	assert_int_equal(f->pipes, 5);
	piped_compare(f);
	assert_int_equal(f->checked, 200000);
}

/* It sees all bytes of a piece that is larger than any packet. */
static void tap_of_a_large_payload(void **state)
{
	struct piped *f = *state;
	size_t len;

	piped_open(f, 1024);
	piped_feed_all(f);
	len = piped_splice_all(f);
	f->tap = (struct path_tap){.packet = on_packet, .data = f, .payload = true};
	path_set_tap(f->to, &f->tap);
	piped_run(f);
	assert_int_equal(f->seen[false], len);
	piped_compare(f);
	assert_int_equal(f->checked, len);
}

static void tap_of_payload_at_the_sender(void **state)
{
	struct piped *f = *state;

	path_limit_space(f->from, PIPED_MTU, 16 * PIPED_MTU);
	piped_open(f, 1024);
	path_pause(f->to, true);
	for (int i = 0; i < 5; i++) {
		piped_feed(f, 40000);
		assert_int_equal(piped_splice(f, 40000), 40000);
	}
	/* 128 KiB are on the way, and one more packet was offered to the transport before. */
	f->tap = (struct path_tap){.packet = on_packet, .data = f, .payload = true};
	f->seen[true] = f->sent - (path_stats(f->from)->queued - 1) * UINT64_C(40000);
	assert_true(f->seen[true] < f->sent);
	path_set_tap(f->from, &f->tap);
	path_pause(f->to, false);
	piped_run(f);
	assert_int_equal(f->seen[true], f->sent);
	piped_compare(f);
	assert_int_equal(f->checked, f->sent);
}

#define PIPES_TEST(name) cmocka_unit_test_setup_teardown(name, piped_set_up, piped_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PIPES_TEST(tap_of_headers),
		PIPES_TEST(tap_of_payload_prevents_pipes),
		PIPES_TEST(tap_of_payload_begins),
		PIPES_TEST(tap_of_a_large_payload),
		PIPES_TEST(tap_of_payload_at_the_sender),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
