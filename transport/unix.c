/* SPDX-License-Identifier: Apache-2.0 */
/* unix.c - the transport over a UNIX socket: SOCK_SEQPACKET, one packet a message */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/socket.h"

/*
 * Theory of operation
 *
 * sendmmsg() and recvmmsg() move several packets a call. Packets are received into room of the
 * connection's own: as many as fit into ROOM_BYTES, so that they stay in the processor's cache, and
 * at least two. If the owner does not take all that was received (it never does less than release
 * them) nothing is left here, so that the socket's readiness is all there is to wait for.
 */

#define SOCKET_BUFFER (256 * 1024) /* asked for; the kernel may give less */
#define PACKETS_MAX   16u
#define ROOM_BYTES    (128u * 1024u)

struct unix_conn {
	struct transport_conn base;
	uv_poll_t poll;
	int fd;
	unsigned int events;
	uint32_t mtu;
	unsigned int nr_rooms;
	uint8_t *rooms; /* nr_rooms times mtu bytes */
};

struct unix_connect {
	uv_timer_t timer; /* delivers the result from the loop */
	struct unix_conn *conn;
	int status;
	transport_connected_cb cb;
	void *data;
};

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct unix_conn *conn = poll->data;

	/* An error on the socket is learnt by receiving. libuv has then stopped the handle. */
	if (status < 0) {
		conn->events = 0;
		conn->base.on_readable(&conn->base);
		return;
	}
	if ((events & UV_WRITABLE) && (conn->events & TRANSPORT_WRITE))
		conn->base.on_writable(&conn->base);
	/* on_writable() may have closed the connection, which clears events. */
	if ((events & UV_READABLE) && (conn->events & TRANSPORT_READ))
		conn->base.on_readable(&conn->base);
}

static void unix_watch(struct transport_conn *base, unsigned int events)
{
	struct unix_conn *conn = (struct unix_conn *)base;
	int wanted = 0;

	if (events == conn->events)
		return;
	conn->events = events;
	if (events & TRANSPORT_READ)
		wanted |= UV_READABLE;
	if (events & TRANSPORT_WRITE)
		wanted |= UV_WRITABLE;
	if (wanted)
		uv_poll_start(&conn->poll, wanted, on_poll);
	else
		uv_poll_stop(&conn->poll);
}

/* Make a connection of @fd, which is owned by it, or closed on failure. */
static int conn_create(uv_loop_t *loop, int fd, uint32_t mtu, struct unix_conn **out)
{
	struct unix_conn *conn = calloc(1, sizeof(*conn));
	int size = SOCKET_BUFFER, rc = -ENOMEM;

	if (!conn)
		goto error;
	conn->mtu = mtu;
	conn->nr_rooms = ROOM_BYTES / mtu < 2 ? 2 : ROOM_BYTES / mtu;
	if (conn->nr_rooms > PACKETS_MAX)
		conn->nr_rooms = PACKETS_MAX;
	conn->rooms = malloc((size_t)conn->nr_rooms * mtu);
	if (!conn->rooms)
		goto error;
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	conn->base.transport = &transport_unix;
	conn->fd = fd;
	conn->poll.data = conn;
	rc = uv_poll_init(loop, &conn->poll, fd);
	if (rc)
		goto error;
	*out = conn;
	return 0;

error:
	close(fd);
	if (conn)
		free(conn->rooms);
	free(conn);
	return rc;
}

static void on_conn_closed(uv_handle_t *handle)
{
	struct unix_conn *conn = handle->data;

	if (conn->base.on_closed)
		conn->base.on_closed(&conn->base);
	free(conn->rooms);
	free(conn);
}

static void unix_close(struct transport_conn *base)
{
	struct unix_conn *conn = (struct unix_conn *)base;

	conn->events = 0;
	uv_poll_stop(&conn->poll);
	close(conn->fd);
	conn->fd = -1;
	uv_close((uv_handle_t *)&conn->poll, on_conn_closed);
}

