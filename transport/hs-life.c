/* SPDX-License-Identifier: Apache-2.0 */
/* hs-life.c - the transport hipersockets: a connection's handles, from its making to its end */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "transport/bell.h"
#include "transport/hs-inner.h"
#include "transport/passed.h"

static void ring_bell(void *data)
{
	struct hs_conn *conn = data;

	bell_ring(conn->peer_bell, &conn->base);
}

static void on_bell(uv_poll_t *poll, int status, int events)
{
	struct hs_conn *conn = poll->data;

	(void)status;
	(void)events;
	bell_hear(conn->bell, &conn->base);
}

static void on_socket(uv_poll_t *poll, int status, int events)
{
	struct hs_conn *conn = poll->data;

	(void)events;
	if (!bell_peer_is_gone(conn->fd, status))
		return;
	conn->gone = true;
	qdio_machine_peer_gone(&conn->port);
	uv_poll_stop(poll);
}

void hs_drop(struct packet_queue *queue)
{
	while (queue->first)
		free(packet_queue_shift(queue));
}

void hs_on_idle(uv_idle_t *idle)
{
	(void)idle;
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct hs_conn *conn = handle->data;

	if (--conn->handles)
		return;
	if (conn->base.on_closed)
		conn->base.on_closed(&conn->base);
	hs_drop(&conn->backlog);
	hs_drop(&conn->shown);
	qdio_segment_drop(&conn->segment);
	free(conn);
}

static void close_handle(struct hs_conn *conn, uv_handle_t *handle)
{
	handle->data = conn;
	uv_close(handle, on_handle_closed);
}

void hs_destroy(struct hs_conn *conn)
{
	int bells[] = {conn->bell, conn->peer_bell};

	conn->events = 0;
	/* The memory stays until the handles are closed: who calls may look at a packet in it. */
	close_handle(conn, (uv_handle_t *)&conn->socket);
	close_handle(conn, (uv_handle_t *)&conn->prepare);
	close_handle(conn, (uv_handle_t *)&conn->check);
	close_handle(conn, (uv_handle_t *)&conn->idle);
	close_handle(conn, (uv_handle_t *)&conn->timer);
	if (conn->state == HS_OPENING || conn->state == HS_OPEN)
		close_handle(conn, (uv_handle_t *)&conn->bells);
	conn->state = HS_CLOSED;
	passed_end(conn->fd);
	for (size_t i = 0; i < sizeof(bells) / sizeof(bells[0]); i++)
		if (bells[i] >= 0)
			close(bells[i]);
}

int hs_create(uv_loop_t *loop, int fd, const struct transport_where *where, struct hs_conn **out)
{
	struct hs_conn *conn = calloc(1, sizeof(*conn));
	int rc = -ENOMEM;

	if (conn)
		rc = uv_poll_init(loop, &conn->socket, fd);
	if (rc) {
		passed_close(fd);
		free(conn);
		return rc;
	}
	conn->base.transport = &transport_hipersockets;
	conn->where = *where;
	conn->limit = where->msglimit ? where->msglimit : HS_MSGLIMIT;
	if (conn->limit > UINT16_MAX)
		conn->limit = UINT16_MAX;
	packet_queue_init(&conn->backlog);
	packet_queue_init(&conn->shown);
	conn->fd = fd;
	conn->bell = conn->peer_bell = -1;
	uv_prepare_init(loop, &conn->prepare);
	uv_check_init(loop, &conn->check);
	uv_idle_init(loop, &conn->idle);
	uv_timer_init(loop, &conn->timer);
	conn->socket.data = conn->prepare.data = conn->check.data = conn->timer.data = conn;
	conn->handles = 5;
	*out = conn;
	return 0;
}

int hs_begin(struct hs_conn *conn)
{
	int rc = uv_poll_init(conn->socket.loop, &conn->bells, conn->bell);

	if (rc)
		return rc;
	conn->state = HS_OPENING;
	conn->port.data = conn;
	conn->port.interrupt = ring_bell;
	uv_poll_start(&conn->socket, UV_READABLE | UV_DISCONNECT, on_socket);
	conn->bells.data = conn;
	conn->handles++;
	uv_poll_start(&conn->bells, UV_READABLE, on_bell);
	uv_prepare_start(&conn->prepare, hs_on_prepare);
	uv_check_start(&conn->check, hs_on_check);
	return 0;
}

void hs_device(struct transport_conn *base, struct transport_device *out)
{
	const struct hs_conn *conn = (const struct hs_conn *)base;
	const struct qdio_counts *counts = &conn->port.counts;
	uint32_t frame = conn->segment.geometry.frame;

	*out = (struct transport_device){
		.mtu = qdio_mtu(frame),
		.frame = frame,
		.buffers = conn->segment.geometry.buffers,
		.has_cq = conn->port.cq,
		.bytes_in = counts->bytes_in,
		.frames_in = counts->frames_in,
		.bytes_out = counts->bytes_out,
		.frames_out = counts->frames_out,
		.no_protocol = conn->no_protocol,
		.discarded_in = conn->discarded,
		.pending = conn->port.waiting,
		.pending_max = counts->pending_max,
		.pending_ever = counts->pending_ever,
		.done_ok = counts->done_ok,
		.done_unreachable = counts->done_unreachable,
		.done_error = counts->done_error,
		.done_twice = counts->done_twice,
		.target_full = counts->target_full,
		.busy = counts->busy,
		.full = counts->full,
		.interrupts_in = counts->interrupts_in,
		.interrupts_out = counts->interrupts_out,
		.messages = conn->sent,
		.limit = conn->peer_limit,
	};
}
