/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - the data of a connection on its way to the host */
#include "lfpd/sock/stream.h"
#include "lfpd/sock/stream-names.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "lfpd/saved/saved-records.h"
#include "lfpd/sock/gate.h"
#include "lfpd/sock/gather.h"
#include "lfpd/sock/joined.h"
#include "lfpd/sock/metered.h"
#include "transport/pipes.h"

/*
 * Theory of operation
 *
 * To the host: consecutive DATA frames are sent together, from the packets they came in (gather.c).
 * Data that the kernel does not take is copied to the socket's queue, which its window bounds.
 * Bytes count as consumed when the kernel has them, or when they are thrown away. Frames with MORE
 * go out with MSG_MORE, so that Nagle's algorithm sees the program's writes and not the frames.
 * There are two exceptions: the kernel may send a small segment despite MSG_MORE, and a long write
 * arrives in parts that fit into the near end's buffer. The end of the write would then wait for an
 * acknowledgement, 40 ms where the peer delays it. So it is pushed by TCP_NODELAY, if enough bytes
 * have been sent to pay for a small segment. TCP_NODELAY then stays while the ends of further
 * writes are paid for, and z/VSE does not see it.
 *
 * Urgent data stays where it is in the stream, both ways: the byte has a frame of its own. As in
 * TCP, only the last waiting byte is urgent.
 *
 * When send() fails, what the peer sent before is still read first, as a program could.
 *
 * stream-in.c reads the host's socket.
 */

#define VECTORS    16
#define PUSH_COST  2048u /* bytes for each small segment */
#define CREDIT_MAX 65536u

static void consume(struct socket *sock, size_t len)
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
		consume(sock, len);
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
	stream_let_nagle(sock);
	stream_drop(sock);
}

