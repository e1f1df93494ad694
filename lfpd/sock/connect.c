/* SPDX-License-Identifier: Apache-2.0 */
/* connect.c - connecting, in two steps, and dissolving a connection */
#include "lfpd/sock/life.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "lfp/addr.h"
#include "lfp/interface.h"
#include "lfpd/sock/datagram.h"
#include "lfpd/sock/logged.h"
#include "lfpd/sock/metered.h"
#include "lfpd/sock/paused.h"
#include "lfpd/sock/stream.h"
#include "lfpd/sock/stream-names.h"
#include "lfpd/sock/via.h"

/*
 * Theory of operation
 *
 * CONNECT_REPLY carries the kernel's first answer. A connection to a peer on this machine is
 * established by then, as TCP_INFO shows. Otherwise lfpd calls connect() again when the socket
 * becomes writable. Unlike SO_ERROR alone, this leaves the socket ready for another attempt.
 *
 * With TCP_FASTOPEN_CONNECT and a cookie of the peer, connect() succeeds at once, and the kernel
 * sends SYN with the first data. If the server speaks first, both sides would wait for ever. Before
 * the first data getpeername() fails with ENOTCONN (net/ipv4/af_inet.c, inet_getname()). So lfpd
 * sends SYN at once, and the program sees an ordinary connect().
 */

/* The attempt, or the connection, is over. */
static void forget_way(struct socket *sock)
{
	via_forget(sock);
	metered_leave(sock);
}

/* The kernel's connect(); a positive errno or 0. */
static int call_connect(const struct socket *sock)
{
	int rc;

	do
		rc = connect(sock->fd, (const struct sockaddr *)&sock->stream.peer,
			     sock->stream.peer_len)
			     ? errno
			     : 0;
	while (rc == EINTR);
	return rc;
}

