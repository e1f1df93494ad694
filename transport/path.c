/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - the path between an LFP instance and lfpd: its life, its end, its statistics */
#include "transport/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "transport/path-inner.h"
#include "transport/pipes.h"

/*
 * Theory of operation
 *
 * path-out.c has the theory of sending. The hook, which runs each time before the loop
 * sleeps, sends the packet being filled and the queue.
 *
 * Counting: `data_sent` counts the packets with data that left `fill`, `data_done` those that the
 * peer has acknowledged. The difference is "outstanding" and never above the message limit.
 * `data_taken` counts those that came in, `told` those that this side has acknowledged. If nothing
 * else goes out, an empty packet acknowledges: at once after half of the limit, else a little
 * later.
 *
 * The end: an error while sending is kept in `down` and reported by the hook, because a
 * caller of path_send() does not expect its path to vanish below it. If the peer is gone (`deaf`),
 * packets to it are dropped, and its own packets are received first. The reason of the end is then
 * that of receiving, mostly BYE, or that nothing comes. path_close() may be called from within any
 * callback: the memory is freed when the transport and the loop no longer use it.
 */

#define TELL_MS       20
#define TRY_MS        1000
#define SPARE_PACKETS 4u /* for frames that cannot wait for memory */

void path_watch(struct path *path)
{
	unsigned int events = path->paused ? 0 : TRANSPORT_READ;

	if (path->blocked)
		events |= TRANSPORT_WRITE;
	path->transport->watch(path->conn, events);
}

void path_go_down(struct path *path, int error, const char *why)
{
	if (path->closed || path->is_down)
		return;
	path->is_down = true;
	path->transport->watch(path->conn, 0);
	path->ops->on_down(path, error, why);
}

void path_fail_later(struct path *path, int error, const char *why)
{
	if (!path->down) {
		path->down = error;
		path->down_why = why;
	}
}

/* The peer takes no more packets. Receiving gives a better reason for the end than sending did, but
 * may never return. */
static void listen_to_the_end(struct path *path)
{
	path_on_readable(path->conn);
	if (!path_usable(path))
		return;
	if (path->heard == path->stats.packets_in)
		path_go_down(path, path->deaf, "the path broke while sending");
	path->heard = path->stats.packets_in;
}

/* Returns true if this side neither receives nor has room: then only sending may find the end of
 * the peer. AF_IUCV of z/VM does not wake a side that waits for room. */
static bool is_stuck(const struct path *path)
{
	return path->paused && path->blocked && path_usable(path);
}

static void on_tell(uv_timer_t *timer)
{
	struct path *path = timer->data;

	if (path->deaf)
		listen_to_the_end(path);
	else if (is_stuck(path))
		path_on_writable(path->conn);
	else
		path_send_now(path, path->data_taken != path->told);
	if (path->starved) {
		path->starved = false;
		path_tell_ready(path);
	}
}

static void before_sleep(struct turn_hook *hook)
{
	struct path *path = hook->data;

	path_flush(path);
	if (path->down)
		path_go_down(path, path->down, path->down_why);
	else if ((path->deaf || path->starved || path->data_taken != path->told) &&
		 !uv_is_active((uv_handle_t *)&path->tell))
		uv_timer_start(&path->tell, on_tell, TELL_MS, 0);
	else if (is_stuck(path) && !uv_is_active((uv_handle_t *)&path->tell))
		uv_timer_start(&path->tell, on_tell, TRY_MS, 0);
}

static void let_go(struct path *path)
{
	if (--path->closing)
		return;
	if (path->fill)
		packet_put(&path->pool, path->fill);
	while (path->queue.first)
		packet_put(&path->pool, packet_queue_shift(&path->queue));
	packet_pool_finish(&path->pool);
	free(path->copy);
	free(path);
}

static void on_conn_closed(struct transport_conn *conn)
{
	let_go(conn->data);
}

static void on_hook_closed(void *data)
{
	let_go(data);
}

static void on_handle_closed(uv_handle_t *handle)
{
	let_go(handle->data);
}

