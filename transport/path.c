/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - the path between an LFP instance and lfpd: packets, message limit */
#include "transport/path.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/packets.h"

/*
 * Theory of operation
 *
 * Sending: `fill` is the packet that is being filled. It leaves when the next frame does not fit,
 * or from the prepare handle, which libuv runs each time before it sleeps. A packet that the
 * transport does not take is put at the end of `queue`; while anything is queued everything is.
 * The header is written at the moment of sending, so that `taken` is as new as it can be.
 *
 * Counting: `data_sent` counts the packets with data that left `fill`, `data_done` is what the
 * peer says it has taken; the difference is "outstanding" and never above the message limit.
 * `data_taken` counts those that came in, `told` what the peer was told last. If nothing else goes
 * out, an empty packet tells it: at once when half of the limit is reached, else a little later.
 *
 * The end: an error while sending is kept in `down` and reported by the prepare handle, because a
 * caller of path_send() does not expect its path to vanish below it. path_close() may be called
 * from within any callback: the memory is freed when the transport and libuv have let go of it.
 */

#define CONGESTED_BYTES (1024u * 1024u)
#define PACKETS_A_TURN  32 /* received before other handles get their turn */
#define TELL_MS         20
#define DATA_ROOM_MIN   512u /* rather a new packet than a smaller rest of the old one */

struct path {
	struct transport_conn *conn;
	const struct transport *transport;
	const struct path_ops *ops;
	void *data;
	uv_prepare_t prepare;
	uv_timer_t tell; /* runs while the peer is owed an acknowledgement */
	int closing;     /* handles that are still to be closed */

	enum lfp_side from;
	uint32_t mtu; /* packets that are sent */
	uint32_t mtu_in;
	uint32_t msglimit;
	bool open;

	struct packet *fill;
	struct packet_queue queue;
	struct packet_pool pool;
	bool reserved;   /* between path_data_reserve() and path_data_commit() */
	bool wants_room; /* on_ready is owed */

	uint32_t sequence_out, sequence_in;
	uint32_t data_sent, data_done;
	uint32_t data_taken, told;

	bool paused;
	bool closed;
	bool is_down; /* on_down was called */
	int down;     /* negative errno to report */
	const char *down_why;

	struct path_stats stats;
	uint8_t *in;
};

static void watch(struct path *path)
{
	unsigned int events = path->paused ? 0 : TRANSPORT_READ;

	if (path->queue.first)
		events |= TRANSPORT_WRITE;
	path->transport->watch(path->conn, events);
}

static void go_down(struct path *path, int error, const char *why)
{
	if (path->closed || path->is_down)
		return;
	path->is_down = true;
	path->transport->watch(path->conn, 0);
	path->ops->on_down(path, error, why);
}

static void fail_later(struct path *path, int error, const char *why)
{
	if (!path->down) {
		path->down = error;
		path->down_why = why;
	}
}

static bool usable(const struct path *path)
{
	return !path->closed && !path->is_down && !path->down;
}

/* Hand one packet to the transport: 0, -EAGAIN, or the reason of the end. */
static int transmit(struct path *path, struct packet *packet)
{
	struct lfp_packet header = {
		.flags = packet->has_data ? LFP_PACKET_DATA : 0,
		.length = (uint32_t)packet->len,
		.sequence = path->sequence_out + 1,
		.taken = path->data_taken,
	};
	int rc;

	lfp_packet_encode(&header, packet->buf);
	rc = path->transport->send(path->conn, packet->buf, packet->len);
	if (rc)
		return rc;
	path->sequence_out++;
	path->told = path->data_taken;
	path->stats.packets_out++;
	path->stats.bytes_out += packet->len;
	return 0;
}

/* Send `fill` or queue it. */
static void send_fill(struct path *path)
{
	struct packet *packet = path->fill;
	int rc = -EAGAIN;

	path->fill = NULL;
	if (packet->has_data) {
		path->data_sent++;
		path->stats.outstanding = path->data_sent - path->data_done;
		if (path->stats.outstanding > path->stats.outstanding_max)
			path->stats.outstanding_max = path->stats.outstanding;
		assert(path->stats.outstanding <= path->msglimit);
	}
	if (!path->queue.first)
		rc = transmit(path, packet);
	if (rc == 0) {
		packet_put(&path->pool, packet);
		return;
	}
	if (rc == -EAGAIN) {
		packet_queue_append(&path->queue, packet);
		watch(path);
		return;
	}
	packet_put(&path->pool, packet);
	fail_later(path, rc, "the path broke while sending");
}

static void drain_queue(struct path *path)
{
	while (path->queue.first) {
		int rc = transmit(path, path->queue.first);

		if (rc == -EAGAIN)
			break;
		packet_put(&path->pool, packet_queue_shift(&path->queue));
		if (rc) {
			fail_later(path, rc, "the path broke while sending");
			return;
		}
	}
	watch(path);
}

static bool may_send_data(const struct path *path)
{
	if (!path->open || path->queue.first)
		return false;
	if (path->fill && path->fill->has_data)
		return true;
	return path->data_sent - path->data_done < path->msglimit;
}

