/* SPDX-License-Identifier: Apache-2.0 */
/* stream-listen.c - lfpd's end of a path on a stream socket: it listens, or dials again and again
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/passed.h"
#include "transport/stream-ends.h"

/*
 * Theory of operation
 *
 * A listener that dials looks to its owner like any other. It has at most one connection. When that
 * has ended, or could not be made, the timer starts the next attempt. The time between attempts
 * doubles up to RETRY_MAX_MS, and starts again with RETRY_MS after a connection that has lasted
 * RETRY_MAX_MS. So a peer that ends each connection at once costs one a second.
 */

#define RETRY_MS     50
#define RETRY_MAX_MS 1000

struct stream_listener {
	struct socket_listener socket; /* one that dials uses only base, where, timer and handles */
	const struct stream_kind *kind;
	bool dials;
	uv_loop_t *loop;
	struct dial *dial;            /* under way, or NULL */
	struct streamsock_conn *conn; /* that it has made, or NULL */
	uint64_t since;               /* of conn */
	unsigned int retry_ms;
};

static void dial_again(struct stream_listener *listener);

/* Returns 0 if the peer is the configured one; else tells the owner. */
static int admit(struct stream_listener *listener, int fd)
{
	const struct stream_kind *kind = listener->kind;
	struct transport_listener *base = &listener->socket.base;
	char why[TRANSPORT_WHY] = "";
	int rc = kind->admit ? kind->admit(&listener->socket.where, fd, why) : 0;

	if (rc && base->on_refused)
		base->on_refused(base, why);
	return rc;
}

/* Returns 0 or a negative errno. */
static int own(struct stream_listener *listener, int fd, struct streamsock_conn **out)
{
	int rc = admit(listener, fd);

	if (rc) {
		passed_close(fd);
		return rc;
	}
	return streamsock_create(listener->loop, listener->kind->transport, fd,
				 listener->socket.where.mtu, listener->kind->peeks, out);
}

static int on_accept(struct socket_listener *socket, int fd)
{
	struct streamsock_conn *conn;
	int rc = own((struct stream_listener *)socket, fd, &conn);

	if (!rc)
		socket->base.on_connection(&socket->base, &conn->base);
	return rc;
}

static void on_retry(uv_timer_t *timer)
{
	dial_again(timer->data);
}

static void retry_later(struct stream_listener *listener)
{
	uv_timer_start(&listener->socket.timer, on_retry, listener->retry_ms, 0);
	listener->retry_ms =
		listener->retry_ms * 2 < RETRY_MAX_MS ? listener->retry_ms * 2 : RETRY_MAX_MS;
}

static void tell_pause(struct stream_listener *listener, int error)
{
	struct socket_listener *socket = &listener->socket;

	if (socket->paused != (error != 0) && socket->base.on_pause)
		socket->base.on_pause(&socket->base, error);
	socket->paused = error != 0;
}

static void on_conn_closed(void *data)
{
	struct stream_listener *listener = data;

	listener->conn = NULL;
	uv_update_time(listener->loop);
	if (uv_now(listener->loop) - listener->since >= RETRY_MAX_MS)
		listener->retry_ms = RETRY_MS;
	retry_later(listener);
}

static void on_dialed(void *data, int rc, const char *why)
{
	struct stream_listener *listener = data;

	(void)why;
	listener->dial = NULL;
	if (rc >= 0)
		rc = own(listener, rc, &listener->conn);
	if (rc == -EACCES) { /* a refusal, which was told */
		retry_later(listener);
		return;
	}
	tell_pause(listener, rc);
	if (rc) {
		retry_later(listener);
		return;
	}
	uv_update_time(listener->loop);
	listener->since = uv_now(listener->loop);
	listener->conn->on_close = on_conn_closed;
	listener->conn->on_close_data = listener;
	listener->socket.base.on_connection(&listener->socket.base, &listener->conn->base);
}

static void dial_again(struct stream_listener *listener)
{
	char line[DIAL_LINE], why[TRANSPORT_WHY] = "";
	int rc = listener->kind->dial(&listener->socket.where, line, why);

	if (rc >= 0)
		rc = dial_start(listener->loop, rc, line, on_dialed, listener, &listener->dial);
	if (rc) {
		tell_pause(listener, rc);
		retry_later(listener);
	}
}

static int start_dialing(struct stream_listener *listener, const struct transport_where *where)
{
	struct socket_listener *socket = &listener->socket;

	socket->where = *where;
	socket->where.why = NULL;
	socket->where.path = socket->path;
	listener->retry_ms = RETRY_MS;
	uv_timer_init(listener->loop, &socket->timer);
	socket->timer.data = listener;
	socket->handles = 1;
	/* From the loop: the owner sets its callbacks first. */
	uv_timer_start(&socket->timer, on_retry, 0, 0);
	return 0;
}

int streamsock_listen(uv_loop_t *loop, const struct transport_where *where,
		      const struct stream_kind *kind, bool dials, struct transport_listener **out)
{
	struct stream_listener *listener = calloc(1, sizeof(*listener));
	char path[sizeof(listener->socket.path)] = "", why[TRANSPORT_WHY] = "";
	int rc;

	if (!listener)
		return -ENOMEM;
	listener->kind = kind;
	listener->dials = dials;
	listener->loop = loop;
	listener->socket.base.transport = kind->transport;
	listener->socket.on_accept = on_accept;
	if (dials) {
		rc = start_dialing(listener, where);
	} else {
		rc = kind->listen(where, path, why);
		if (rc < 0)
			free(listener);
		else
			rc = socket_listen_on(loop, where, rc, path, &listener->socket);
	}
	if (rc && *why && where->why)
		snprintf(where->why, TRANSPORT_WHY, "%s", why);
	if (!rc)
		*out = &listener->socket.base;
	return rc;
}

static void on_timer_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void streamsock_stop(struct transport_listener *base)
{
	struct stream_listener *listener = (struct stream_listener *)base;

	if (!listener->dials) {
		socket_stop(&listener->socket);
		return;
	}
	if (listener->dial)
		dial_cancel(listener->dial);
	/* The owner may keep the connection. */
	if (listener->conn)
		listener->conn->on_close = NULL;
	uv_close((uv_handle_t *)&listener->socket.timer, on_timer_closed);
}
