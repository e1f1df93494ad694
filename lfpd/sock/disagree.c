/* SPDX-License-Identifier: Apache-2.0 */
/* disagree.c - frames of z/VSE that do not fit: they cost one socket, not the path */
#include "lfpd/sock/host-socket.h"

#include <errno.h>

#include "lfpd/state/session.h"
#include "lfpd/users/refusal.h"
#include "lfpd/users/task.h"

/*
 * Theory of operation
 *
 * A path carries the sockets of many programs, and one program must not end the connections of
 * others. So only four kinds of errors end the path: framing of packets, their sequence, the
 * message limit and the session's dialogue. Any other wrong frame ends its socket. lfpd resets the
 * host's connection at once and sends RESET with EPROTO. z/VSE answers with CLOSE. Until then the
 * socket is DEAD and frames for it have no effect.
 *
 * A RESET for an id that lfpd does not have starts no exchange: z/VSE drops it, or closes a socket
 * that it has; CLOSE is a request, and EBADF is its answer.
 */

void disagree_on_socket(struct socket *sock, const struct lfp_frame *frame, const char *why)
{
	struct session *session = sock->session;

	refusal_of_frame(session->instance, frame, socket_owner(sock), why);
	if (frame->code == LFP_CLOSE) {
		/* It ends the socket anyhow. */
		session_answer(session, frame, EPROTO);
		socket_release(sock, true);
		return;
	}
	socket_kill(sock);
	if (frame->request)
		session_answer(session, frame, EPROTO);
}

void disagree_no_memory(struct socket *sock)
{
	const struct lfp_frame frame = {.code = LFP_DATAGRAM, .sock = sock->node.key};

	refusal_of_frame(sock->instance, &frame, socket_owner(sock),
			 "not enough memory for the rest of it");
	socket_kill(sock);
}
