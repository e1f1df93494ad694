/* SPDX-License-Identifier: Apache-2.0 */
/* piped-path.c - two paths of `local`, over which the bytes of a socket go by reference */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/transport/piped-bytes.h"
#include "tests/transport/piped-path.h"
#include "transport/choice.h"
#include "transport/pipes.h"

static int on_frame(struct path *path, const struct lfp_frame *frame, const char **why)
{
	struct piped *f = path_data(path);
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
	struct piped *f = path_data(path);

	(void)why;
	f->down = true;
	f->error = error;
}

static const struct path_ops ops = {.on_frame = on_frame, .on_ready = on_ready, .on_down = on_down};

static void on_connection(struct transport_listener *listener, struct transport_conn *conn)
{
	((struct piped *)listener->data)->conns[1] = conn;
}

static void on_connected(void *data, int status, struct transport_conn *conn)
{
	assert_int_equal(status, 0);
	((struct piped *)data)->conns[0] = conn;
}

int piped_set_up(void **state)
{
	const struct transport_where where = {.name = "LINR02", .mtu = PIPED_MTU, .msglimit = 10};
	struct piped *f = calloc(1, sizeof(*f));

	uv_loop_init(&f->loop);
	assert_int_equal(transport_local.listen(&f->loop, &where, &f->listener), 0);
	f->listener->data = f;
	f->listener->on_connection = on_connection;
	assert_int_equal(transport_local.connect(&f->loop, &where, on_connected, f), 0);
	while (!f->conns[0] || !f->conns[1])
		uv_run(&f->loop, UV_RUN_ONCE);
	f->from = path_create(&f->loop, f->conns[0], LFP_FROM_LFPD, PIPED_MTU, &ops, f);
	f->to = path_create(&f->loop, f->conns[1], LFP_FROM_VSE, PIPED_MTU, &ops, f);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, f->source), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, f->sink), 0);
	*state = f;
	return 0;
}

int piped_tear_down(void **state)
{
	struct piped *f = *state;

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

void piped_open(struct piped *f, uint32_t msglimit)
{
	assert_int_equal(path_open(f->from, PIPED_MTU, msglimit), 0);
	assert_int_equal(path_open(f->to, PIPED_MTU, msglimit), 0);
}

void piped_feed(struct piped *f, size_t len)
{
	uint8_t bytes[PIPED_LARGE];

	assert_true(len <= sizeof(bytes));
	for (size_t i = 0; i < len; i++)
		bytes[i] = pattern_at(f->fed + i);
	assert_int_equal(write(f->source[0], bytes, len), len);
	f->fed += len;
}

ssize_t piped_splice(struct piped *f, size_t want)
{
	ssize_t n = path_data_splice(f->from, f->source[1], want);

	if (n > 0) {
		path_data_spliced(f->from, 1, f->sent, 0);
		f->sent += (uint64_t)n;
	}
	return n;
}

size_t piped_copy(struct piped *f, size_t want)
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

void piped_compare(struct piped *f)
{
	uint8_t bytes[PIPED_LARGE];
	ssize_t n;

	while ((n = read(f->sink[1], bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n; i++)
			assert_int_equal(bytes[i], pattern_at(f->checked++));
}

void piped_run(struct piped *f)
{
	for (int i = 0; f->arrived < f->sent && !f->down; i++) {
		assert_in_range(i, 0, 1000);
		uv_run(&f->loop, UV_RUN_NOWAIT);
	}
}

/* Lets @fd send @len bytes that nobody has read yet. */
static void make_room(int fd, int len)
{
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &len, sizeof(len)), 0);
}

void piped_feed_all(struct piped *f)
{
	make_room(f->source[0], PIPE_BYTES);
	make_room(f->sink[0], PIPE_BYTES);
	for (size_t done = 0; done < PIPE_BYTES; done += PIPED_LARGE)
		piped_feed(f, PIPED_LARGE);
}

size_t piped_splice_all(struct piped *f)
{
	ssize_t n = piped_splice(f, 2 * PIPE_BYTES);

	assert_in_range(n, PIPE_BYTES / 2, PIPE_BYTES);
	return (size_t)n;
}
