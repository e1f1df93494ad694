/* SPDX-License-Identifier: Apache-2.0 */
/* path-out.c - the sending half of the path: frames into packets, packets to the transport */
#include <assert.h>
#include <errno.h>

#include "transport/path-inner.h"
#include "transport/pipes.h"

/*
 * Theory of operation
 *
 * A frame passes three places: the packet that is being filled (`fill`), the queue, the transport.
 *
 *   put_frame(), path_data_reserve()   append to `fill`; a full packet goes to the queue
 *   send_fill()                        closes `fill`, counts it against the message limit if it has
 *                                      data, and appends it to the queue
 *   transmit()                         gives packets of the queue to the transport, in batches
 *
 * Frames of one turn of the loop share packets: path_flush() sends `fill` only before the loop
 * sleeps. Packets leave in the order of the queue, so frames keep their order. stamp() writes the
 * packet's header at the last moment: its sequence number and its acknowledgement (`taken`) are
 * those of the time of sending.
 *
 * Control frames are always accepted. Data is accepted only while path_may_send_data() says so:
 * below the message limit (packets with data that the peer has not taken off the path), within the
 * buffer space, and, without buffer space of its own, while the transport is not blocked. A caller
 * that is refused sets wants_room, and path_tell_ready() calls on_ready once when there is room.
 *
 * The transport takes all packets, some, or none. After a partial result the rest goes back to the
 * head of the queue, `blocked` is set, and path_on_writable() continues. An error ends the path
 * (fail()), but not if the peer is gone: then `deaf` drops what is to be sent, and packets of the
 * peer that are still to be read are read first.
 *
 * path_data_reserve() gives the place of the payload within `fill`, which may lie in the
 * transport's own memory, so that data is not copied. Until path_data_commit() no other frame may
 * be put into the packet (`reserved`).
 */
#define CONGESTED_BYTES (1024u * 1024u)
#define DATA_ROOM_MIN   512u /* with less room than this, a new packet is started */
#define PACKETS_A_CALL  16u
#define TELL_PACKETS    64u /* a peer may have less buffer space than message limit */

_Static_assert(PIPE_BYTES <= LFP_PAYLOAD_MAX, "a pipe's bytes are the payload of one frame");

/* Writes the header, at the last moment: then the acknowledgement is as new as it can be. */
static void stamp(struct path *path, struct packet *packet, uint32_t sequence)
{
	struct lfp_packet header = {
		.flags = packet->has_data ? LFP_PACKET_DATA : 0,
		.length = (uint32_t)packet->len,
		.sequence = sequence,
		.taken = path->data_taken,
	};

	lfp_packet_encode(&header, packet->buf);
}

static void drop_queue(struct path *path)
{
	while (path->queue.first)
		packet_put(&path->pool, packet_queue_shift(&path->queue));
}

/* Handles an error of the transport. */
static void fail(struct path *path, int error)
{
	if (error != -EPIPE && error != -ECONNRESET && error != -ENOTCONN) {
		path_fail_later(path, error, "the path broke while sending");
		return;
	}
	path->deaf = error;
	drop_queue(path);
}

/* Hands queued packets to the transport, as many as it takes. */
static void transmit(struct path *path)
{
	if (path->deaf)
		drop_queue(path);
	while (path->queue.first && !path->blocked) {
		struct packet *batch[PACKETS_A_CALL];
		size_t bytes[PACKETS_A_CALL];
		unsigned int nr = 0, taken;
		int rc;

		for (; nr < PACKETS_A_CALL && path->queue.first; nr++) {
			batch[nr] = packet_queue_shift(&path->queue);
			bytes[nr] = batch[nr]->len;
			stamp(path, batch[nr], path->sequence_out + 1 + nr);
			if (!batch[nr]->shown)
				path_show(path, true, batch[nr]->buf, batch[nr]->len,
					  batch[nr]->pipe);
			batch[nr]->shown = true;
		}
		rc = path->transport->send(path->conn, batch, nr);
		taken = rc > 0 ? (unsigned int)rc : 0;
		for (unsigned int i = 0; i < taken; i++) {
			path->stats.bytes_out += bytes[i];
			if (!path->transport->keeps)
				packet_put(&path->pool, batch[i]);
		}
		for (unsigned int i = nr; i > taken; i--)
			packet_queue_unshift(&path->queue, batch[i - 1]);
		if (taken) {
			path->sequence_out += taken;
			path->stats.packets_out += taken;
			path->stats.credits_out += path->data_taken - path->told;
			path->told = path->data_taken;
		}
		if (rc < 0) {
			fail(path, rc);
			return;
		}
		if (taken < nr) {
			path->blocked = true;
			path_watch(path);
		}
	}
}

