/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - the life of a connection's data, and the frames of z/VSE about it */
#include "lfpd/sock/stream.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "lfpd/saved/saved-records.h"
#include "lfpd/sock/gate.h"
#include "lfpd/sock/gather.h"
#include "lfpd/sock/joined.h"
#include "lfpd/sock/nagle.h"
#include "lfpd/sock/stream-names.h"

/*
 * Theory of operation
 *
 * Bytes of z/VSE count as consumed when the kernel has them, or when they are thrown away.
 *
 * Urgent data stays where it is in the stream, both ways: the byte has a frame of its own. As in
 * TCP, only the last waiting byte is urgent.
 *
 * stream-out.c writes the host's socket, stream-in.c reads it.
 */

void stream_consume(struct socket *sock, size_t len)
{
	struct lfp_frame frame = {.code = LFP_WINDOW, .sock = sock->node.key, .epoch = sock->epoch};

	if (!lfp_window_consume(&sock->in, (uint32_t)len) || !sock->session)
		return;
	frame.window.consumed = sock->in.consumed;
	session_send(sock->session, &frame);
}

void stream_report(struct socket *sock)
{
	struct lfp_frame frame = {.code = LFP_WINDOW, .sock = sock->node.key, .epoch = sock->epoch};

	if (!sock->session || !lfp_window_settle(&sock->in))
		return;
	frame.window.consumed = sock->in.consumed;
	session_send(sock->session, &frame);
}

int stream_handle_outq(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	struct lfp_frame reply = session_reply(frame);
	int unacked = 0, unsent = 0;

	(void)why;
	stream_report(sock);
	if (ioctl(sock->fd, SIOCOUTQ, &unacked) || ioctl(sock->fd, SIOCOUTQNSD, &unsent))
		reply.status = (uint16_t)errno;
	reply.outq.unacked = (uint32_t)unacked;
	reply.outq.unsent = (uint32_t)unsent;
	session_send(sock->session, &reply);
	return 0;
}

void stream_drop(struct socket *sock)
{
	size_t len;

	if (sock->is_datagram)
		return;
	len = sock->stream.queue.len;
	sock->stream.has_urgent = false;
	queue_consume(&sock->stream.queue, &sock->instance->pool, len);
	if (len)
		stream_consume(sock, len);
}

void stream_reset(struct socket *sock)
{
	socket_set_from_host(sock, FROM_READS);
	socket_set_to_host_end(sock, TO_OPEN);
	sock->stream.accepted = false;
	sock->stream.gated = RULES_UNNAMED;
	gate_forget(sock);
	joined_renew(sock);
	stream_names_finish(sock);
	sock->stream.more = false;
	sock->stream.broken = 0;
	nagle_let(sock);
	stream_drop(sock);
}

void stream_restore(struct socket *sock, const struct saved_socket *saved)
{
	sock->stream.accepted = saved->flags & SAVED_ACCEPTED;
	joined_restored(sock, saved);
	if (saved->flags & SAVED_GATED)
		sock->stream.gated = saved->flags & SAVED_BY_HTTP ? RULES_BY_HTTP : RULES_BY_TLS;
	sock->stream.more = saved->flags & SAVED_MORE;
	sock->stream.has_urgent = saved->flags & SAVED_URGENT;
	sock->stream.urgent_at = saved->urgent_at;
	sock->stream.credit = saved->credit;
	sock->stream.broken = saved->error;
	if (saved->flags & SAVED_END_QUEUED)
		socket_set_to_host_end(sock, TO_END_QUEUED);
	if (saved->flags & SAVED_END_SENT)
		socket_set_to_host_end(sock, TO_END_SENT);
	if (saved->flags & SAVED_EOF)
		socket_set_from_host(sock, FROM_EOF);
	if (saved->flags & SAVED_READ_SHUT)
		socket_set_from_host(sock, saved->flags & SAVED_EOF ? FROM_EOF_SHUT : FROM_SHUT);
}

void stream_begin(struct socket *sock)
{
	socket_set_state(sock, SOCKET_ESTABLISHED);
	socket_hint(sock, HINT_ERRORS, true);
	/* If this process dies, what is cut off must not look finished to the peer. */
	socket_reset_at_close(sock, true);
	/* Bytes of the connection before this one count, too. */
	stream_report(sock);
	if (sock->instance->on_named)
		sock->instance->on_named(sock);
	if (!sock->stream.accepted)
		joined_connected(sock);
	socket_arm(sock);
}

void stream_note_broken(struct socket *sock, int error)
{
	sock->stream.broken = error;
	joined_part(sock);
}

/* Checks that DATA continues the bytes received so far, and fits the window. */
static int arrive(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	*why = "DATA at a wrong position, or more than the window allows";
	return lfp_window_arrive(&sock->in, frame->data.position, frame->data.payload.len);
}

int stream_handle_late_data(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	int rc = arrive(sock, frame, why);

	if (!rc)
		stream_consume(sock, frame->data.payload.len);
	return rc;
}

int stream_handle_data(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	const struct lfp_bytes *payload = &frame->data.payload;
	struct held_pipe *pipe;
	int rc = arrive(sock, frame, why);

	if (rc)
		return rc;
	sock->instance->counters.bytes_to_host += payload->len;
	if ((frame->flags & LFP_FRAME_URGENT) && payload->len != 1) {
		*why = "urgent data that is not one byte";
		return -EPROTO;
	}
	if (sock->state == SOCKET_LOST || (!sock->is_datagram && sock->stream.broken)) {
		stream_consume(sock, payload->len);
		return 0;
	}
	if (sock->state != SOCKET_ESTABLISHED) {
		*why = "DATA for a socket that is not connected";
		return -EPROTO;
	}
	if (sock->stream.to_host_end != TO_OPEN) {
		*why = "DATA after SHUTDOWN";
		return -EPROTO;
	}
	pipe = path_take_pipe(sock->session->path);
	if (!pipe) {
		gather_add(sock->session, sock, payload, frame->flags);
		return 0;
	}
	gather_send(sock->session);
	stream_take_pipe(sock, pipe, frame->flags & LFP_FRAME_MORE);
	return 0;
}

void stream_shutdown(struct socket *sock, int how)
{
	if (sock->state != SOCKET_ESTABLISHED)
		return;
	if (how != SHUT_WR && !from_host_is_shut(sock->from_host)) {
		socket_set_from_host(sock, sock->from_host == FROM_EOF ? FROM_EOF_SHUT : FROM_SHUT);
		joined_part(sock);
		(void)shutdown(sock->fd, SHUT_RD);
		/* sending has failed, and no reading will report the error now */
		if (sock->stream.broken) {
			socket_lose(sock, sock->stream.broken);
			return;
		}
	}
	if (how != SHUT_RD && sock->stream.to_host_end == TO_OPEN)
		socket_set_to_host_end(sock, TO_END_QUEUED);
	if (!sock->stream.queue.len)
		stream_sent_all(sock);
	else if (sock->stream.gated && sock->stream.to_host_end == TO_END_QUEUED &&
		 stream_opens(sock, true))
		stream_flush(sock);
}