struct path *path_create(uv_loop_t *loop, struct transport_conn *conn, enum lfp_side from,
			 uint32_t mtu, const struct path_ops *ops, void *data)
{
	struct path *path = calloc(1, sizeof(*path));

	conn->on_closed = NULL;
	if (path && conn->transport->shared)
		path->copy = malloc(mtu);
	if (path)
		path->hook = (struct turn_hook){.data = path, .before = before_sleep};
	if (!path || (conn->transport->shared && !path->copy) ||
	    turn_hook_init(loop, &path->hook)) {
		if (path)
			free(path->copy);
		free(path);
		conn->transport->close(conn);
		errno = ENOMEM;
		return NULL;
	}
	path->conn = conn;
	path->transport = conn->transport;
	path->ops = ops;
	path->data = data;
	path->from = from;
	path->mtu = LFP_MTU_MIN;
	path->mtu_in = mtu;
	path->msglimit = 1;
	packet_queue_init(&path->queue);
	packet_pool_resize(&path->pool, LFP_MTU_MIN);
	path->closing = 3;
	conn->data = path;
	conn->on_readable = path_on_readable;
	conn->on_writable = path_on_writable;
	conn->on_sent = path_on_sent;
	conn->on_turn = path_on_turn;
	conn->on_closed = on_conn_closed;
	path->tell.data = path;
	uv_timer_init(loop, &path->tell);
	path_watch(path);
	return path;
}

int path_open(struct path *path, uint32_t mtu, uint32_t msglimit)
{
	/* The packet being filled has the old size. It must go even if it has to wait. */
	path_end_fill(path);
	path_flush(path);
	packet_pool_resize(&path->pool, mtu);
	packet_pool_spare(&path->pool, SPARE_PACKETS);
	if (packet_pool_reserve(&path->pool, path->space_initial / mtu))
		return -ENOMEM;
	path->mtu = mtu;
	path->msglimit = msglimit;
	path->open = true;
	return 0;
}

void path_pause(struct path *path, bool pause)
{
	path->paused = pause;
	if (pause)
		path->wants_room = true;
	if (!path_usable(path))
		return;
	if (!pause)
		uv_timer_stop(&path->tell); /* it may run for longer than what is owed may take */
	path_watch(path);
}

void path_close(struct path *path, const char *reason)
{
	if (path->closed)
		return;
	if (reason && path_usable(path)) {
		struct lfp_frame frame = {
			.code = LFP_BYE,
			.bye.reason = {(const uint8_t *)reason, (uint16_t)strnlen(reason, 256)},
		};

		(void)path_send(path, &frame);
		path_flush(path);
	}
	path->closed = true;
	path->pipe = NULL;
	path->transport->close(path->conn);
	turn_hook_close(&path->hook, on_hook_closed);
	uv_close((uv_handle_t *)&path->tell, on_handle_closed);
}

void path_set_tap(struct path *path, const struct path_tap *tap)
{
	path->tap = tap;
}

/* Shows a packet with all bytes of its payload, if there is memory for them. */
static bool show_payload(struct path *path, bool sent, const uint8_t *packet, size_t len,
			 struct held_pipe *pipe)
{
	uint8_t *whole = malloc(len);
	int rc;

	if (!whole)
		return false;
	memcpy(whole, packet, PIPED_HEAD);
	/* A payload that is lost here ends the path of the side that receives it. */
	rc = pipe_look(pipe, whole + PIPED_HEAD);
	if (!rc)
		path->tap->packet(path->tap->data, path, sent, whole, len, len);
	free(whole);
	return !rc;
}

void path_show(struct path *path, bool sent, const uint8_t *packet, size_t len,
	       struct held_pipe *pipe)
{
	if (!path->tap || !path->tap->packet)
		return;
	if (pipe && path->tap->payload && show_payload(path, sent, packet, len, pipe))
		return;
	path->tap->packet(path->tap->data, path, sent, packet, len, pipe ? PIPED_HEAD : len);
}

void *path_data(const struct path *path)
{
	return path->data;
}

struct transport_conn *path_conn(const struct path *path)
{
	return path->conn;
}

const struct path_stats *path_stats(struct path *path)
{
	path->stats.queued = path->queue.count;
	path->stats.buffers = path->pool.allocated;
	path->stats.space = path_space(path);
	path->stats.transport = path->conn->counts;
	return &path->stats;
}

uint32_t path_mtu(const struct path *path)
{
	return path->mtu;
}

uint32_t path_msglimit(const struct path *path)
{
	return path->msglimit;
}

size_t path_frame_max(const struct path *path)
{
	return path->mtu - LFP_PACKET_HEADER;
}
