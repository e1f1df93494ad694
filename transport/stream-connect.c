/* SPDX-License-Identifier: Apache-2.0 */
/* stream-connect.c - the z/VSE side's end of a path on a stream socket: it dials, or waits for lfpd
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/passed.h"
#include "transport/stream-ends.h"

#define WAIT_MS 5000 /* for lfpd to dial */

struct stream_request {
	struct socket_listener socket; /* of one that waits; first, as it frees itself */
	const struct stream_kind *kind;
	uv_loop_t *loop;
	uv_timer_t patience;
	char why[TRANSPORT_WHY];
	char *where_why; /* may be NULL */
	bool over;
	struct dial *dial;
	transport_connected_cb cb;
	void *data;
};

static void tell_why(const struct stream_request *request)
{
	if (*request->why && request->where_why)
		snprintf(request->where_why, TRANSPORT_WHY, "%s", request->why);
}

/* Hands the socket @rc, or a negative errno, to the owner. */
static void finish(struct stream_request *request, int rc)
{
	struct streamsock_conn *conn = NULL;

	if (rc >= 0)
		rc = streamsock_create(request->loop, request->kind->transport, rc,
				       request->socket.where.mtu, request->kind->peeks, &conn);
	if (rc)
		tell_why(request);
	request->cb(request->data, rc, conn ? &conn->base : NULL);
}

static int admit(struct stream_request *request, int fd)
{
	const struct stream_kind *kind = request->kind;

	return kind->admit ? kind->admit(&request->socket.where, fd, request->why) : 0;
}

static void on_dialed(void *data, int rc, const char *why)
{
	struct stream_request *request = data;
	int refused = rc < 0 ? 0 : admit(request, rc);

	if (refused) {
		passed_close(rc);
		rc = refused;
	} else {
		snprintf(request->why, sizeof(request->why), "%s", why);
	}
	finish(request, rc);
	free(request);
}

/* Frees the request on failure. */
static int start_dialing(struct stream_request *request, const struct transport_where *where)
{
	char line[DIAL_LINE];
	int rc = request->kind->dial(where, line, request->why);

	request->socket.where = *where;
	if (rc >= 0)
		rc = dial_start(request->loop, rc, line, on_dialed, request, &request->dial);
	if (rc) {
		tell_why(request);
		free(request);
	}
	return rc;
}

static void on_patience_closed(uv_handle_t *handle)
{
	socket_listener_release(handle->data);
}

/* Ends the wait with a socket or a negative errno. */
static void end_wait(struct stream_request *request, int rc)
{
	request->over = true;
	uv_close((uv_handle_t *)&request->patience, on_patience_closed);
	socket_stop(&request->socket);
	finish(request, rc);
}

static void on_timeout(uv_timer_t *timer)
{
	struct stream_request *request = timer->data;

	if (!*request->why)
		snprintf(request->why, sizeof(request->why), "it has not connected for %d seconds",
			 WAIT_MS / 1000);
	end_wait(request, -ETIMEDOUT);
}

/* The first peer that may is the one. A refused one is the reason if no other comes. */
static int on_accept(struct socket_listener *socket, int fd)
{
	struct stream_request *request = (struct stream_request *)socket;
	int rc = request->over ? -ECONNABORTED : admit(request, fd);

	if (rc) {
		passed_close(fd);
		return rc;
	}
	end_wait(request, fd);
	return 0;
}

/* Frees the request on failure, as socket_listen_on() does. */
static int start_waiting(struct stream_request *request, const struct transport_where *where)
{
	struct socket_listener *socket = &request->socket;
	char path[sizeof(socket->path)] = "";
	int rc = request->kind->listen(where, path, request->why);

	if (rc < 0) {
		tell_why(request);
		free(request);
		return rc;
	}
	socket->base.transport = request->kind->transport;
	socket->on_accept = on_accept;
	rc = socket_listen_on(request->loop, where, rc, path, socket);
	if (rc)
		return rc;
	uv_timer_init(request->loop, &request->patience);
	request->patience.data = request;
	socket->handles++;
	uv_timer_start(&request->patience, on_timeout, WAIT_MS, 0);
	return 0;
}

int streamsock_connect(uv_loop_t *loop, const struct transport_where *where,
		       const struct stream_kind *kind, bool dials, transport_connected_cb cb,
		       void *data)
{
	struct stream_request *request = calloc(1, sizeof(*request));

	if (!request)
		return -ENOMEM;
	request->kind = kind;
	request->loop = loop;
	request->where_why = where->why;
	request->cb = cb;
	request->data = data;
	return dials ? start_dialing(request, where) : start_waiting(request, where);
}
