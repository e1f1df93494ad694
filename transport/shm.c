/* SPDX-License-Identifier: Apache-2.0 */
/* shm.c - the transport over shared memory: a ring of packets each way, an eventfd to wake a
 * sleeper */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "transport/bell.h"
#include "transport/shm-inner.h"
#include "transport/passed.h"

/*
 * Theory of operation
 *
 * shm-hello.c makes the connection, shm-ring.c is the ring. Here is how it lives on libuv's loop.
 * The prepare handle, which runs before the loop sleeps and after the path's own (libuv runs the
 * one that was started last first), decides: if there is something to do, or it pays to look for
 * packets a little longer (shm-poll.c), the idle handle keeps the loop awake; else the peer is told
 * that this side sleeps. The check handle, which runs after each wait, whatever has ended it, looks
 * at the ring and calls the owner. The bell's own callback only empties it.
 *
 * While it polls the loop goes round without waiting, so all other descriptors have their turn too.
 *
 * The socket stays: its end is the peer's end. What is in the ring then is still delivered.
 */

static void on_bell(uv_poll_t *poll, int status, int events)
{
	struct shm_conn *conn = poll->data;

	(void)status;
	(void)events;
	bell_hear(conn->bell, &conn->base);
}

static void on_socket(uv_poll_t *poll, int status, int events)
{
	struct shm_conn *conn = poll->data;

	(void)events;
	if (!bell_peer_is_gone(conn->fd, status))
		return;
	conn->gone = true;
	uv_poll_stop(poll);
}

static void on_idle(uv_idle_t *idle)
{
	(void)idle;
}

static bool is_readable(struct shm_conn *conn)
{
	return (conn->events & TRANSPORT_READ) && (shm_ring_has_more(&conn->in) || conn->gone);
}

/* Is there room for what was refused? If not the peer is asked to tell. */
static bool is_writable(struct shm_conn *conn)
{
	return (conn->events & TRANSPORT_WRITE) && conn->full &&
	       (conn->gone || !shm_ring_wait_room(&conn->out, conn->need));
}

/* May the loop wait? If so the peer knows. */
static bool may_sleep(struct shm_conn *conn)
{
	if (is_readable(conn) || is_writable(conn))
		return false;
	if (!(conn->events & TRANSPORT_READ))
		return true;
	if (shm_poll_goes_on(&conn->poll, uv_hrtime(), &conn->base.counts.polls_missed)) {
		sched_yield();
		return false;
	}
	conn->sleeping = shm_ring_sleep(&conn->in);
	return conn->sleeping;
}

static void on_prepare(uv_prepare_t *prepare)
{
	struct shm_conn *conn = prepare->data;

	if (may_sleep(conn))
		uv_idle_stop(&conn->idle);
	else
		uv_idle_start(&conn->idle, on_idle);
}

static void on_check(uv_check_t *check)
{
	struct shm_conn *conn = check->data;

	if (conn->sleeping)
		shm_ring_awake(&conn->in);
	conn->sleeping = false;
	if (is_writable(conn)) {
		conn->full = false;
		conn->base.on_writable(&conn->base);
	}
	if (!is_readable(conn))
		return;
	if (conn->poll.most)
		shm_poll_hit(&conn->poll, uv_hrtime(), &conn->base.counts.polls_hit);
	conn->base.on_readable(&conn->base);
}

static void shm_watch(struct transport_conn *base, unsigned int events)
{
	((struct shm_conn *)base)->events = events;
}

static uint8_t *shm_place(struct transport_conn *base, size_t size)
{
	return shm_ring_place(&((struct shm_conn *)base)->out, size);
}

static int shm_send(struct transport_conn *base, struct packet **packets, unsigned int nr)
{
	struct shm_conn *conn = (struct shm_conn *)base;
	unsigned int i;

	if (conn->gone)
		return -EPIPE;
	for (i = 0; i < nr; i++) {
		struct packet *packet = packets[i];
		uint8_t *place = shm_ring_place(&conn->out, packet->len);

		if (!place && !conn->out.broken && !shm_ring_wait_room(&conn->out, packet->len))
			place = shm_ring_place(&conn->out, packet->len);
		if (!place)
			break;
		if (place != packet->buf)
			memcpy(place, packet->buf, packet->len);
		shm_ring_publish(&conn->out, packet->len);
	}
	if (conn->out.broken)
		return -EPROTO;
	base->counts.calls_out += i > 0;
	conn->full = i < nr;
	if (conn->full) {
		conn->need = packets[i]->len;
		base->counts.full++;
	}
	if (i && shm_ring_must_wake_reader(&conn->out))
		bell_ring(conn->peer_bell, &conn->base);
	return (int)i;
}

static int shm_receive(struct transport_conn *base, struct iovec *packets, unsigned int max)
{
	struct shm_conn *conn = (struct shm_conn *)base;
	unsigned int n = 0;
	int rc = 0;

	for (; n < max; n++) {
		const uint8_t *packet;

		rc = shm_ring_next(&conn->in, &packet, conn->where.mtu);
		if (rc < 0)
			break;
		packets[n] = (struct iovec){(void *)(uintptr_t)packet, (size_t)rc};
	}
	base->counts.calls_in += n > 0;
	if (n)
		return (int)n; /* an error comes again, after these */
	return rc == -EAGAIN && conn->gone ? 0 : rc;
}

static void shm_release(struct transport_conn *base)
{
	struct shm_conn *conn = (struct shm_conn *)base;

	if (shm_ring_release(&conn->in))
		bell_ring(conn->peer_bell, &conn->base);
}

