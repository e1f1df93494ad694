/* SPDX-License-Identifier: Apache-2.0 */
/* test-path-pipes.c - over `local` data goes by reference: complete, in order, counted and traced
 * as copied data is */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/transport/descriptors.h"
#include "transport/choice.h"
#include "transport/path.h"
#include "transport/pipes.h"

#define MTU        8192u
#define LARGE      65536u
#define PIECE_HEAD (LFP_PACKET_HEADER + LFP_DATA_OVERHEAD)

/* `from` sends what comes out of a socket; `to` puts what comes into another one. */
struct fixture {
	uv_loop_t loop;
	struct transport_listener *listener;
	struct transport_conn *conns[2];
	struct path *from, *to;
	int source[2], sink[2];
	uint64_t fed, sent, arrived, checked; /* bytes */
	unsigned int frames, pipes, windows;
	bool ignores; /* `to` does not take pipes */
	bool wrong;   /* a frame was not at its position */
	bool down;
	int error;
	uint64_t tapped[2]; /* bytes of packets: in, out */
	uint64_t seen[2];   /* bytes of data that a tap has compared */
	struct path_tap tap;
};

static uint8_t pattern(uint64_t position)
{
	return (uint8_t)(position * 2654435761u >> 13);
}

static int on_frame(struct path *path, const struct lfp_frame *frame, const char **why)
{
	struct fixture *f = path_data(path);
	struct held_pipe *pipe;

	(void)why;
	f->windows += frame->code == LFP_WINDOW;
	if (frame->code != LFP_DATA)
		return 0;
	f->frames++;
	f->wrong |= frame->data.position != f->arrived;
	f->arrived += frame->data.payload.len;
	if (f->ignores)
		return 0;
	pipe = path_take_pipe(path);
	assert_null(path_take_pipe(path));
	if (pipe) {
		f->pipes++;
		assert_int_equal(pipe->held, frame->data.payload.len);
		assert_int_equal(pipe_drain(pipe, f->sink[0], false), frame->data.payload.len);
		pipe_put(pipe);
	} else {
		assert_int_equal(
			write(f->sink[0], frame->data.payload.ptr, frame->data.payload.len),
			frame->data.payload.len);
	}
	return 0;
}

static void on_ready(struct path *path)
{
	(void)path;
}

static void on_down(struct path *path, int error, const char *why)
{
	struct fixture *f = path_data(path);

	(void)why;
	f->down = true;
	f->error = error;
}

static const struct path_ops ops = {.on_frame = on_frame, .on_ready = on_ready, .on_down = on_down};

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	((struct fixture *)listener->data)->conns[1] = conn;
}

static void on_connected(void *data, int status, struct transport_conn *conn)
{
	assert_int_equal(status, 0);
	((struct fixture *)data)->conns[0] = conn;
}

static int setup(void **state)
{
	const struct transport_where where = {.name = "LINR02", .mtu = MTU, .msglimit = 10};
	struct fixture *f = calloc(1, sizeof(*f));

	uv_loop_init(&f->loop);
	assert_int_equal(transport_local.listen(&f->loop, &where, &f->listener), 0);
	f->listener->data = f;
	f->listener->on_connection = on_connection;
	assert_int_equal(transport_local.connect(&f->loop, &where, on_connected, f), 0);
	while (!f->conns[0] || !f->conns[1])
		uv_run(&f->loop, UV_RUN_ONCE);
	f->from = path_create(&f->loop, f->conns[0], LFP_FROM_LFPD, MTU, &ops, f);
	f->to = path_create(&f->loop, f->conns[1], LFP_FROM_VSE, MTU, &ops, f);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, f->source), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, f->sink), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	if (f->from)
		path_close(f->from, NULL);
	if (f->to)
		path_close(f->to, NULL);
	transport_local.stop(f->listener);
	uv_run(&f->loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&f->loop), 0);
	for (int i = 0; i < 2; i++) {
		close(f->source[i]);
		close(f->sink[i]);
	}
	free(f);
	return 0;
}

static void open_paths(struct fixture *f, uint32_t msglimit)
{
	assert_int_equal(path_open(f->from, MTU, msglimit), 0);
	assert_int_equal(path_open(f->to, MTU, msglimit), 0);
}

/* Puts @len bytes of the pattern where `from` reads. */
static void feed(struct fixture *f, size_t len)
{
	uint8_t bytes[LARGE];

	assert_true(len <= sizeof(bytes));
	for (size_t i = 0; i < len; i++)
		bytes[i] = pattern(f->fed + i);
	assert_int_equal(write(f->source[0], bytes, len), len);
	f->fed += len;
}

