/* SPDX-License-Identifier: Apache-2.0 */
/* flow.c - events that continue or end the data of a socket in any state: room, WINDOW, SHUTDOWN */
#include "lfpd/sock/life.h"

#include <errno.h>

#include "lfpd/sock/datagram.h"
#include "lfpd/sock/stream.h"

void flow_serve(struct session *session)
{
	struct socket *sock;

	while ((sock = lfp_list_first_entry(&session->ready, struct socket, ready))) {
		enum pump result;
		size_t moved;

		socket_set_from_host(sock, FROM_READS);
		if (sock->is_datagram) {
			result = datagram_pump(sock, &moved);
		} else {
			socket_hint(sock, HINT_UNSURE, true);
			result = stream_pump(sock, &moved);
		}
		if (result == PUMP_NO_ROOM) {
			socket_wait(sock, !moved);
			return;
		}
		socket_arm(sock);
	}
}

int flow_handle_window(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	if (lfp_window_report(&sock->out, frame->window.consumed)) {
		*why = "WINDOW counts backwards, or counts more bytes than were sent";
		return -EPROTO;
	}
	if (sock->from_host != FROM_NO_WINDOW)
		return 0;
	if (sock->state == SOCKET_DATAGRAM)
		datagram_go_on(sock);
	if (sock->state != SOCKET_ESTABLISHED)
		return 0;
	socket_set_from_host(sock, FROM_READS);
	socket_hint(sock, HINT_UNSURE, true);
	stream_on_readable(sock);
	socket_arm(sock);
	return 0;
}

int flow_handle_shutdown(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	int how = frame->shutdown.how;

	if (how != SHUT_RD && frame->shutdown.position != sock->in.received) {
		*why = "SHUTDOWN at a wrong position";
		return -EPROTO;
	}
	if (sock->state == SOCKET_LISTENING) {
		listen_end(sock, how);
		return 0;
	}
	if (sock->state == SOCKET_CONNECTING) {
		connect_give_up(sock, how);
		return 0;
	}
	stream_shutdown(sock, how);
	return 0;
}
