/* SPDX-License-Identifier: Apache-2.0 */
/* test-path-pipes.c - over `local` data goes by reference: complete, in order, and counted as
 * copied data is */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/transport/descriptors.h"
#include "tests/transport/piped-path.h"
#include "transport/pipes.h"

static void mixed(void **state)
{
	struct piped *f = *state;
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1, .window.consumed = 5};
	unsigned int spliced = 0, copied = 0, windows = 0;

	piped_open(f, 1024);
	srand(1);
	for (int round = 0; round < 2000; round++) {
		int what = rand() % 4;

		piped_feed(f, 1 + (size_t)rand() % (round % 2 ? PIPED_LARGE : 100));
		while (f->sent < f->fed) {
			size_t before = (size_t)f->sent;

			if (what && piped_splice(f, 1 + (size_t)rand() % PIPED_LARGE) > 0)
				spliced++;
			else if (piped_copy(f, 1 + (size_t)rand() % 20000))
				copied++;
			if (what == 1 && !path_send(f->from, &window))
				windows++;
			if (f->sent == before)
				uv_run(&f->loop, UV_RUN_NOWAIT);
			what = rand() % 4;
		}
		piped_run(f);
		piped_compare(f);
	}
	for (int i = 0; i < 10; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
	assert_false(f->down);
	assert_false(f->wrong);
	assert_int_equal(f->checked, f->fed);
	assert_true(spliced > 1000 && copied > 200 && windows > 200);
	assert_int_equal(f->pipes, spliced);
	assert_int_equal(f->frames, spliced + copied);
	assert_int_equal(f->windows, windows);
}

/* The same numbers as for copied data, and how much of it went by reference. */
static void statistics(void **state)
{
	struct piped *f = *state;
	const struct path_stats *out, *in;

	piped_open(f, 1024);
	piped_feed(f, 50000);
	assert_int_equal(piped_splice(f, 30000), 30000);
	assert_int_equal(piped_splice(f, 20000), 20000);
	piped_feed(f, 5000);
	assert_int_equal(piped_copy(f, 5000), 5000);
	path_flush(f->from);
	piped_run(f);
	out = path_stats(f->from);
	in = path_stats(f->to);
	assert_int_equal(out->bytes_out, 55000 + 3 * PIPED_HEAD);
	assert_int_equal(in->bytes_in, out->bytes_out);
	assert_int_equal(out->packets_out, 3);
	assert_int_equal(in->packets_in, 3);
	assert_int_equal(out->data_out, 3);
	assert_int_equal(in->data_in, 3);
	assert_int_equal(out->frames_out, 3);
	assert_int_equal(in->frames_in, 3);
	assert_int_equal(out->spliced_out, 50000);
	assert_int_equal(in->spliced_in, 50000);
	assert_int_equal(out->spliced_in + in->spliced_out, 0);
}

/* One frame carries what a pipe carries, whatever the PIPED_MTU is, and counts as one. */
static void many_packets_worth(void **state)
{
	struct piped *f = *state;
	const struct path_stats *in;
	size_t len;

	piped_open(f, 1);
	piped_feed_all(f);
	len = piped_splice_all(f);
	piped_run(f);
	assert_int_equal(f->pipes, 1);
	assert_int_equal(f->frames, 1);
	in = path_stats(f->to);
	assert_int_equal(in->bytes_in, len + PIPED_HEAD);
	assert_int_equal(in->packets_in, 1);
	assert_int_equal(in->data_in, 1);
	assert_int_equal(in->spliced_in, len);
	assert_int_equal(path_stats(f->from)->outstanding_max, 1);
	piped_compare(f);
	assert_int_equal(f->checked, len);
	assert_false(f->down);
}

/* The part of a pipe that a window lets pass goes by reference; so does the rest, later. */
static void part_of_a_pipe(void **state)
{
	struct piped *f = *state;
	struct held_pipe *pipe = pipe_get();
	ssize_t len;

	piped_open(f, 1024);
	piped_feed_all(f);
	len = pipe_fill(pipe, f->source[1], PIPE_BYTES);
	assert_in_range(len, PIPE_BYTES / 2, PIPE_BYTES);
	for (size_t left = (size_t)len, n; left; left -= n) {
		n = path_data_pass(f->from, pipe, 100000, 1, f->sent);
		assert_int_equal(n, left < 100000 ? left : 100000);
		f->sent += n;
		assert_true(n == left || pipe->held == left - n);
		piped_run(f);
		piped_compare(f);
	}
	assert_int_equal(f->pipes, (len + 99999) / 100000);
	assert_int_equal(f->checked, len);
	assert_false(f->wrong);
}

