/* SPDX-License-Identifier: Apache-2.0 */
/* unix.c - the transport over a UNIX socket: SOCK_SEQPACKET, one packet a message */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/listen.h"
#include "lfp/places.h"
#include "transport/transport.h"

#define BACKLOG       16
#define PAUSE_MS      100
#define SOCKET_BUFFER (256 * 1024) /* asked for; the kernel may give less */

struct unix_conn {
	struct transport_conn base;
	uv_poll_t poll;
	int fd;
	unsigned int events;
};

struct unix_listener {
	struct transport_listener base;
	uv_poll_t poll;
	uv_timer_t timer; /* while accepting pauses */
	int fd;
	bool paused; /* for lack of descriptors */
	int handles; /* still to be closed by libuv */
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
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
static int conn_create(uv_loop_t *loop, int fd, struct unix_conn **out)
{
	struct unix_conn *conn = calloc(1, sizeof(*conn));
	int size = SOCKET_BUFFER, rc;

	if (!conn) {
		close(fd);
		return -ENOMEM;
	}
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	conn->base.transport = &transport_unix;
	conn->fd = fd;
	conn->poll.data = conn;
	rc = uv_poll_init(loop, &conn->poll, fd);
	if (rc) {
		close(fd);
		free(conn);
		return rc;
	}
	*out = conn;
	return 0;
}

static void on_conn_closed(uv_handle_t *handle)
{
	struct unix_conn *conn = handle->data;

	if (conn->base.on_closed)
		conn->base.on_closed(&conn->base);
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

static int unix_send(struct transport_conn *base, const uint8_t *packet, size_t len)
{
	struct unix_conn *conn = (struct unix_conn *)base;
	ssize_t n;

	do
		n = send(conn->fd, packet, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		return 0;
	/* ENOBUFS is memory pressure of the moment, as EAGAIN is. */
	return errno == ENOBUFS ? -EAGAIN : -errno;
}

static ssize_t unix_receive(struct transport_conn *base, uint8_t *buf, size_t room)
{
	struct unix_conn *conn = (struct unix_conn *)base;
	ssize_t n;

	do
		n = recv(conn->fd, buf, room, MSG_DONTWAIT | MSG_TRUNC);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n > room ? -EMSGSIZE : n;
}

/* The kernel's buffer has the packets, not the peer: it cannot tell what was taken. */
static int64_t unix_credit(struct transport_conn *base)
{
	(void)base;
	return -ENOTSUP;
}

static void unix_describe(struct transport_conn *base, struct transport_peer *out)
{
	struct unix_conn *conn = (struct unix_conn *)base;
	struct ucred cred;
	socklen_t len = sizeof(cred);

	memset(out, 0, sizeof(*out));
	if (getsockopt(conn->fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0) {
		out->has_ucred = true;
		out->pid = cred.pid;
		out->uid = cred.uid;
		out->gid = cred.gid;
		snprintf(out->text, sizeof(out->text), "process %d of user %u", (int)cred.pid,
			 (unsigned int)cred.uid);
	} else {
		snprintf(out->text, sizeof(out->text), "an unknown process");
	}
}

static void on_listener_poll(uv_poll_t *poll, int status, int events);

static void on_pause_over(uv_timer_t *timer)
{
	struct unix_listener *listener = timer->data;

	uv_poll_start(&listener->poll, UV_READABLE, on_listener_poll);
}

static bool lacks_resources(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

static void on_listener_poll(uv_poll_t *poll, int status, int events)
{
	struct unix_listener *listener = poll->data;
	struct unix_conn *conn;
	int fd, rc;

	(void)status;
	(void)events;
	fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0) {
		rc = -errno;
	} else {
		rc = conn_create(poll->loop, fd, &conn);
	}
	if (rc < 0 && lacks_resources(-rc)) {
		if (!listener->paused && listener->base.on_pause)
			listener->base.on_pause(&listener->base, rc);
		listener->paused = true;
		uv_poll_stop(poll);
		uv_timer_start(&listener->timer, on_pause_over, PAUSE_MS, 0);
		return;
	}
	if (rc < 0)
		return;
	if (listener->paused) {
		listener->paused = false;
		if (listener->base.on_pause)
			listener->base.on_pause(&listener->base, 0);
	}
	listener->base.on_connection(&listener->base, &conn->base);
}

static int unix_listen(uv_loop_t *loop, const struct transport_where *where,
		       struct transport_listener **out)
{
	struct unix_listener *listener = calloc(1, sizeof(*listener));
	int rc;

	if (!listener)
		return -ENOMEM;
	listener->base.transport = &transport_unix;
	rc = lfp_listen(where->path, SOCK_SEQPACKET, 0660, BACKLOG);
	if (rc < 0)
		goto error_free;
	listener->fd = rc;
	snprintf(listener->path, sizeof(listener->path), "%s", where->path);
	listener->poll.data = listener->timer.data = listener;
	rc = uv_poll_init(loop, &listener->poll, listener->fd);
	if (rc)
		goto error_close;
	uv_timer_init(loop, &listener->timer);
	listener->timer.data = listener;
	listener->handles = 2;
	uv_poll_start(&listener->poll, UV_READABLE, on_listener_poll);
	*out = &listener->base;
	return 0;

error_close:
	close(listener->fd);
	unlink(listener->path);
error_free:
	free(listener);
	return rc;
}

static void on_listener_closed(uv_handle_t *handle)
{
	struct unix_listener *listener = handle->data;

	if (--listener->handles == 0)
		free(listener);
}

static void unix_stop(struct transport_listener *base)
{
	struct unix_listener *listener = (struct unix_listener *)base;

	uv_poll_stop(&listener->poll);
	close(listener->fd);
	unlink(listener->path);
	uv_close((uv_handle_t *)&listener->poll, on_listener_closed);
	uv_close((uv_handle_t *)&listener->timer, on_listener_closed);
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
	struct sockaddr_un addr;
	int fd, rc = lfp_unix_addr(&addr, where->path);

	if (rc)
		return rc;
	request = calloc(1, sizeof(*request));
	if (!request)
		return -ENOMEM;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		request->status = -errno;
	} else if (connect(fd, (const struct sockaddr *)&addr, sizeof(addr))) {
		request->status = -errno;
		close(fd);
	} else {
		request->status = conn_create(loop, fd, &request->conn);
	}
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
	.listen = unix_listen,
	.stop = unix_stop,
	.connect = unix_connect,
	.send = unix_send,
	.receive = unix_receive,
	.watch = unix_watch,
	.credit = unix_credit,
	.close = unix_close,
	.describe = unix_describe,
};