static void tell_ready(struct path *path)
{
	if (!path->wants_room || !usable(path))
		return;
	/* A side that has stopped receiving can't wait for acknowledgements. */
	if (path_congested(path) || (!path->paused && !may_send_data(path)))
		return;
	path->wants_room = false;
	path->ops->on_ready(path);
}

static void send_now(struct path *path, bool tell)
{
	if (!usable(path))
		return;
	if (tell && !path->fill && !path->queue.first)
		path->fill = packet_get(&path->pool);
	if (path->fill)
		send_fill(path);
}

void path_flush(struct path *path)
{
	uint32_t half = path->msglimit / 2 ? path->msglimit / 2 : 1;

	send_now(path, path->data_taken - path->told >= half);
}

static void on_tell(uv_timer_t *timer)
{
	struct path *path = timer->data;

	send_now(path, path->data_taken != path->told);
}

static void on_prepare(uv_prepare_t *prepare)
{
	struct path *path = prepare->data;

	path_flush(path);
	if (path->down)
		go_down(path, path->down, path->down_why);
	else if (path->data_taken != path->told && !uv_is_active((uv_handle_t *)&path->tell))
		uv_timer_start(&path->tell, on_tell, TELL_MS, 0);
}

static void on_writable(struct transport_conn *conn)
{
	struct path *path = conn->data;

	drain_queue(path);
	tell_ready(path);
}

static int take_counts(struct path *path, const struct lfp_packet *packet, const char **why)
{
	uint32_t done = packet->taken - path->data_done;

	if (packet->sequence != path->sequence_in + 1) {
		*why = "packet out of sequence";
		return -EPROTO;
	}
	path->sequence_in++;
	if (done > path->data_sent - path->data_done) {
		*why = "packet acknowledges more than was sent";
		return -EPROTO;
	}
	path->data_done = packet->taken;
	path->stats.outstanding = path->data_sent - path->data_done;
	if (packet->flags & LFP_PACKET_DATA) {
		uint32_t open = ++path->data_taken - path->told;

		if (open > path->stats.peer_max)
			path->stats.peer_max = open;
		if (!path->open || open > path->msglimit) {
			*why = "packet with data above the message limit";
			return -EPROTO;
		}
	}
	return 0;
}

