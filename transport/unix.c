/* SPDX-License-Identifier: Apache-2.0 */
/* unix.c - the transport over a UNIX socket: SOCK_SEQPACKET, one packet a message */
#include <errno.h>
#include <stdlib.h>

#include "transport/choice.h"
#include "transport/seqpacket.h"
#include "transport/listen-socket.h"
#include "transport/unix-stream.h"

struct unix_connect {
	uv_timer_t timer; /* delivers the result from the loop */
	struct seqpacket_conn *conn;
	int status;
	transport_connected_cb cb;
	void *data;
};

static void unix_describe(struct transport_conn *base, struct transport_peer *out)
{
	socket_describe(((struct seqpacket_conn *)base)->fd, out);
}

static int on_accept(struct socket_listener *listener, int fd)
{
	struct seqpacket_conn *conn;
	int rc = seqpacket_create(listener->poll.loop, &transport_unix, fd, listener->where.mtu,
				  &conn);

	if (!rc)
		listener->base.on_connection(&listener->base, &conn->base);
	return rc;
}

static int unix_listen(uv_loop_t *loop, const struct transport_where *where,
		       struct transport_listener **out)
{
	struct socket_listener *listener;
	int rc;

	if (unix_stream_wanted(&where->settings))
		return unix_stream_listen(loop, where, out);
	listener = calloc(1, sizeof(*listener));
	if (!listener)
		return -ENOMEM;
	listener->base.transport = &transport_unix;
	listener->on_accept = on_accept;
	rc = socket_listen(loop, where, listener);
	if (!rc)
		*out = &listener->base;
	return rc;
}

static void unix_stop(struct transport_listener *base)
{
	socket_stop((struct socket_listener *)base);
}

static void on_connect_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void on_connect_done(uv_timer_t *timer)
{
	struct unix_connect *request = timer->data;

	request->cb(request->data, request->status, request->conn ? &request->conn->base : NULL);
	uv_close((uv_handle_t *)timer, on_connect_closed);
}

static int unix_connect(uv_loop_t *loop, const struct transport_where *where,
			transport_connected_cb cb, void *data)
{
	struct unix_connect *request;
	int fd;

	if (unix_stream_wanted(&where->settings))
		return unix_stream_connect(loop, where, cb, data);
	request = calloc(1, sizeof(*request));
	if (!request)
		return -ENOMEM;
	fd = socket_connect(where->path);
	if (fd == -ENAMETOOLONG) {
		free(request);
		return fd;
	}
	request->status =
		fd < 0 ? fd
		       : seqpacket_create(loop, &transport_unix, fd, where->mtu, &request->conn);
	request->cb = cb;
	request->data = data;
	uv_timer_init(loop, &request->timer);
	request->timer.data = request;
	uv_timer_start(&request->timer, on_connect_done, 0, 0);
	return 0;
}

const struct transport transport_unix = {
	.name = "unix",
	.keys = UNIX_STREAM_KEYS,
	.check = unix_stream_check,
	.pretends_iucv = true,
	.batch = 8,
	.listen = unix_listen,
	.stop = unix_stop,
	.connect = unix_connect,
	.send = seqpacket_send,
	.receive = seqpacket_receive,
	.release = seqpacket_release,
	.watch = seqpacket_watch,
	.credit = seqpacket_credit,
	.close = seqpacket_close,
	.describe = unix_describe,
};