static int unix_send(struct transport_conn *base, struct packet **packets, unsigned int nr)
{
	struct unix_conn *conn = (struct unix_conn *)base;
	struct mmsghdr messages[PACKETS_MAX] = {0};
	struct iovec parts[PACKETS_MAX];
	int n;

	if (nr > PACKETS_MAX)
		nr = PACKETS_MAX;
	for (unsigned int i = 0; i < nr; i++) {
		parts[i] = (struct iovec){packets[i]->buf, packets[i]->len};
		messages[i].msg_hdr.msg_iov = &parts[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	do
		n = sendmmsg(conn->fd, messages, nr, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	/* ENOBUFS is memory pressure of the moment, as EAGAIN is. */
	if (n < 0 && (errno == EAGAIN || errno == ENOBUFS))
		n = 0;
	if (n < 0)
		return -errno;
	base->counts.calls_out += n > 0;
	base->counts.full += (unsigned int)n < nr;
	return n;
}

static int unix_receive(struct transport_conn *base, struct iovec *packets, unsigned int max)
{
	struct unix_conn *conn = (struct unix_conn *)base;
	struct mmsghdr messages[PACKETS_MAX] = {0};
	int n;

	if (max > conn->nr_rooms)
		max = conn->nr_rooms;
	for (unsigned int i = 0; i < max; i++) {
		packets[i] = (struct iovec){conn->rooms + (size_t)i * conn->mtu, conn->mtu};
		messages[i].msg_hdr.msg_iov = &packets[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	do
		n = recvmmsg(conn->fd, messages, max, MSG_DONTWAIT | MSG_TRUNC, NULL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	/* The end of the connection looks like messages without a byte, behind the last one. */
	for (int i = 0; i < n; i++) {
		packets[i].iov_len = messages[i].msg_len;
		if (messages[i].msg_len > conn->mtu)
			return -EMSGSIZE;
		if (!messages[i].msg_len)
			n = i;
	}
	base->counts.calls_in += n > 0;
	return n;
}

static void unix_release(struct transport_conn *base)
{
	(void)base;
}

/* The kernel's buffer has the packets, not the peer: it cannot tell what was taken. */
static int64_t unix_credit(struct transport_conn *base)
{
	(void)base;
	return -ENOTSUP;
}

static void unix_describe(struct transport_conn *base, struct transport_peer *out)
{
	socket_describe(((struct unix_conn *)base)->fd, out);
}

static int on_accept(struct socket_listener *listener, int fd)
{
	struct unix_conn *conn;
	int rc = conn_create(listener->poll.loop, fd, listener->where.mtu, &conn);

	if (!rc)
		listener->base.on_connection(&listener->base, &conn->base);
	return rc;
}

static int unix_listen(uv_loop_t *loop, const struct transport_where *where,
		       struct transport_listener **out)
{
	struct socket_listener *listener = calloc(1, sizeof(*listener));
	int rc;

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
	struct unix_connect *request = calloc(1, sizeof(*request));
	int fd;

	if (!request)
		return -ENOMEM;
	fd = socket_connect(where->path);
	if (fd == -ENAMETOOLONG) {
		free(request);
		return fd;
	}
	request->status = fd < 0 ? fd : conn_create(loop, fd, where->mtu, &request->conn);
	request->cb = cb;
	request->data = data;
	uv_timer_init(loop, &request->timer);
	request->timer.data = request;
	uv_timer_start(&request->timer, on_connect_done, 0, 0);
	return 0;
}

const struct transport transport_unix = {
	.name = "unix",
	.pretends_iucv = true,
	.batch = 8,
	.listen = unix_listen,
	.stop = unix_stop,
	.connect = unix_connect,
	.send = unix_send,
	.receive = unix_receive,
	.release = unix_release,
	.watch = unix_watch,
	.credit = unix_credit,
	.close = unix_close,
	.describe = unix_describe,
};