static int bye(struct path *path, const struct lfp_frame *frame)
{
	char reason[257];

	snprintf(reason, sizeof(reason), "%.*s", (int)frame->bye.reason.len,
		 (const char *)frame->bye.reason.ptr);
	for (char *p = reason; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '.';
	go_down(path, 0, reason);
	return 0;
}

static int take_frames(struct path *path, const uint8_t *buf, size_t len, bool data_expected,
		       const char **why)
{
	bool data_seen = false;
	size_t at = LFP_PACKET_HEADER;

	while (at < len && usable(path)) {
		struct lfp_frame frame;
		int n = lfp_frame_decode(buf + at, len - at, path->from, &frame, why), rc;

		if (n < 0)
			return n;
		at += (size_t)n;
		path->stats.frames_in++;
		data_seen |= lfp_is_data(frame.code);
		if (data_seen && !data_expected)
			break;
		rc = frame.code == LFP_BYE ? bye(path, &frame)
					   : path->ops->on_frame(path, &frame, why);
		if (rc)
			return rc;
	}
	if (usable(path) && data_seen != data_expected) {
		*why = "packet whose data flag is wrong";
		return -EPROTO;
	}
	return 0;
}

static void on_readable(struct transport_conn *conn)
{
	struct path *path = conn->data;

	/* Frames may close the path: then `closed` is set, and the memory lives on until libuv's
	 * turn is over. */
	for (int i = 0; i < PACKETS_A_TURN && usable(path) && !path->paused; i++) {
		const char *why = "";
		struct lfp_packet packet;
		ssize_t n = path->transport->receive(conn, path->in, path->mtu_in);
		int rc;

		if (n == -EAGAIN)
			break;
		if (n == -EMSGSIZE) {
			go_down(path, -EPROTO, "packet longer than the MTU");
			return;
		}
		if (n == 0) {
			go_down(path, -ECONNRESET, "the peer has gone without a word");
			return;
		}
		if (n < 0) {
			go_down(path, (int)n, "the path broke while receiving");
			return;
		}
		rc = lfp_packet_decode(path->in, (size_t)n, &packet, &why);
		if (!rc)
			rc = take_counts(path, &packet, &why);
		if (!rc) {
			path->stats.packets_in++;
			path->stats.bytes_in += (size_t)n;
			rc = take_frames(path, path->in, (size_t)n, packet.flags & LFP_PACKET_DATA,
					 &why);
		}
		if (rc) {
			go_down(path, rc, why);
			return;
		}
	}
	if (usable(path))
		watch(path); /* libuv stops a handle on which it saw an error */
	tell_ready(path);
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
	free(path->in);
	free(path);
}

static void on_conn_closed(struct transport_conn *conn)
{
	let_go(conn->data);
}

static void on_handle_closed(uv_handle_t *handle)
{
	let_go(handle->data);
}

struct path *path_create(uv_loop_t *loop, struct transport_conn *conn, enum lfp_side from,
			 uint32_t mtu, const struct path_ops *ops, void *data)
{
	struct path *path = calloc(1, sizeof(*path));
	uint8_t *in = malloc(mtu);

	conn->on_closed = NULL;
	if (!path || !in) {
		free(path);
		free(in);
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
	path->in = in;
	path->closing = 3;
	conn->data = path;
	conn->on_readable = on_readable;
	conn->on_writable = on_writable;
	conn->on_closed = on_conn_closed;
	path->prepare.data = path;
	uv_prepare_init(loop, &path->prepare);
	uv_prepare_start(&path->prepare, on_prepare);
	path->tell.data = path;
	uv_timer_init(loop, &path->tell);
	watch(path);
	return path;
}

void path_open(struct path *path, uint32_t mtu, uint32_t msglimit)
{
	/* What is being filled has the old size. */
	path_flush(path);
	packet_pool_resize(&path->pool, mtu);
	path->mtu = mtu;
	path->msglimit = msglimit;
	path->open = true;
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

/* May data go now? If not, on_ready says when. */
static bool has_room(struct path *path)
{
	if (may_send_data(path))
		return true;
	if (!path->wants_room)
		path->stats.limit_waits++;
	path->wants_room = true;
	return false;
}

static int put_frame(struct path *path, const struct lfp_frame *frame, bool is_data)
{
	assert(!path->reserved);
	for (int fresh = 0; fresh < 2; fresh++) {
		struct packet *fill;
		int n;

		if (!usable(path))
			return -ENOTCONN;
		if (is_data && !has_room(path))
			return -EAGAIN;
		fill = path->fill;
		if (!fill)
			fill = path->fill = packet_get(&path->pool);
		if (!fill)
			return -ENOMEM;
		n = lfp_frame_encode(frame, fill->buf + fill->len, path->mtu - fill->len);
		if (n >= 0) {
			fill->len += (size_t)n;
			fill->has_data |= is_data;
			path->stats.frames_out++;
			return 0;
		}
		if (n != -EMSGSIZE || fill->len == LFP_PACKET_HEADER)
			return -EINVAL;
		send_fill(path);
	}
	return usable(path) ? -EINVAL : -ENOTCONN;
}

int path_send(struct path *path, const struct lfp_frame *frame)
{
	return put_frame(path, frame, false);
}

int path_send_data(struct path *path, const struct lfp_frame *frame)
{
	return put_frame(path, frame, true);
}

size_t path_data_reserve(struct path *path, size_t want, uint8_t **at)
{
	size_t room;

	assert(!path->reserved);
	if (!usable(path))
		return 0;
	if (path->fill) {
		room = path->mtu - path->fill->len;
		if (room < LFP_DATA_OVERHEAD + (want < DATA_ROOM_MIN ? want : DATA_ROOM_MIN))
			send_fill(path);
	}
	if (!usable(path))
		return 0;
	if (!has_room(path))
		return 0;
	if (!path->fill)
		path->fill = packet_get(&path->pool);
	if (!path->fill) {
		fail_later(path, -ENOMEM, "no memory for a packet");
		return 0;
	}
	path->reserved = true;
	room = path->mtu - path->fill->len - LFP_DATA_OVERHEAD;
	*at = path->fill->buf + path->fill->len + LFP_DATA_OVERHEAD;
	return room < want ? room : want;
}

void path_data_commit(struct path *path, uint64_t sock, uint64_t position, size_t len,
		      uint8_t flags)
{
	struct packet *fill = path->fill;

	assert(path->reserved);
	path->reserved = false;
	if (!len)
		return;
	assert(fill->len + LFP_DATA_OVERHEAD + len <= fill->size);
	lfp_data_header(fill->buf + fill->len, sock, position, len, flags);
	fill->len += LFP_DATA_OVERHEAD + len;
	fill->has_data = true;
	path->stats.frames_out++;
}

bool path_congested(const struct path *path)
{
	return path->queue.bytes > CONGESTED_BYTES;
}

void path_pause(struct path *path, bool pause)
{
	path->paused = pause;
	if (pause)
		path->wants_room = true;
	if (usable(path))
		watch(path);
}

void path_close(struct path *path, const char *reason)
{
	if (path->closed)
		return;
	if (reason && usable(path)) {
		struct lfp_frame frame = {
			.code = LFP_BYE,
			.bye.reason = {(const uint8_t *)reason, (uint16_t)strnlen(reason, 256)},
		};

		(void)path_send(path, &frame);
		path_flush(path);
	}
	path->closed = true;
	path->transport->close(path->conn);
	uv_prepare_stop(&path->prepare);
	uv_close((uv_handle_t *)&path->prepare, on_handle_closed);
	uv_close((uv_handle_t *)&path->tell, on_handle_closed);
}
