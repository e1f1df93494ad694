/* SPDX-License-Identifier: Apache-2.0 */
/* stream-in.c - the data of a connection on its way from the host */
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "lfpd/sock/joined.h"
#include "lfpd/sock/metered.h"
#include "lfpd/sock/stream-names.h"
#include "lfpd/sock/stream.h"
#include "transport/pipes.h"

/*
 * Theory of operation
 *
 * recv() writes straight into the packet that the path is filling. Where lfpd hosts the LFP
 * instance, splice() moves the pages of large pieces into a pipe instead, which travels by itself.
 * Four things stop it: the socket's window (it goes on with WINDOW), the path's message limit (the
 * socket joins the session's list, which is served in order when the path has room), its turn being
 * over (it goes on in the next turn), and the rate of a rule (metered.h).
 *
 * An urgent byte has a frame of its own. The host's socket has SO_OOBINLINE, so reading stops
 * before it, and SIOCATMARK tells that the next byte is it. lfpd calls SIOCATMARK only after
 * POLLPRI, and where splice() stops. When it reads without an event, also after a full
 * read, it asks for POLLPRI first.
 *
 * The end: recv() says 0, that is SHUTDOWN; or an error, that is RESET. splice() tells no end.
 */

/* Bytes of one socket before others have their turn. A piece by reference may be larger: its bytes
 * are not touched. */
#define TURN_BYTES   65536u
#define ANSWER_BYTES 4096u /* of a name server that are read at once */

static void end_of_file(struct socket *sock)
{
	struct lfp_frame frame = {
		.code = LFP_SHUTDOWN, .sock = sock->node.key, .epoch = sock->epoch};

	socket_set_from_host(sock, FROM_EOF);
	frame.shutdown.how = SHUT_WR;
	frame.shutdown.position = sock->out.sent;
	session_send(sock->session, &frame);
}

/*
 * splice() may spend the socket's error, and report only the bytes that it moved before
 * (fs/splice.c, splice_to_socket()). What it did not move is still in its pipe, and recv() then
 * says end of file. Returns true if that is so: an orderly end leaves our direction open.
 */
static bool is_reset_unseen(const struct socket *sock)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	return queue_pipe(&sock->stream.queue) &&
	       !getsockopt(sock->fd, IPPROTO_TCP, TCP_INFO, &info, &len) &&
	       info.tcpi_state == TCP_CLOSE;
}

/* Ends reading: recv() failed with @error, or returned the end of file (@error 0). */
static void end_reading(struct socket *sock, int error)
{
	if (!error && is_reset_unseen(sock))
		error = ECONNRESET;
	if (sock->stream.broken)
		socket_lose(sock, error ? error : sock->stream.broken);
	else if (error)
		socket_lose(sock, error);
	else
		end_of_file(sock);
}

/* Returns whether the next byte is the urgent one. */
static bool is_at_mark(struct socket *sock)
{
	struct pollfd pfd = {.fd = sock->fd, .events = POLLPRI};
	int at = 0;

	if (sock->stream.hints & HINT_UNSURE) {
		socket_hint(sock, HINT_UNSURE, false);
		if (poll(&pfd, 1, 0))
			socket_hint(sock, HINT_URGENT, true);
	}
	return (sock->stream.hints & HINT_URGENT) && !ioctl(sock->fd, SIOCATMARK, &at) && at;
}

/* Moves bytes by reference, in a pipe. n is -ENOTSUP if they cannot go this way now. */
static struct moved splice_in(struct socket *sock, size_t want)
{
	struct path *path = sock->session->path;
	ssize_t n = path_data_splice(path, sock->fd, want);

	/* Only recv() can tell the end: splice() stops before an urgent byte, too, of which no
	 * event may have told yet. */
	if (!n) {
		socket_hint(sock, HINT_URGENT, true);
		return (struct moved){.n = -ENOTSUP};
	}
	if (n > 0)
		path_data_spliced(path, lfp_sock_join(sock->node.key, sock->epoch), sock->out.sent,
				  0);
	/* A pipe may be full of small pieces, so a short count does not mean that this was all. */
	return (struct moved){.n = n, .large = n >= (ssize_t)PIPE_WORTH};
}