/* Returns the bytes that have gone into a pipe, or a negative errno. */
static ssize_t splice_some(struct fixture *f, size_t want)
{
	ssize_t n = path_data_splice(f->from, f->source[1], want);

	if (n > 0) {
		path_data_spliced(f->from, 1, f->sent, 0);
		f->sent += (uint64_t)n;
	}
	return n;
}

/* Returns the number of bytes that were copied, 0 if the path takes none. */
static size_t copy_some(struct fixture *f, size_t want)
{
	uint8_t *at;
	ssize_t n;

	want = path_data_reserve(f->from, want, &at);
	if (!want)
		return 0;
	n = read(f->source[1], at, want);
	path_data_commit(f->from, 1, f->sent, n > 0 ? (size_t)n : 0, 0);
	f->sent += n > 0 ? (uint64_t)n : 0;
	return n > 0 ? (size_t)n : 0;
}

static void compare(struct fixture *f)
{
	uint8_t bytes[LARGE];
	ssize_t n;

	while ((n = read(f->sink[1], bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n; i++)
			assert_int_equal(bytes[i], pattern(f->checked++));
}

static void run_until_arrived(struct fixture *f)
{
	for (int i = 0; f->arrived < f->sent && !f->down; i++) {
		assert_in_range(i, 0, 1000);
		uv_run(&f->loop, UV_RUN_NOWAIT);
	}
}

static void mixed(void **state)
{
	struct fixture *f = *state;
	struct lfp_frame window = {.code = LFP_WINDOW, .sock = 1, .window.consumed = 5};
	unsigned int spliced = 0, copied = 0, windows = 0;

	open_paths(f, 1024);
	srand(1);
	for (int round = 0; round < 2000; round++) {
		int what = rand() % 4;

		feed(f, 1 + (size_t)rand() % (round % 2 ? LARGE : 100));
		while (f->sent < f->fed) {
			size_t before = (size_t)f->sent;

			if (what && splice_some(f, 1 + (size_t)rand() % LARGE) > 0)
				spliced++;
			else if (copy_some(f, 1 + (size_t)rand() % 20000))
				copied++;
			if (what == 1 && !path_send(f->from, &window))
				windows++;
			if (f->sent == before)
				uv_run(&f->loop, UV_RUN_NOWAIT);
			what = rand() % 4;
		}
		run_until_arrived(f);
		compare(f);
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
	struct fixture *f = *state;
	const struct path_stats *out, *in;

	open_paths(f, 1024);
	feed(f, 50000);
	assert_int_equal(splice_some(f, 30000), 30000);
	assert_int_equal(splice_some(f, 20000), 20000);
	feed(f, 5000);
	assert_int_equal(copy_some(f, 5000), 5000);
	path_flush(f->from);
	run_until_arrived(f);
	out = path_stats(f->from);
	in = path_stats(f->to);
	assert_int_equal(out->bytes_out, 55000 + 3 * PIECE_HEAD);
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

/* Lets @fd send @len bytes that nobody has read yet. */
static void make_room(int fd, int len)
{
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &len, sizeof(len)), 0);
}

/* Feeds a pipe's bytes. */
static void feed_all(struct fixture *f)
{
	make_room(f->source[0], PIPE_BYTES);
	make_room(f->sink[0], PIPE_BYTES);
	for (size_t done = 0; done < PIPE_BYTES; done += LARGE)
		feed(f, LARGE);
}

/* Moves as much as a pipe carries. That is less if the kernel had no large pages for the data. */
static size_t splice_all(struct fixture *f)
{
	ssize_t n = splice_some(f, 2 * PIPE_BYTES);

	assert_in_range(n, PIPE_BYTES / 2, PIPE_BYTES);
	return (size_t)n;
}

/* One frame carries what a pipe carries, whatever the MTU is, and counts as one. */
static void many_packets_worth(void **state)
{
	struct fixture *f = *state;
	const struct path_stats *in;
	size_t len;

	open_paths(f, 1);
	feed_all(f);
	len = splice_all(f);
	run_until_arrived(f);
	assert_int_equal(f->pipes, 1);
	assert_int_equal(f->frames, 1);
	in = path_stats(f->to);
	assert_int_equal(in->bytes_in, len + PIECE_HEAD);
	assert_int_equal(in->packets_in, 1);
	assert_int_equal(in->data_in, 1);
	assert_int_equal(in->spliced_in, len);
	assert_int_equal(path_stats(f->from)->outstanding_max, 1);
	compare(f);
	assert_int_equal(f->checked, len);
	assert_false(f->down);
}

/* The part of a pipe that a window lets pass goes by reference; so does the rest, later. */
static void part_of_a_pipe(void **state)
{
	struct fixture *f = *state;
	struct held_pipe *pipe = pipe_get();
	ssize_t len;

	open_paths(f, 1024);
	feed_all(f);
	len = pipe_fill(pipe, f->source[1], PIPE_BYTES);
	assert_in_range(len, PIPE_BYTES / 2, PIPE_BYTES);
	for (size_t left = (size_t)len, n; left; left -= n) {
		n = path_data_pass(f->from, pipe, 100000, 1, f->sent);
		assert_int_equal(n, left < 100000 ? left : 100000);
		f->sent += n;
		assert_true(n == left || pipe->held == left - n);
		run_until_arrived(f);
		compare(f);
	}
	assert_int_equal(f->pipes, (len + 99999) / 100000);
	assert_int_equal(f->checked, len);
	assert_false(f->wrong);
}

static void on_packet(void *data, struct path *path, bool sent, const uint8_t *packet, size_t len,
		      size_t there)
{
	struct fixture *f = data;
	struct lfp_frame head;

	(void)path;
	f->tapped[sent] += len;
	if (len < PIECE_HEAD)
		return;
	(void)lfp_frame_head(packet + LFP_PACKET_HEADER, &head);
	if (head.code != LFP_DATA)
		return;
	assert_in_range(there, PIECE_HEAD, len);
	for (size_t i = PIECE_HEAD; i < there; i++)
		assert_int_equal(packet[i], pattern(f->seen[sent]++));
}

static void tap_of_headers(void **state)
{
	struct fixture *f = *state;

	f->tap = (struct path_tap){.packet = on_packet, .data = f};
	path_set_tap(f->from, &f->tap);
	path_set_tap(f->to, &f->tap);
	open_paths(f, 1024);
	feed(f, 30000);
	assert_int_equal(splice_some(f, 30000), 30000);
	run_until_arrived(f);
	assert_int_equal(f->tapped[true], 30000 + PIECE_HEAD);
	assert_int_equal(f->tapped[false], 30000 + PIECE_HEAD);
	assert_int_equal(f->seen[true] + f->seen[false], 0);
	assert_int_equal(f->pipes, 1);
	compare(f);
	assert_int_equal(f->checked, 30000);
}

static void tap_of_payload_prevents_pipes(void **state)
{
	struct fixture *f = *state;

	f->tap = (struct path_tap){.packet = on_packet, .data = f, .payload = true};
	path_set_tap(f->from, &f->tap);
	open_paths(f, 1024);
	feed(f, 30000);
	assert_int_equal(splice_some(f, 30000), -ENOTSUP);
	f->tap.packet = NULL;
	assert_int_equal(splice_some(f, 30000), 30000);
}

/* One that begins while packets with pipes are under way sees all their bytes, on both sides. */
static void tap_of_payload_begins(void **state)
{
	struct fixture *f = *state;

	path_limit_space(f->from, MTU, 16 * MTU);
	open_paths(f, 1024);
	for (int i = 0; i < 5; i++) {
		feed(f, 40000);
		assert_int_equal(splice_some(f, 40000), 40000);
	}
	/* There is room for 128 KiB on the way, so the last packets wait on the side that sends. */
	f->tap = (struct path_tap){.packet = on_packet, .data = f, .payload = true};
	path_set_tap(f->to, &f->tap);
	run_until_arrived(f);
	assert_int_equal(f->seen[false], 200000);
	assert_int_equal(f->pipes, 5);
	compare(f);
	assert_int_equal(f->checked, 200000);
}

/* It sees all bytes of a piece that is larger than any packet. */
static void tap_of_a_large_payload(void **state)
{
	struct fixture *f = *state;
	size_t len;

	open_paths(f, 1024);
	feed_all(f);
	len = splice_all(f);
	f->tap = (struct path_tap){.packet = on_packet, .data = f, .payload = true};
	path_set_tap(f->to, &f->tap);
	run_until_arrived(f);
	assert_int_equal(f->seen[false], len);
	compare(f);
	assert_int_equal(f->checked, len);
}

static void tap_of_payload_at_the_sender(void **state)
{
	struct fixture *f = *state;

	path_limit_space(f->from, MTU, 16 * MTU);
	open_paths(f, 1024);
	path_pause(f->to, true);
	for (int i = 0; i < 5; i++) {
		feed(f, 40000);
		assert_int_equal(splice_some(f, 40000), 40000);
	}
	/* 128 KiB are on the way, and one more packet was offered to the transport before. */
	f->tap = (struct path_tap){.packet = on_packet, .data = f, .payload = true};
	f->seen[true] = f->sent - (path_stats(f->from)->queued - 1) * UINT64_C(40000);
	assert_true(f->seen[true] < f->sent);
	path_set_tap(f->from, &f->tap);
	path_pause(f->to, false);
	run_until_arrived(f);
	assert_int_equal(f->seen[true], f->sent);
	compare(f);
	assert_int_equal(f->checked, f->sent);
}

static void nobody_takes_it(void **state)
{
	struct fixture *f = *state;
	unsigned int before;

	open_paths(f, 1024);
	f->ignores = true;
	for (int i = 0; i < 10; i++) {
		feed(f, 30000);
		assert_int_equal(splice_some(f, 30000), 30000);
		before = descriptors();
		run_until_arrived(f);
		/* Its bytes are lost with it, so the pipe is closed. */
		assert_int_equal(descriptors(), before - 2);
	}
	f->ignores = false;
	f->checked = f->fed;
	feed(f, 30000);
	assert_int_equal(splice_some(f, 30000), 30000);
	run_until_arrived(f);
	compare(f);
	assert_int_equal(f->checked, f->fed);
}

static void close_side(struct fixture *f, struct path **side, struct path **other)
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

static void close_with_pipes_in_flight(struct fixture *f, struct path **side, struct path **other)
{
	unsigned int before = descriptors(), during;

	open_paths(f, 1024);
	path_pause(f->to, true);
	for (int i = 0; i < 5; i++) {
		feed(f, 20000);
		if (splice_some(f, 20000) != 20000)
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
	struct fixture *f = *state;

	close_with_pipes_in_flight(f, &f->from, &f->to);
}

static void receiver_closes(void **state)
{
	struct fixture *f = *state;

	close_with_pipes_in_flight(f, &f->to, &f->from);
}

static void message_limit(void **state)
{
	struct fixture *f = *state;

	open_paths(f, 2);
	for (int i = 0; i < 3; i++) {
		feed(f, 20000);
		assert_int_equal(splice_some(f, 20000), i < 2 ? 20000 : -ENOTSUP);
	}
	assert_int_equal(path_stats(f->from)->outstanding, 2);
	assert_int_equal(copy_some(f, 20000), 0);
	run_until_arrived(f);
	path_flush(f->to);
	for (int i = 0; splice_some(f, 20000) != 20000; i++) {
		assert_in_range(i, 0, 1000000);
		uv_run(&f->loop, UV_RUN_NOWAIT);
	}
	run_until_arrived(f);
	compare(f);
	assert_int_equal(f->checked, 60000);
	assert_int_equal(path_stats(f->from)->outstanding_max, 2);
}

/* A packet with a pipe takes a packet's space. */
static void space_limit(void **state)
{
	struct fixture *f = *state;

	path_limit_space(f->from, MTU, 3 * MTU);
	open_paths(f, 1024);
	path_pause(f->to, true);
	for (int i = 0; i < 4; i++) {
		feed(f, 20000);
		assert_int_equal(splice_some(f, 20000), i < 3 ? 20000 : -ENOTSUP);
	}
	assert_int_equal(copy_some(f, 20000), 0);
	assert_in_range(path_stats(f->from)->space_max, 1, 3);
	path_pause(f->to, false);
	run_until_arrived(f);
	compare(f);
	assert_int_equal(f->checked, 60000);
}

static void what_is_no_data(void **state)
{
	struct fixture *f = *state;

	open_paths(f, 1024);
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

#define PIPES_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PIPES_TEST(mixed),
		PIPES_TEST(statistics),
		PIPES_TEST(many_packets_worth),
		PIPES_TEST(part_of_a_pipe),
		PIPES_TEST(tap_of_headers),
		PIPES_TEST(tap_of_payload_prevents_pipes),
		PIPES_TEST(tap_of_payload_begins),
		PIPES_TEST(tap_of_a_large_payload),
		PIPES_TEST(tap_of_payload_at_the_sender),
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