/* Closes `fill` and queues it. */
static void send_fill(struct path *path)
{
	struct packet *packet = path->fill;
	uint32_t space = path_space(path);

	if (space > path->stats.space_max)
		path->stats.space_max = space;
	path->fill = NULL;
	if (packet->has_data) {
		path->data_sent++;
		path->stats.data_out++;
		path->stats.outstanding = path->data_sent - path->data_done;
		if (path->stats.outstanding > path->stats.outstanding_max)
			path->stats.outstanding_max = path->stats.outstanding;
		assert(path->stats.outstanding <= path->msglimit);
	}
	packet_queue_append(&path->queue, packet);
	if (path->queue.count >= path->transport->batch)
		transmit(path);
}

void path_end_fill(struct path *path)
{
	if (!path->fill)
		return;
	if (path->fill->len > LFP_PACKET_HEADER) {
		send_fill(path);
		return;
	}
	packet_put(&path->pool, path->fill);
	path->fill = NULL;
}

/* A packet to fill, in the transport's memory if it is the next one to be sent. False if there is
 * no memory: data can wait for some, and path_tell_ready() tells later that it may come. */
static bool begin_fill(struct path *path, bool for_data)
{
	uint8_t *place = NULL;

	path->fill = for_data ? packet_get(&path->pool) : packet_get_urgent(&path->pool);
	if (!path->fill) {
		path->starved |= for_data;
		path->wants_room |= for_data;
		return false;
	}
	if (path->transport->place && !path->queue.first)
		place = path->transport->place(path->conn, path->mtu);
	if (place)
		path->fill->buf = place;
	return true;
}

void path_on_sent(struct transport_conn *conn, struct packet *packet)
{
	struct path *path = conn->data;

	packet_put(&path->pool, packet);
}

void path_on_writable(struct transport_conn *conn)
{
	struct path *path = conn->data;

	path->blocked = false;
	transmit(path);
	path_watch(path);
	path_tell_ready(path);
}

void path_send_now(struct path *path, bool tell)
{
	if (!path_usable(path))
		return;
	if (tell && !path->fill && !path->queue.first && !begin_fill(path, false))
		return;
	/* A packet that must wait is filled further: each queued packet takes a whole MTU. */
	if (path->fill && (tell || path->fill->len > LFP_PACKET_HEADER) &&
	    (!path->blocked || path->fill->has_data))
		send_fill(path);
	if (path_usable(path))
		transmit(path);
}

void path_flush(struct path *path)
{
	uint32_t half = path->msglimit / 2 ? path->msglimit / 2 : 1;

	path_send_now(path,
		      path->data_taken - path->told >= (half < TELL_PACKETS ? half : TELL_PACKETS));
}

void path_on_turn(struct transport_conn *conn)
{
	path_flush(conn->data);
}

bool path_may_send_data(const struct path *path)
{
	/* With buffer space of its own, data waits here; otherwise it waits at its source. */
	if (!path->open || (path->blocked && !path->space_limit))
		return false;
	if (path->fill && path->fill->has_data)
		return true;
	return path->data_sent - path->data_done < path->msglimit && path_has_space(path);
}

void path_tell_ready(struct path *path)
{
	if (!path->wants_room || !path_usable(path))
		return;
	/* A side that has stopped receiving can't wait for acknowledgements. */
	if (path_congested(path) || (!path->paused && !path_may_send_data(path)))
		return;
	path->wants_room = false;
	path->ops->on_ready(path);
}

