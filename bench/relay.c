/* SPDX-License-Identifier: Apache-2.0 */
/* relay.c - a plain libuv relay, to compare with: relay PATH PORT, from a UNIX socket to 127.0.0.1
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

/*
 * A straightforward, good program with libuv's streams: a buffer of 64 KB for each direction of a
 * connection, uv_try_write() first, and reading stops while a rest is written.
 */

#define ROOM 65536

struct end {
	union {
		uv_stream_t stream;
		uv_pipe_t pipe;
		uv_tcp_t tcp;
	};
	struct pair *pair;
	struct end *other;
	uv_write_t write; /* of what was read here to the other end */
	uv_shutdown_t shutdown;
	char room[ROOM];
};

struct pair {
	struct end near, far;
	uv_connect_t connect;
	int ended, closed;
};

static struct sockaddr_in target;

static void on_closed(uv_handle_t *handle)
{
	struct pair *pair = ((struct end *)handle->data)->pair;

	if (++pair->closed == 2)
		free(pair);
}

static void end_pair(struct pair *pair)
{
	if (uv_is_closing((uv_handle_t *)&pair->near.stream))
		return;
	uv_close((uv_handle_t *)&pair->near.stream, on_closed);
	uv_close((uv_handle_t *)&pair->far.stream, on_closed);
}

static void give_room(uv_handle_t *handle, size_t size, uv_buf_t *buf)
{
	struct end *end = handle->data;

	(void)size;
	*buf = uv_buf_init(end->room, ROOM);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf);

static void on_written(uv_write_t *write, int status)
{
	struct end *end = write->data;

	if (status < 0)
		end_pair(end->pair);
	else if (!uv_is_closing((uv_handle_t *)&end->stream))
		uv_read_start(&end->stream, give_room, on_read);
}

static void on_shutdown(uv_shutdown_t *shutdown, int status)
{
	(void)shutdown;
	(void)status;
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
	struct end *end = stream->data;
	uv_buf_t rest;
	int rc;

	if (n == UV_EOF && ++end->pair->ended < 2) {
		uv_shutdown(&end->shutdown, &end->other->stream, on_shutdown);
		return;
	}
	if (n < 0) {
		end_pair(end->pair);
		return;
	}
	rest = uv_buf_init(buf->base, (unsigned int)n);
	rc = uv_try_write(&end->other->stream, &rest, 1);
	if (rc < 0 && rc != UV_EAGAIN) {
		end_pair(end->pair);
		return;
	}
	if (rc > 0) {
		rest.base += rc;
		rest.len -= (size_t)rc;
	}
	if (!rest.len)
		return;
	uv_read_stop(stream);
	end->write.data = end;
	uv_write(&end->write, &end->other->stream, &rest, 1, on_written);
}

static void on_connected(uv_connect_t *connect, int status)
{
	struct pair *pair = connect->data;

	if (status < 0) {
		end_pair(pair);
		return;
	}
	uv_tcp_nodelay(&pair->far.tcp, 1);
	uv_read_start(&pair->near.stream, give_room, on_read);
	uv_read_start(&pair->far.stream, give_room, on_read);
}

/* As all others in this comparison: BBR paces with timers even on loopback. */
static void choose_cubic(const uv_tcp_t *tcp)
{
	uv_os_fd_t fd;

	if (!uv_fileno((const uv_handle_t *)tcp, &fd))
		(void)setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
}

static void on_connection(uv_stream_t *listener, int status)
{
	struct pair *pair = malloc(sizeof(*pair));

	if (status < 0 || !pair) {
		free(pair);
		return;
	}
	pair->ended = pair->closed = 0;
	uv_pipe_init(listener->loop, &pair->near.pipe, 0);
	uv_tcp_init_ex(listener->loop, &pair->far.tcp, AF_INET); /* with a socket at once */
	choose_cubic(&pair->far.tcp);
	pair->near.stream.data = &pair->near;
	pair->far.stream.data = &pair->far;
	pair->near.pair = pair->far.pair = pair;
	pair->near.other = &pair->far;
	pair->far.other = &pair->near;
	pair->connect.data = pair;
	if (uv_accept(listener, &pair->near.stream) ||
	    uv_tcp_connect(&pair->connect, &pair->far.tcp, (struct sockaddr *)&target,
			   on_connected))
		end_pair(pair);
}

int main(int argc, char **argv)
{
	uv_loop_t *loop = uv_default_loop();
	uv_pipe_t listener;

	signal(SIGPIPE, SIG_IGN); /* libuv does not */

	if (argc != 3 || uv_ip4_addr("127.0.0.1", (int)strtoul(argv[2], NULL, 10), &target)) {
		fputs("usage: relay PATH PORT\n", stderr);
		return 64;
	}
	unlink(argv[1]);
	uv_pipe_init(loop, &listener, 0);
	if (uv_pipe_bind(&listener, argv[1]) ||
	    uv_listen((uv_stream_t *)&listener, 1024, on_connection)) {
		fprintf(stderr, "relay: cannot listen at %s\n", argv[1]);
		return 1;
	}
	puts("ready");
	fflush(stdout);
	return uv_run(loop, UV_RUN_DEFAULT);
}