/* Makes the first connect() of an attempt. Returns a positive errno or 0. */
static int begin_connect(const struct socket *sock)
{
	int rc = call_connect(sock);

	/* A socket that does not block is connected at once only if Linux defers SYN until data
	 * is sent (net/ipv4/tcp_fastopen.c, tcp_fastopen_defer_connect()). */
	if (!rc && send(sock->fd, NULL, 0, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		rc = errno;
	return rc;
}

/* The next connect() makes the socket forget the address that the attempt had. */
static void keep_source(struct socket *sock)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	if (getsockname(sock->fd, (struct sockaddr *)&addr, &len) ||
	    lfp_addr_from(&sock->stream.source, (struct sockaddr *)&addr, len))
		sock->stream.source.family = 0;
}

/* Returns the result of the attempt: a positive errno or 0; EALREADY while it goes on. */
static int connect_result(struct socket *sock)
{
	int error = 0, rc;
	socklen_t len = sizeof(error);

	if (sock->stream.via)
		return via_result(sock);
	if (getsockopt(sock->fd, SOL_SOCKET, SO_ERROR, &error, &len))
		error = errno;
	/* Made and already reset: another connect() would throw away what has arrived. */
	if (error == ECONNRESET || error == EPIPE)
		return error;
	if (error)
		keep_source(sock);
	/* This leaves the socket as connected, or ready for another attempt. */
	rc = call_connect(sock);
	if (error)
		return error;
	if (rc == EINPROGRESS)
		return EALREADY;
	return rc == EISCONN ? 0 : rc;
}

static void count(struct socket *sock, int error)
{
	if (error)
		sock->instance->counters.connects_failed++;
	else
		sock->instance->counters.connects++;
}

/* The attempt has ended with @rc, a positive errno or 0. */
static void end_attempt(struct socket *sock, int rc)
{
	struct lfp_frame frame = {
		.code = LFP_CONNECTED, .sock = sock->node.key, .epoch = sock->epoch};

	if (rc == ECONNRESET || rc == EPIPE) {
		stream_note_broken(sock, rc);
		rc = 0;
	}
	frame.status = (uint16_t)rc;
	session_send(sock->session, &frame);
	count(sock, rc);
	logged_connect(sock, rc);
	if (!rc) {
		stream_begin(sock);
	} else {
		forget_way(sock);
		socket_set_state(sock, SOCKET_NEW);
	}
}

void connect_finish(struct socket *sock)
{
	int rc = connect_result(sock);

	if (rc != EALREADY)
		end_attempt(sock, rc);
	else if (sock->stream.via)
		socket_arm(sock); /* what it waits for may be another event now */
}

/* Returns the kernel's state of the connection, such as TCP_ESTABLISHED; TCP_CLOSE if unknown. */
static int tcp_state(const struct socket *sock)
{
	uint8_t state; /* the first field of struct tcp_info */
	socklen_t len = sizeof(state);

	return getsockopt(sock->fd, IPPROTO_TCP, TCP_INFO, &state, &len) ? TCP_CLOSE : state;
}

/* Looks at an attempt that has just begun. A connection that is made needs no other connect(). */
static void look(struct socket *sock)
{
	int state = tcp_state(sock);

	if (state == TCP_CLOSE)
		connect_finish(sock);
	else if (state != TCP_SYN_SENT && state != TCP_SYN_RECV)
		end_attempt(sock, 0);
}

void connect_give_up(struct socket *sock, int how)
{
	struct lfp_frame frame = {.code = LFP_CONNECTED,
				  .sock = sock->node.key,
				  .epoch = sock->epoch,
				  .status = ECONNRESET};

	if (sock->stream.via)
		via_give_up(sock);
	else
		(void)shutdown(sock->fd, how);
	session_send(sock->session, &frame);
	logged_connect(sock, ECONNRESET);
	forget_way(sock);
	socket_set_state(sock, SOCKET_NEW);
	socket_arm(sock);
}

/* connect() to AF_UNSPEC: the socket is as new, but for its options and its name. */
static int dissolve(struct socket *sock)
{
	int rc = lfp_interface_disconnect(sock->fd, sock->policy.interface);

	if (rc)
		return rc;
	if (sock->state == SOCKET_CONNECTING) {
		struct lfp_frame frame = {.code = LFP_CONNECTED,
					  .sock = sock->node.key,
					  .epoch = sock->epoch,
					  .status = ECONNABORTED};

		session_send(sock->session, &frame);
		logged_connect(sock, ECONNABORTED);
	}
	logged_end(sock, 0);
	forget_way(sock);
	socket_end_listener(sock);
	stream_reset(sock);
	socket_set_state(sock, SOCKET_NEW);
	socket_arm(sock);
	paused_go_on(sock->instance, sock->share);
	/* Last: z/VSE counts up with the answer, so all that was sent before has the old epoch. */
	socket_next_life(sock);
	return 0;
}

static int start_connect(struct socket *sock, const struct lfp_addr *peer)
{
	struct socket_way way;
	int rc;

	if (sock->is_datagram)
		return datagram_connect(sock, peer);
	if (peer->family == LFP_AF_UNSPEC)
		return dissolve(sock);
	if (sock->state == SOCKET_CONNECTING)
		return -EALREADY;
	if (sock->state != SOCKET_NEW)
		return -EISCONN;
	sock->stream.source.family = 0;
	sock->stream.peer_len = lfp_addr_to(peer, &sock->stream.peer);
	rc = socket_reach(sock, &sock->stream.peer, &way);
	if (!rc && !sock->stream.upstream)
		rc = socket_bind_implicitly(sock, &sock->stream.peer);
	/* Behind a proxy the answers are not the name server's. */
	stream_names_finish(sock);
	if (!rc && !sock->stream.upstream)
		stream_names_begin(sock);
	logged_attempt(sock, peer);
	if (rc) {
		logged_connect(sock, -rc);
		forget_way(sock);
		return rc;
	}
	rc = sock->stream.upstream ? via_begin(sock, way.name, connect_finish)
				   : begin_connect(sock);
	if (rc != EINPROGRESS) {
		count(sock, rc);
		logged_connect(sock, rc);
	}
	if (rc == EINPROGRESS) {
		socket_set_state(sock, SOCKET_CONNECTING);
	} else if (!rc) {
		stream_begin(sock);
	} else {
		forget_way(sock);
	}
	return -rc;
}

int connect_handle(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	int rc = start_connect(sock, &frame->connect.peer);

	(void)why;
	session_answer(sock->session, frame, -rc);
	if (rc != -EINPROGRESS || sock->state != SOCKET_CONNECTING)
		return 0;
	/* To a peer on this machine the handshake is over by now. */
	if (sock->stream.via)
		connect_finish(sock);
	else
		look(sock);
	if (sock->state == SOCKET_CONNECTING)
		socket_arm(sock);
	return 0;
}
