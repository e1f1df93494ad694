/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.c - frames of z/VSE that are for a socket */
#include "lfpd/session/session.h"

#include <errno.h>

#include "lfpd/sock/life.h"
#include "lfpd/sock/datagram.h"
#include "lfpd/sock/host-socket.h"
#include "lfpd/sock/gather.h"
#include "lfpd/sock/option.h"
#include "lfpd/sock/stream.h"
#include "lfpd/state/session.h"
#include "lfpd/users/refusal.h"
#include "lfpd/users/task.h"

/*
 * Theory of operation
 *
 * A socket may be connected, dissolved and connected again while frames cross. Each such life has
 * an epoch. Both sides count it up at the same place in the order of frames. After a successful
 * CONNECT with family 0, lfpd does so right before its answer, and z/VSE with that answer. Both do
 * so with a SHUTDOWN that ends a listener. A frame of z/VSE with a smaller epoch was sent before
 * z/VSE knew of the new one, and is late:
 *
 *   DATA                counts in the window, as positions go on, and is thrown away
 *   WINDOW              counts as always
 *   SHUTDOWN, ACCEPT    are dropped: their life of the socket is over
 *   CONNECT, family 0   has nothing left to dissolve: status 0, and no further epoch
 *   CONNECT             ECONNABORTED: the dissolving came first
 *   LISTEN              EINVAL, for the same reason
 *   other requests      are about the socket, not about a life of it
 *
 * A failed attempt starts no epoch: it carried no data, and CONNECTED, or the answer, is its last
 * frame in both directions. RESET starts none either: CLOSE or a CONNECT with family 0 follows, and
 * the state drops all frames that cross it. If RESET and that CONNECT cross, the CONNECT works as
 * if sent after RESET; RESET, with the old epoch, comes before its answer. SHUTDOWN for a
 * connecting socket ends the attempt as a failure does.
 */

typedef int (*socket_handler)(struct socket *sock, const struct lfp_frame *frame, const char **why);

static const socket_handler socket_handlers[256] = {
	[LFP_BIND] = socket_handle_bind,
	[LFP_CONNECT] = connect_handle,
	[LFP_LISTEN] = listen_handle_listen,
	[LFP_ACCEPT] = listen_handle_accept,
	[LFP_SHUTDOWN] = flow_handle_shutdown,
	[LFP_CLOSE] = life_handle_close,
	[LFP_GETSOCKNAME] = socket_handle_getsockname,
	[LFP_GETPEERNAME] = socket_handle_getpeername,
	[LFP_GETSOCKOPT] = option_handle_get,
	[LFP_SETSOCKOPT] = option_handle_set,
	[LFP_DATA] = stream_handle_data,
	[LFP_DATAGRAM] = datagram_handle,
	[LFP_SENT] = datagram_handle_sent,
	[LFP_ERRQUEUE] = datagram_handle_errqueue,
	[LFP_WINDOW] = flow_handle_window,
	[LFP_OUTQ] = stream_handle_outq,
	[LFP_TAKEN] = life_handle_taken,
};

bool dispatch_knows(uint8_t code)
{
	return socket_handlers[code];
}

/* The frame was sent before z/VSE knew of the socket's present life. */
static int take_late(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	switch (frame->code) {
	case LFP_DATA:
		return stream_handle_late_data(sock, frame, why);
	case LFP_SHUTDOWN:
	case LFP_ACCEPT:
		return 0;
	case LFP_CONNECT:
		session_answer(sock->session, frame,
			       frame->connect.peer.family == LFP_AF_UNSPEC ? 0 : ECONNABORTED);
		return 0;
	case LFP_LISTEN:
		session_answer(sock->session, frame, EINVAL);
		return 0;
	}
	return socket_handlers[frame->code](sock, frame, why);
}

static int take(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	enum lfp_age age = lfp_epoch_age(frame->epoch, sock->epoch);

	/* It ends all lives. */
	if (frame->code == LFP_CLOSE)
		return life_handle_close(sock, frame, why);
	if (sock->state == SOCKET_DEAD) {
		if (frame->request)
			session_answer(sock->session, frame, EPROTO);
		return 0;
	}
	/* Datagram sockets have one life. */
	if (age == LFP_FUTURE || (age == LFP_LATE && sock->is_datagram)) {
		*why = "its socket id has an epoch that has not begun";
		return -EPROTO;
	}
	if (age == LFP_LATE)
		return take_late(sock, frame, why);
	return socket_handlers[frame->code](sock, frame, why);
}

void dispatch_to_socket(struct session *session, const struct lfp_frame *frame)
{
	struct lfp_table_link *node = lfp_table_find(&session->sockets, frame->sock);
	const char *why = "";

	if (!node) {
		refusal_answer(session, frame, EBADF, "there is no such socket");
	} else if (take(socket_of(node), frame, &why)) {
		gather_send(session);
		disagree_on_socket(socket_of(node), frame, why);
	}
}