/* Returns true if data may be sent now; else on_ready follows. */
static bool has_room(struct path *path)
{
	if (path_may_send_data(path))
		return true;
	if (!path->wants_room && !path_has_space(path))
		path->stats.space_waits++;
	else if (!path->wants_room)
		path->stats.limit_waits++;
	path->wants_room = true;
	return false;
}

bool path_congested(struct path *path)
{
	if (path->queue.control_bytes <= CONGESTED_BYTES)
		return false;
	path->wants_room = true;
	return true;
}

static int put_frame(struct path *path, const struct lfp_frame *frame, bool is_data)
{
	assert(!path->reserved);
	for (int fresh = 0; fresh < 2; fresh++) {
		struct packet *fill;
		int n;

		if (!path_usable(path))
			return -ENOTCONN;
		if (is_data && !has_room(path))
			return -EAGAIN;
		if (!path->fill && !begin_fill(path, is_data))
			return is_data ? -EAGAIN : -ENOMEM;
		fill = path->fill;
		n = lfp_frame_encode(frame, fill->buf + fill->len, path->mtu - fill->len);
		if (n >= 0) {
			fill->len += (size_t)n;
			fill->has_data |= is_data;
			path->stats.frames_out++;
			path->stats.windows_out += frame->code == LFP_WINDOW;
			return 0;
		}
		if (n != -EMSGSIZE || fill->len == LFP_PACKET_HEADER)
			return -EINVAL;
		send_fill(path);
	}
	return path_usable(path) ? -EINVAL : -ENOTCONN;
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
	if (!path_usable(path))
		return 0;
	if (path->fill) {
		room = path->mtu - path->fill->len;
		if (room < LFP_DATA_OVERHEAD + (want < DATA_ROOM_MIN ? want : DATA_ROOM_MIN))
			send_fill(path);
	}
	if (!path_usable(path) || !has_room(path))
		return 0;
	if (!path->fill && !begin_fill(path, true))
		return 0;
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
	assert(fill->len + LFP_DATA_OVERHEAD + len <= path->mtu);
	lfp_data_header(fill->buf + fill->len, sock, position, len, flags);
	fill->len += LFP_DATA_OVERHEAD + len;
	fill->has_data = true;
	path->stats.frames_out++;
}

/* Returns true if a packet is there that can carry a pipe. */
static bool begin_piped(struct path *path)
{
	assert(!path->reserved);
	if (!path->transport->pipe || (path->tap && path->tap->packet && path->tap->payload))
		return false;
	path_end_fill(path);
	return path_usable(path) && path_may_send_data(path) && begin_fill(path, true);
}

ssize_t path_data_splice(struct path *path, int fd, size_t want)
{
	struct held_pipe *pipe;
	ssize_t n;

	if (!begin_piped(path))
		return -ENOTSUP;
	pipe = pipe_get();
	if (!pipe)
		return -ENOTSUP;
	n = pipe_fill(pipe, fd, want < PIPE_BYTES ? want : PIPE_BYTES);
	if (n <= 0) {
		pipe_put(pipe);
		return n;
	}
	path->fill->pipe = pipe;
	path->reserved = true;
	return n;
}

void path_data_spliced(struct path *path, uint64_t sock, uint64_t position, uint8_t flags)
{
	struct packet *fill = path->fill;
	size_t len = fill->pipe->held;

	assert(path->reserved);
	path->reserved = false;
	lfp_data_header(fill->buf + fill->len, sock, position, len, flags);
	fill->len += LFP_DATA_OVERHEAD + len;
	fill->has_data = true;
	path->stats.frames_out++;
	path->stats.spliced_out += len;
	send_fill(path);
}

size_t path_data_pass(struct path *path, struct held_pipe *pipe, size_t most, uint64_t sock,
		      uint64_t position)
{
	size_t len;

	if (!begin_piped(path))
		return 0;
	if (pipe->held > most)
		pipe = pipe_split(pipe, most);
	if (!pipe)
		return 0;
	len = pipe->held;
	path->fill->pipe = pipe;
	path->reserved = true;
	path_data_spliced(path, sock, position, 0);
	return len;
}
