/* SPDX-License-Identifier: Apache-2.0 */
/* relay.c - a plain libuv relay between a UNIX socket and TCP, to compare with */

/*
 *	relay PATH PORT    listens at a UNIX socket, connects to a port of 127.0.0.1; says "ready"
 *	relay PORT PATH    the other way round; PORT 0 is an unused one, and it says "port N"
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
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

static struct sockaddr_in addr; /* of the side that is TCP */
static const char *path;        /* of the other one */
static bool inward;             /* from TCP to the UNIX socket */

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

	/* Nothing came (EAGAIN). To write nothing fails where the other end has been closed. */
	if (n == 0)
		return;
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
	uv_tcp_nodelay(inward ? &pair->near.tcp : &pair->far.tcp, 1);
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

static void init_end(struct pair *pair, struct end *end, struct end *other, bool tcp)
{
	if (tcp)
		uv_tcp_init(uv_default_loop(), &end->tcp);
	else
		uv_pipe_init(uv_default_loop(), &end->pipe, 0);
	end->stream.data = end;
	end->pair = pair;
	end->other = other;
}

static int connect_far(struct pair *pair)
{
	int fd;

	if (inward) {
		uv_pipe_connect(&pair->connect, &pair->far.pipe, path, on_connected);
		return 0;
	}
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || uv_tcp_open(&pair->far.tcp, fd))
		return -1;
	choose_cubic(&pair->far.tcp);
	return uv_tcp_connect(&pair->connect, &pair->far.tcp, (struct sockaddr *)&addr,
			      on_connected);
}

static void on_connection(uv_stream_t *listener, int status)
{
	struct pair *pair = malloc(sizeof(*pair));

	if (status < 0 || !pair) {
		free(pair);
		return;
	}
	pair->ended = pair->closed = 0;
	init_end(pair, &pair->near, &pair->far, inward);
	init_end(pair, &pair->far, &pair->near, !inward);
	pair->connect.data = pair;
	if (uv_accept(listener, &pair->near.stream)) {
		end_pair(pair);
		return;
	}
	if (inward)
		choose_cubic(&pair->near.tcp);
	if (connect_far(pair))
		end_pair(pair);
}

static int listen_unix(uv_pipe_t *listener)
{
	int rc;

	unlink(path);
	uv_pipe_init(uv_default_loop(), listener, 0);
	rc = uv_pipe_bind(listener, path);
	if (!rc)
		rc = uv_listen((uv_stream_t *)listener, 1024, on_connection);
	if (!rc)
		puts("ready");
	return rc;
}

static int listen_tcp(uv_tcp_t *listener)
{
	int rc, len = sizeof(addr);

	uv_tcp_init(uv_default_loop(), listener);
	rc = uv_tcp_bind(listener, (struct sockaddr *)&addr, 0);
	if (!rc)
		rc = uv_listen((uv_stream_t *)listener, 1024, on_connection);
	if (!rc)
		rc = uv_tcp_getsockname(listener, (struct sockaddr *)&addr, &len);
	if (!rc)
		printf("port %u\n", ntohs(addr.sin_port));
	return rc;
}

int main(int argc, char **argv)
{
	uv_tcp_t tcp;
	uv_pipe_t pipe;
	const char *port;
	int rc;

	signal(SIGPIPE, SIG_IGN); /* libuv does not */
	if (argc == 3) {
		inward = !strchr(argv[1], '/');
		port = argv[inward ? 1 : 2];
		path = argv[inward ? 2 : 1];
	}
	if (argc != 3 || uv_ip4_addr("127.0.0.1", (int)strtoul(port, NULL, 10), &addr)) {
		fputs("usage: relay PATH PORT | relay PORT PATH\n", stderr);
		return 64;
	}
	rc = inward ? listen_tcp(&tcp) : listen_unix(&pipe);
	if (rc) {
		fprintf(stderr, "relay: cannot listen at %s: %s\n", argv[1], uv_strerror(rc));
		return 1;
	}
	fflush(stdout);
	return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