static int64_t shm_credit(struct transport_conn *base)
{
	(void)base;
	return -ENOTSUP; /* positions count bytes */
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct shm_conn *conn = handle->data;

	if (--conn->handles)
		return;
	if (conn->base.on_closed)
		conn->base.on_closed(&conn->base);
	shm_memory_drop(conn);
	free(conn);
}

static void close_handle(struct shm_conn *conn, uv_handle_t *handle)
{
	handle->data = conn;
	uv_close(handle, on_handle_closed);
}

void shm_destroy(struct shm_conn *conn)
{
	int bells[] = {conn->bell, conn->peer_bell};

	conn->events = 0;
	/* The memory stays until the handles are closed: who calls may look at a packet in it. */
	close_handle(conn, (uv_handle_t *)&conn->socket);
	close_handle(conn, (uv_handle_t *)&conn->prepare);
	close_handle(conn, (uv_handle_t *)&conn->check);
	close_handle(conn, (uv_handle_t *)&conn->idle);
	close_handle(conn, (uv_handle_t *)&conn->timer);
	if (conn->state == SHM_OPEN)
		close_handle(conn, (uv_handle_t *)&conn->bells);
	conn->state = SHM_CLOSED;
	passed_end(conn->fd);
	for (size_t i = 0; i < sizeof(bells) / sizeof(bells[0]); i++)
		if (bells[i] >= 0)
			close(bells[i]);
}

static void shm_close(struct transport_conn *base)
{
	struct shm_conn *conn = (struct shm_conn *)base;

	/* What was sent must be found by a peer that sleeps: the socket's end wakes it. */
	shm_destroy(conn);
}

int shm_create(uv_loop_t *loop, int fd, const struct transport_where *where, struct shm_conn **out)
{
	struct shm_conn *conn = calloc(1, sizeof(*conn));
	int rc = -ENOMEM;

	if (conn)
		rc = uv_poll_init(loop, &conn->socket, fd);
	if (rc) {
		passed_close(fd);
		free(conn);
		return rc;
	}
	conn->base.transport = &transport_shm;
	conn->where = *where;
	conn->poll.most = (uint64_t)shm_settings(where)->poll * 1000;
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

int shm_begin(struct shm_conn *conn)
{
	uv_loop_t *loop = conn->socket.loop;
	int rc = uv_poll_init(loop, &conn->bells, conn->bell);

	if (rc)
		return rc;
	conn->state = SHM_OPEN;
	uv_timer_stop(&conn->timer);
	uv_poll_start(&conn->socket, UV_READABLE | UV_DISCONNECT, on_socket);
	conn->bells.data = conn;
	conn->handles++;
	uv_poll_start(&conn->bells, UV_READABLE, on_bell);
	uv_prepare_start(&conn->prepare, on_prepare);
	uv_check_start(&conn->check, on_check);
	return 0;
}

static void shm_describe(struct transport_conn *base, struct transport_peer *out)
{
	socket_describe(((struct shm_conn *)base)->fd, out);
}

static int on_accept(struct socket_listener *listener, int fd)
{
	struct shm_conn *conn;
	int rc = shm_create(listener->poll.loop, fd, &listener->where, &conn);

	if (rc)
		return rc;
	conn->listener = listener;
	shm_hello_wait(conn);
	return 0;
}

static int shm_listen(uv_loop_t *loop, const struct transport_where *where,
		      struct transport_listener **out)
{
	struct socket_listener *listener = calloc(1, sizeof(*listener));
	int rc;

	if (!listener)
		return -ENOMEM;
	listener->base.transport = &transport_shm;
	listener->on_accept = on_accept;
	rc = socket_listen(loop, where, listener);
	if (!rc)
		*out = &listener->base;
	return rc;
}

static void shm_stop(struct transport_listener *base)
{
	socket_stop((struct socket_listener *)base);
}

static int shm_connect(uv_loop_t *loop, const struct transport_where *where,
		       transport_connected_cb cb, void *data)
{
	struct shm_conn *conn;
	int fd = socket_connect(where->path), rc;

	if (fd < 0)
		return fd;
	rc = shm_create(loop, fd, where, &conn);
	if (rc)
		return rc;
	conn->cb = cb;
	conn->cb_data = data;
	rc = shm_hello_send(conn);
	if (rc)
		shm_destroy(conn);
	return rc;
}

#define POLL(key, which)                                                                           \
	{                                                                                          \
		key, LFP_FIELD_NUMBER, offsetof(struct shm_settings, poll), 0, 1000, "200", false, \
			"with " which                                                              \
			" = shm: microseconds to look for packets before sleeping, at most",       \
			LFP_FIELD_OURS, NULL, NULL                                                 \
	}

static const struct lfp_field lfpd_keys[] = {
	POLL("SHM_POLL", "TRANSPORT"),
};

static const struct lfp_field vse_keys[] = {
	{"ShmRingSize", LFP_FIELD_SIZE, offsetof(struct shm_settings, ring_size), SHM_RING_MIN,
	 SHM_RING_MAX, "256K", false,
	 "with Transport = shm: bytes of the shared ring of each direction", LFP_FIELD_OURS, NULL,
	 NULL},
	POLL("ShmPoll", "Transport"),
};

const struct transport transport_shm = {
	.name = "shm",
	.keys = {{lfpd_keys, sizeof(lfpd_keys) / sizeof(lfpd_keys[0])},
		 {vse_keys, sizeof(vse_keys) / sizeof(vse_keys[0])}},
	.pretends_iucv = true,
	.shared = true,
	.batch = 1,
	.listen = shm_listen,
	.stop = shm_stop,
	.connect = shm_connect,
	.place = shm_place,
	.send = shm_send,
	.receive = shm_receive,
	.release = shm_release,
	.watch = shm_watch,
	.credit = shm_credit,
	.close = shm_close,
	.describe = shm_describe,
};