static void nobody_takes_it(void **state)
{
	struct piped *f = *state;
	unsigned int before;

	piped_open(f, 1024);
	f->ignores = true;
	for (int i = 0; i < 10; i++) {
		piped_feed(f, 30000);
		assert_int_equal(piped_splice(f, 30000), 30000);
		before = descriptors();
		piped_run(f);
		/* Its bytes are lost with it, so the pipe is closed. */
		assert_int_equal(descriptors(), before - 2);
	}
	f->ignores = false;
	f->checked = f->fed;
	piped_feed(f, 30000);
	assert_int_equal(piped_splice(f, 30000), 30000);
	piped_run(f);
	piped_compare(f);
	assert_int_equal(f->checked, f->fed);
}

static void close_side(struct piped *f, struct path **side, struct path **other)
{
	path_close(*side, "the end");
	*side = NULL;
	for (int i = 0; i < 10; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
	path_close(*other, NULL);
	*other = NULL;
	for (int i = 0; i < 10; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
}

static void close_with_pipes_in_flight(struct piped *f, struct path **side, struct path **other)
{
	unsigned int before = descriptors(), during;

	piped_open(f, 1024);
	path_pause(f->to, true);
	for (int i = 0; i < 5; i++) {
		piped_feed(f, 20000);
		if (piped_splice(f, 20000) != 20000)
			break;
	}
	during = descriptors();
	close_side(f, side, other);
	/* Two are left, of which the pool knows that they are empty, at most. */
	assert_true(descriptors() < during);
	assert_true(descriptors() <= before);
}

static void sender_closes(void **state)
{
	struct piped *f = *state;

	close_with_pipes_in_flight(f, &f->from, &f->to);
}

static void receiver_closes(void **state)
{
	struct piped *f = *state;

	close_with_pipes_in_flight(f, &f->to, &f->from);
}

static void message_limit(void **state)
{
	struct piped *f = *state;

	piped_open(f, 2);
	for (int i = 0; i < 3; i++) {
		piped_feed(f, 20000);
		assert_int_equal(piped_splice(f, 20000), i < 2 ? 20000 : -ENOTSUP);
	}
	assert_int_equal(path_stats(f->from)->outstanding, 2);
	assert_int_equal(piped_copy(f, 20000), 0);
	piped_run(f);
	path_flush(f->to);
	for (int i = 0; piped_splice(f, 20000) != 20000; i++) {
		assert_in_range(i, 0, 1000000);
		uv_run(&f->loop, UV_RUN_NOWAIT);
	}
	piped_run(f);
	piped_compare(f);
	assert_int_equal(f->checked, 60000);
	assert_int_equal(path_stats(f->from)->outstanding_max, 2);
}

/* A packet with a pipe takes a packet's space. */
static void space_limit(void **state)
{
	struct piped *f = *state;

	path_limit_space(f->from, PIPED_MTU, 3 * PIPED_MTU);
	piped_open(f, 1024);
	path_pause(f->to, true);
	for (int i = 0; i < 4; i++) {
		piped_feed(f, 20000);
		assert_int_equal(piped_splice(f, 20000), i < 3 ? 20000 : -ENOTSUP);
	}
	assert_int_equal(piped_copy(f, 20000), 0);
	assert_in_range(path_stats(f->from)->space_max, 1, 3);
	path_pause(f->to, false);
	piped_run(f);
	piped_compare(f);
	assert_int_equal(f->checked, 60000);
}

static void what_is_no_data(void **state)
{
	struct piped *f = *state;

	piped_open(f, 1024);
	assert_int_equal(path_data_splice(f->from, f->source[1], 1000), -EAGAIN);
	close(f->source[0]);
	assert_int_equal(path_data_splice(f->from, f->source[1], 1000), 0);
	f->source[0] = dup(f->source[1]);
	assert_int_equal(path_data_splice(f->from, -1, 1000), -EBADF);
	for (int i = 0; i < 10; i++)
		uv_run(&f->loop, UV_RUN_NOWAIT);
	assert_int_equal(path_stats(f->to)->packets_in, 0);
	assert_false(f->down);
}

#define PIPES_TEST(name) cmocka_unit_test_setup_teardown(name, piped_set_up, piped_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PIPES_TEST(mixed),
		PIPES_TEST(statistics),
		PIPES_TEST(many_packets_worth),
		PIPES_TEST(part_of_a_pipe),
		PIPES_TEST(nobody_takes_it),
		PIPES_TEST(sender_closes),
		PIPES_TEST(receiver_closes),
		PIPES_TEST(message_limit),
		PIPES_TEST(space_limit),
		PIPES_TEST(what_is_no_data),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