static ssize_t receive(const struct socket *sock, uint8_t *at, size_t len)
{
	ssize_t n;

	do
		n = recv(sock->fd, at, len, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* The same for answers of a name server. The packet may be in memory that is shared with the other
 * side, which must not be able to change what lfpd learns. */
static ssize_t receive_answers(struct socket *sock, uint8_t *at, size_t *len)
{
	uint8_t copy[ANSWER_BYTES];
	ssize_t n;

	if (*len > sizeof(copy))
		*len = sizeof(copy);
	n = receive(sock, copy, *len);
	if (n > 0) {
		stream_names_learn(sock, copy, (size_t)n);
		memcpy(at, copy, (size_t)n);
	}
	return n;
}

static struct moved copy_in(struct socket *sock, size_t want, bool urgent)
{
	struct path *path = sock->session->path;
	uint8_t *at;
	ssize_t n;

	want = path_data_reserve(path, urgent ? 1 : want, &at);
	if (!want)
		return (struct moved){.no_room = true};
	n = sock->stream.answers ? receive_answers(sock, at, &want) : receive(sock, at, want);
	path_data_commit(path, lfp_sock_join(sock->node.key, sock->epoch), sock->out.sent,
			 n > 0 ? (size_t)n : 0, urgent ? LFP_FRAME_URGENT : 0);
	if (n <= 0)
		return (struct moved){.n = n};
	return (struct moved){.n = n, .all = (size_t)n < want, .large = (size_t)n == want};
}

static bool may_splice(const struct socket *sock, size_t want)
{
	return (sock->stream.hints & HINT_BULK) && want >= PIPE_WORTH && !sock->stream.broken &&
	       !sock->stream.answers && pipes_suit_unix();
}

static struct moved move_in(struct socket *sock, size_t room)
{
	size_t want = room < TURN_BYTES ? room : TURN_BYTES;
	struct moved moved = {.n = -ENOTSUP};

	if (may_splice(sock, want))
		moved = splice_in(sock, room);
	/* splice() moves no urgent byte. */
	if (moved.n == -EAGAIN && is_at_mark(sock))
		moved.n = -ENOTSUP;
	return moved.n == -ENOTSUP ? copy_in(sock, want, is_at_mark(sock)) : moved;
}

enum pump stream_pump(struct socket *sock, size_t *moved)
{
	*moved = 0;
	while (*moved < TURN_BYTES || joined_waits(sock)) {
		uint32_t room = lfp_window_room_worth(&sock->out);
		struct moved in;
		bool direct;
		size_t most;

		if (!room) {
			socket_set_from_host(sock, FROM_NO_WINDOW);
			/* A program that only writes must learn that the peer refused the
			 * connection. */
			if (sock->stream.broken)
				socket_lose(sock, sock->stream.broken);
			return PUMP_IDLE;
		}
		most = metered_may(sock, METER_IN);
		if (!most)
			return PUMP_IDLE;
		direct = joined_waits(sock);
		in = (direct ? joined_move : move_in)(sock, room < most ? room : (uint32_t)most);
		if (in.no_room)
			return PUMP_NO_ROOM;
		if (in.n == -EAGAIN && !sock->stream.broken)
			return PUMP_IDLE;
		if (in.n <= 0) {
			end_reading(sock, in.n == -EAGAIN ? 0 : (int)-in.n);
			return PUMP_IDLE;
		}
		metered_pass(sock, METER_IN, (size_t)in.n);
		sock->out.sent += (uint64_t)in.n;
		sock->instance->counters.bytes_to_vse += (uint64_t)in.n;
		*moved += (size_t)in.n;
		joined_came(sock, (size_t)in.n, direct);
		if (direct)
			stream_left(sock->stream.joined.other, (size_t)in.n, in.shifted);
		/* No event tells of data that comes directly. */
		if (joined_waits(sock))
			continue;
		if (direct)
			return PUMP_IDLE;
		socket_hint(sock, HINT_BULK, in.large && *moved >= PIPE_WORTH);
		/* An event reports new data. */
		if (in.all && !sock->stream.broken)
			return PUMP_IDLE;
		/* Urgent data may have come meanwhile. */
		if (!in.all)
			socket_hint(sock, HINT_UNSURE, true);
	}
	return PUMP_AGAIN;
}

void stream_on_readable(struct socket *sock)
{
	struct session *session = sock->session;
	size_t moved;

	if (session_rests(session))
		return;
	if (sock->from_host != FROM_READS)
		return;
	/* Sockets that wait for the path already come first. */
	if (!lfp_list_empty(&session->ready) || stream_pump(sock, &moved) == PUMP_NO_ROOM) {
		socket_wait(sock, false);
		return;
	}
	socket_hint(sock, HINT_URGENT, false);
	socket_hint(sock, HINT_UNSURE, false);
}
