/* SPDX-License-Identifier: Apache-2.0 */
/* stream-out.c - the data of a connection on its way to the host */
#include "lfpd/sock/stream.h"

#include <errno.h>
#include <sys/socket.h>

#include "lfpd/sock/gate.h"
#include "lfpd/sock/gather.h"
#include "lfpd/sock/joined.h"
#include "lfpd/sock/metered.h"
#include "lfpd/sock/nagle.h"
#include "transport/pipes.h"

/*
 * Theory of operation
 *
 * Consecutive DATA frames are sent together, from the packets they came in (gather.c). Payload that
 * came in a pipe is sent from there. Data that the kernel does not take waits in the socket's
 * queue, which its window bounds: bytes of packets are copied, bytes in a pipe stay there. Data of
 * a joined connection goes to the other end instead, as far as joined.h lets it.
 *
 * When send() fails, what the peer sent before is still read first, as a program could.
 */

#define VECTORS 16

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

void stream_sent_all(struct socket *sock)
{
	if (sock->state == SOCKET_ORPHAN) {
		socket_release(sock, false);
		return;
	}
	if (!goes_on(sock))
		nagle_push(sock);
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
		stream_consume(sock, (size_t)n);
		if ((size_t)n < len) {
			socket_arm(sock);
			return;
		}
	}
	stream_sent_all(sock);
}

bool stream_opens(struct socket *sock, bool is_end)
{
	size_t before = sock->stream.queue.len;
	int rc = gate_opens(sock, is_end);

	if (rc < 0) {
		/* Bytes in the queue count when it is dropped. */
		stream_consume(sock, before - sock->stream.queue.len);
		socket_lose(sock, ENOBUFS);
	}
	return rc > 0;
}

void stream_left(struct socket *sock, size_t n, bool shifted)
{
	metered_pass(sock, METER_OUT, n);
	if (!shifted)
		queue_consume(&sock->stream.queue, &sock->instance->pool, n);
	stream_consume(sock, n);
	if (!sock->stream.queue.len)
		send_end(sock);
}

/* Bytes wait in the queue that the kernel does not take, or that must not go yet. */
static void queued(struct socket *sock)
{
	if (sock->stream.gated ? stream_opens(sock, false)
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

void stream_take_pipe(struct socket *sock, struct held_pipe *pipe, bool more)
{
	size_t before = sock->stream.queue.len;
	uint32_t len = pipe->held;
	ssize_t n = 0;

	/* It was lost while earlier data was sent. */
	if (sock->state != SOCKET_ESTABLISHED || sock->stream.broken) {
		stream_consume(sock, len);
		pipe_put(pipe);
		return;
	}
	nagle_note(sock, len, more);
	if (is_open(sock, len, false))
		n = drain(sock, pipe, SIZE_MAX, goes_on(sock));
	if (n < 0 && !is_pressure((int)-n)) {
		stream_consume(sock, len);
		pipe_put(pipe);
		break_off(sock, (int)-n);
		return;
	}
	if (n > 0) {
		sock->stream.joined.in_tcp += (size_t)n;
		metered_pass(sock, METER_OUT, (size_t)n);
		stream_consume(sock, (size_t)n);
	}
	if (!pipe->held) {
		pipe_put(pipe);
		if (!goes_on(sock))
			nagle_push(sock);
	} else if (queue_append_pipe(&sock->stream.queue, &sock->instance->pool, pipe)) {
		/* Bytes in the queue count when it is dropped. */
		stream_consume(sock,
			       len - (n > 0 ? (uint32_t)n : 0) - (sock->stream.queue.len - before));
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
		stream_consume(sock, gather->len);
		return;
	}

	nagle_note(sock, gather->len, more);
	if (is_open(sock, gather->len, urgent)) {
		int flags = (goes_on(sock) ? MSG_MORE : 0) | (urgent ? MSG_OOB : 0);
		ssize_t n;

		flags |= MSG_DONTWAIT | MSG_NOSIGNAL;
		do
			n = gather_write(gather, sock->fd, flags);
		while (n < 0 && errno == EINTR);
		if (n < 0 && !is_pressure(errno)) {
			int error = errno;

			stream_consume(sock, gather->len);
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
			stream_consume(sock, gather->len - (sock->stream.queue.len - before));
			socket_lose(sock, ENOBUFS);
			return;
		}
		if (urgent) {
			sock->stream.has_urgent = true;
			sock->stream.urgent_at = sock->in.received - 1;
		}
		queued(sock);
	} else if (!goes_on(sock)) {
		nagle_push(sock);
	}
	if (done) {
		metered_pass(sock, METER_OUT, done);
		stream_consume(sock, done);
	}
}
