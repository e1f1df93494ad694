/* SPDX-License-Identifier: Apache-2.0 */
/* path-in.c - the receiving half of the path: packets from the transport, frames to the owner */
#include <errno.h>
#include <stdio.h>

#include "lfp/once.h"
#include "transport/path-inner.h"
#include "transport/pipes.h"

/*
 * Theory of operation
 *
 * Packets are read in place, in the transport's memory, and so is their data. If the peer can
 * change them meanwhile (shared memory), the parts that decide anything are copied first: the
 * header of a packet, the header of a DATA frame, and any other frame as a whole. Only the bytes of
 * DATA are used in place: a peer that changes them changes its own data.
 */

#define PACKETS_A_TURN 32 /* received before other handles get their turn */
#define PACKETS_A_CALL 16u

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
	path->stats.credits_in += done;
	path->stats.outstanding = path->data_sent - path->data_done;
	if (packet->flags & LFP_PACKET_DATA) {
		uint32_t open = ++path->data_taken - path->told;

		path->stats.data_in++;
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
	path_go_down(path, 0, reason);
	return 0;
}

/* Decodes a frame of at most @len bytes. Returns its length or -EPROTO. */
static int decode(struct path *path, const uint8_t *buf, size_t len, struct lfp_frame *frame,
		  const char **why)
{
	uint32_t length;
	int n;

	if (!path->copy || len < LFP_DATA_OVERHEAD) {
		if (!path->copy)
			return lfp_frame_decode(buf, len, path->from, frame, why);
		once_copy(path->copy, buf, len);
		return lfp_frame_decode(path->copy, len, path->from, frame, why);
	}
	once_copy(path->copy, buf, LFP_DATA_OVERHEAD);
	length = lfp_frame_head(path->copy, frame);
	if (frame->code == LFP_DATA) {
		n = lfp_frame_decode(path->copy, len, path->from, frame, why);
		if (n >= 0)
			frame->data.payload.ptr = buf + LFP_DATA_OVERHEAD;
		return n;
	}
	if (length > LFP_DATA_OVERHEAD && length <= len)
		once_copy(path->copy + LFP_DATA_OVERHEAD, buf + LFP_DATA_OVERHEAD,
			  length - LFP_DATA_OVERHEAD);
	return lfp_frame_decode(path->copy, len, path->from, frame, why);
}

static int take_frames(struct path *path, const uint8_t *buf, size_t len, bool data_expected,
		       const char **why)
{
	bool data_seen = false;
	size_t at = LFP_PACKET_HEADER;

	while (at < len && path_usable(path)) {
		struct lfp_frame frame;
		int n = decode(path, buf + at, len - at, &frame, why), rc;

		if (n < 0)
			return n;
		at += (size_t)n;
		path->stats.frames_in++;
		path->stats.windows_in += frame.code == LFP_WINDOW;
		data_seen |= lfp_is_data(frame.code);
		if (data_seen && !data_expected)
			break;
		rc = frame.code == LFP_BYE ? bye(path, &frame)
					   : path->ops->on_frame(path, &frame, why);
		if (rc)
			return rc;
	}
	if (path_usable(path) && data_seen != data_expected) {
		*why = "packet with a wrong data flag";
		return -EPROTO;
	}
	return 0;
}

static int take_packet(struct path *path, const uint8_t *buf, size_t len, const char **why)
{
	struct held_pipe *pipe = path->pipe ? *path->pipe : NULL;
	uint8_t header[LFP_PACKET_HEADER] = {0};
	struct lfp_packet packet;
	int rc;

	once_copy(header, buf, len < sizeof(header) ? len : sizeof(header));
	rc = lfp_packet_decode(header, len, &packet, why);
	if (!rc)
		rc = take_counts(path, &packet, why);
	if (rc)
		return rc;
	path->stats.packets_in++;
	path->stats.bytes_in += len;
	path_show(path, false, buf, len, pipe);
	path->stats.spliced_in += pipe ? pipe->held : 0;
	return take_frames(path, buf, len, packet.flags & LFP_PACKET_DATA, why);
}

/* Ends the path after receive() has returned 0 or an error. */
static void end_of_packets(struct path *path, int n)
{
	if (n == -EMSGSIZE)
		path_go_down(path, -EPROTO, "packet longer than the MTU");
	else if (n == 0)
		path_go_down(path, -ECONNRESET, "the peer has disconnected without BYE");
	else
		path_go_down(path, n, "the path broke while receiving");
}

struct held_pipe *path_take_pipe(struct path *path)
{
	struct held_pipe *pipe = path->pipe ? *path->pipe : NULL;

	if (pipe)
		*path->pipe = NULL;
	return pipe;
}

void path_on_readable(struct transport_conn *conn)
{
	struct path *path = conn->data;
	struct iovec packets[PACKETS_A_CALL];

	/* Frames may close the path: then `closed` is set, and the memory lives on until the
	 * turn is over. */
	for (int left = PACKETS_A_TURN; left > 0 && path_usable(path) && !path->paused;) {
		const char *why = "";
		int n = path->transport->receive(conn, packets, PACKETS_A_CALL), rc = 0;

		if (n == -EAGAIN)
			break;
		if (n <= 0) {
			end_of_packets(path, n);
			return;
		}
		left -= n;
		for (int i = 0; i < n && !rc && path_usable(path); i++) {
			if (path->transport->pipe)
				path->pipe = path->transport->pipe(conn, (unsigned int)i);
			rc = take_packet(path, packets[i].iov_base, packets[i].iov_len, &why);
		}
		path->pipe = NULL;
		if (path_usable(path) && path->ops->on_batch)
			path->ops->on_batch(path);
		if (rc)
			path_go_down(path, rc, why);
		if (path->closed)
			return;
		path->transport->release(conn);
		if (conn->drained)
			break;
	}
	if (path_usable(path))
		path_watch(path); /* a watch stops when it sees an error */
	path_tell_ready(path);
}