void stream_restore(struct socket *sock, const struct saved_socket *saved)
{
	sock->stream.accepted = saved->flags & SAVED_ACCEPTED;
	joined_restored(sock);
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

/* send() has failed: send nothing more, but still read what the peer has sent. */
static void break_off(struct socket *sock, int error)
{
	if (sock->state == SOCKET_ORPHAN) {
		socket_release(sock, true);
		return;
	}
	stream_note_broken(sock, error);
	stream_drop(sock);
	if (sock->from_host != FROM_READS && sock->from_host != FROM_WAITS)
		socket_lose(sock, error);
	else
		stream_on_readable(sock);
}

static bool is_on(const struct socket *sock, int option)
{
	int on = 0;
	socklen_t len = sizeof(on);

	return !getsockopt(sock->fd, IPPROTO_TCP, option, &on, &len) && on;
}

static void set_nodelay(const struct socket *sock, int on)
{
	(void)setsockopt(sock->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

void stream_let_nagle(struct socket *sock)
{
	if (sock->stream.nagle != NAGLE_LIFTED)
		return;
	set_nodelay(sock, 0);
	sock->stream.nagle = NAGLE_ACTS;
}

void stream_forget_nagle(struct socket *sock)
{
	stream_let_nagle(sock);
	sock->stream.nagle = NAGLE_UNKNOWN;
}

/* Returns whether Nagle's algorithm holds bytes of the socket, and the program has not corked it.
 */
static bool is_held(struct socket *sock)
{
	int held = 0;

	if (sock->stream.nagle == NAGLE_UNKNOWN)
		sock->stream.nagle =
			is_on(sock, TCP_NODELAY) || is_on(sock, TCP_CORK) ? NAGLE_OUT : NAGLE_ACTS;
	return sock->stream.nagle == NAGLE_ACTS && !ioctl(sock->fd, SIOCOUTQNSD, &held) && held;
}

/* A write has ended: what Nagle's algorithm holds of it goes. So do the ends of the next writes,
 * while they pay for it. */
static void push(struct socket *sock)
{
	if (sock->stream.credit < PUSH_COST)
		return;
	if (sock->stream.nagle != NAGLE_LIFTED) {
		if (!is_held(sock))
			return;
		set_nodelay(sock, 1);
		sock->stream.nagle = NAGLE_LIFTED;
	}
	sock->stream.credit -= PUSH_COST;
	if (sock->stream.credit < PUSH_COST)
		stream_let_nagle(sock);
}

/* Returns whether the program's write goes on, and Nagle's algorithm may hold its end. The other
 * end of a joined connection must not wait for the rest, which may come directly. */
static bool goes_on(const struct socket *sock)
{
	return sock->stream.more && !sock->stream.joined.other;
}

/* All that was queued is sent: sends what follows. */
static void send_end(struct socket *sock)
{
	if (sock->stream.to_host_end == TO_END_QUEUED) {
		socket_set_to_host_end(sock, TO_END_SENT);
		/* ENOTCONN: the peer has reset; receiving will say so. */
		(void)shutdown(sock->fd, SHUT_WR);
	}
	socket_arm(sock);
}

/* All that was queued is sent. */
static void sent_all(struct socket *sock)
{
	if (sock->state == SOCKET_ORPHAN) {
		socket_release(sock, false);
		return;
	}
	if (!goes_on(sock))
		push(sock);
	send_end(sock);
}

static bool is_pressure(int error)
{
	return error == EAGAIN || error == ENOBUFS || error == ENOMEM;
}

/* Returns the number of bytes, at most @most, that have left @pipe for the host, or a negative
 * errno. */
static ssize_t drain(struct socket *sock, struct held_pipe *pipe, size_t most, bool more)
{
	ssize_t n = pipe_drain_some(pipe, sock->fd, most, more);

	/* We have not ended our direction, so an error was spent: see is_reset_unseen(). */
	return n == -EPIPE ? -ECONNRESET : n;
}

/* Sends at most @most queued bytes from the pipe that has them. Returns their number or a negative
 * errno. */
static ssize_t send_pipe(struct socket *sock, struct held_pipe *pipe, size_t *len, size_t most)
{
	*len = pipe->held < most ? pipe->held : most;
	return drain(sock, pipe, *len, *len < sock->stream.queue.len || goes_on(sock));
}

/* Cut a vector of @nr elements to its first @len bytes; returns how many elements are left. */
static size_t cut_vector(struct iovec *vector, size_t nr, size_t len)
{
	size_t i = 0;

	for (; i < nr && len; i++) {
		if (vector[i].iov_len > len)
			vector[i].iov_len = len;
		len -= vector[i].iov_len;
	}
	return i;
}

/* Sets @msg to the queued bytes up to an urgent one, or to that one, but to at most @most bytes;
 * returns the flags to send it. */
static int next_to_send(struct socket *sock, struct msghdr *msg, size_t *len, size_t most)
{
	int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
	uint64_t before;

	msg->msg_iovlen = queue_vector(&sock->stream.queue, msg->msg_iov, VECTORS, len);
	if (sock->stream.has_urgent) {
		before = sock->stream.urgent_at - (sock->in.received - sock->stream.queue.len);
		if (!before)
			flags |= MSG_OOB;
		if (*len > (before ? before : 1)) {
			*len = before ? (size_t)before : 1;
			msg->msg_iovlen = cut_vector(msg->msg_iov, msg->msg_iovlen, *len);
		}
	}
	if (*len > most) {
		*len = most;
		msg->msg_iovlen = cut_vector(msg->msg_iov, msg->msg_iovlen, *len);
	}
	if (!(flags & MSG_OOB) && (*len < sock->stream.queue.len || goes_on(sock)))
		flags |= MSG_MORE;
	return flags;
}

/* Sends queued bytes from buffers. Returns their number or a negative errno. */
static ssize_t send_queue(struct socket *sock, int *flags, size_t *len, size_t most)
{
	struct iovec vector[VECTORS];
	struct msghdr msg = {.msg_iov = vector};
	ssize_t n;

	*flags = next_to_send(sock, &msg, len, most);
	do
		n = sendmsg(sock->fd, &msg, *flags);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

void stream_flush(struct socket *sock)
{
	struct buffer_pool *pool = &sock->instance->pool;

	if (sock->stream.gated)
		return;
	if (joined_holds(sock)) {
		joined_push(sock);
		return;
	}
	while (sock->stream.queue.len) {
		struct held_pipe *pipe = queue_pipe(&sock->stream.queue);
		size_t len, most = metered_may(sock, METER_OUT);
		int flags = 0, error;
		ssize_t n;

		if (!most) {
			socket_arm(sock);
			return;
		}
		if (pipe)
			n = send_pipe(sock, pipe, &len, most);
		else
			n = send_queue(sock, &flags, &len, most);
		error = n < 0 ? (int)-n : 0;
		if (error) {
			if (is_pressure(error))
				socket_arm(sock);
			else
				break_off(sock, error);
			return;
		}
		sock->stream.progress = uv_now(sock->instance->loop);
		if (flags & MSG_OOB)
			sock->stream.has_urgent = false;
		sock->stream.joined.in_tcp += (size_t)n;
		metered_pass(sock, METER_OUT, (size_t)n);
		queue_consume(&sock->stream.queue, pool, (size_t)n);
		consume(sock, (size_t)n);
		if ((size_t)n < len) {
			socket_arm(sock);
			return;
		}
	}
	sent_all(sock);
}

/* Returns whether the gated bytes may go. @is_end: no more will come. */
static bool opens(struct socket *sock, bool is_end)
{
	size_t before = sock->stream.queue.len;
	int rc = gate_opens(sock, is_end);

	if (rc < 0) {
		/* Bytes in the queue count when it is dropped. */
		consume(sock, before - sock->stream.queue.len);
		socket_lose(sock, ENOBUFS);
	}
	return rc > 0;
}

void stream_left(struct socket *sock, size_t n, bool shifted)
{
	metered_pass(sock, METER_OUT, n);
	if (!shifted)
		queue_consume(&sock->stream.queue, &sock->instance->pool, n);
	consume(sock, n);
	if (!sock->stream.queue.len)
		send_end(sock);
}

/* Bytes wait in the queue that the kernel does not take, or that must not go yet. */
static void queued(struct socket *sock)
{
	if (sock->stream.gated ? opens(sock, false)
			       : sock->stream.joined.other || metered_has_rate(sock))
		stream_flush(sock);
	else if (!sock->stream.gated)
		socket_arm(sock);
}

/* Returns whether @len bytes that come now may go at once. */
static bool is_open(struct socket *sock, size_t len, bool urgent)
{
	return !sock->stream.queue.len && !sock->stream.gated && (urgent || !joined_holds(sock)) &&
	       metered_lets(sock, METER_OUT, len);
}

/* A short write that came in one piece pays for nothing: Nagle's algorithm sees it as it was made.
 */
static void note_arrival(struct socket *sock, uint32_t len, bool more)
{
	bool whole = !more && !sock->stream.more;

	sock->stream.more = more;
	if (whole && len < PUSH_COST)
		return;
	sock->stream.credit += len;
	if (sock->stream.credit > CREDIT_MAX)
		sock->stream.credit = CREDIT_MAX;
}

/* Sends @pipe's bytes to the host; those that the kernel does not take wait in the pipe. */
static void take_pipe(struct socket *sock, struct held_pipe *pipe, bool more)
{
	size_t before = sock->stream.queue.len;
	uint32_t len = pipe->held;
	ssize_t n = 0;

	/* It was lost while earlier data was sent. */
	if (sock->state != SOCKET_ESTABLISHED || sock->stream.broken) {
		consume(sock, len);
		pipe_put(pipe);
		return;
	}
	note_arrival(sock, len, more);
	if (is_open(sock, len, false))
		n = drain(sock, pipe, SIZE_MAX, goes_on(sock));
	if (n < 0 && !is_pressure((int)-n)) {
		consume(sock, len);
		pipe_put(pipe);
		break_off(sock, (int)-n);
		return;
	}
	if (n > 0) {
		sock->stream.joined.in_tcp += (size_t)n;
		metered_pass(sock, METER_OUT, (size_t)n);
		consume(sock, (size_t)n);
	}
	if (!pipe->held) {
		pipe_put(pipe);
		if (!goes_on(sock))
			push(sock);
	} else if (queue_append_pipe(&sock->stream.queue, &sock->instance->pool, pipe)) {
		/* Bytes in the queue count when it is dropped. */
		consume(sock, len - (n > 0 ? (uint32_t)n : 0) - (sock->stream.queue.len - before));
		pipe_put(pipe);
		socket_lose(sock, ENOBUFS);
	} else {
		queued(sock);
	}
}

void stream_take(struct socket *sock, struct gather *gather)
{
	bool more = gather->flags & LFP_FRAME_MORE, urgent = gather->flags & LFP_FRAME_URGENT;
	size_t done = 0, before = sock->stream.queue.len;

	/* It was lost while this was gathered. */
	if (sock->state != SOCKET_ESTABLISHED || sock->stream.broken) {
		consume(sock, gather->len);
		return;
	}

	note_arrival(sock, gather->len, more);
	if (is_open(sock, gather->len, urgent)) {
		int flags = (goes_on(sock) ? MSG_MORE : 0) | (urgent ? MSG_OOB : 0);
		ssize_t n;

		flags |= MSG_DONTWAIT | MSG_NOSIGNAL;
		do
			n = gather_write(gather, sock->fd, flags);
		while (n < 0 && errno == EINTR);
		if (n < 0 && !is_pressure(errno)) {
			int error = errno;

			consume(sock, gather->len);
			break_off(sock, error);
			return;
		}
		done = n > 0 ? (size_t)n : 0;
		sock->stream.joined.in_tcp += done;
	}
	if (done < gather->len) {
		if (gather_queue(gather, &sock->stream.queue, &sock->instance->pool, done)) {
			/* The stream would lack these bytes, so the connection is lost; others go
			 * on. Bytes in the queue count when it is dropped. */
			consume(sock, gather->len - (sock->stream.queue.len - before));
			socket_lose(sock, ENOBUFS);
			return;
		}
		if (urgent) {
			sock->stream.has_urgent = true;
			sock->stream.urgent_at = sock->in.received - 1;
		}
		queued(sock);
	} else if (!goes_on(sock)) {
		push(sock);
	}
	if (done) {
		metered_pass(sock, METER_OUT, done);
		consume(sock, done);
	}
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
		consume(sock, frame->data.payload.len);
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
		consume(sock, payload->len);
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
	take_pipe(sock, pipe, frame->flags & LFP_FRAME_MORE);
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
		sent_all(sock);
	else if (sock->stream.gated && sock->stream.to_host_end == TO_END_QUEUED &&
		 opens(sock, true))
		stream_flush(sock);
}
