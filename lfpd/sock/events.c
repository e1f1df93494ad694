/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - the events that each state of a socket polls for, and their handlers */
#include "lfpd/sock/host-socket.h"

#include "lfpd/sock/life.h"
#include "lfpd/sock/datagram.h"
#include "lfpd/sock/gate.h"
#include "lfpd/sock/joined.h"
#include "lfpd/sock/metered.h"
#include "lfpd/sock/paused.h"
#include "lfpd/sock/stream.h"
#include "lfpd/sock/stream-names.h"
#include "lfpd/sock/via.h"

static int wanted_events(const struct socket *sock)
{
	int events = 0;

	if (sock->session ? session_rests(sock->session) : sock->instance->rests)
		return 0;
	switch (sock->state) {
	case SOCKET_CONNECTING:
		return sock->stream.via ? via_events(sock) : UV_WRITABLE;
	case SOCKET_ORPHAN:
		return metered_waits(sock, METER_OUT) ? 0 : UV_WRITABLE;
	case SOCKET_LISTENING:
		return sock->listener.credits && sock->listener.state == LISTENER_LISTENS
			       ? UV_READABLE
			       : 0;
	case SOCKET_DATAGRAM:
		if (!lfp_list_empty(&sock->dgram->queue) && !metered_waits(sock, METER_OUT) &&
		    !sock->dgram->held)
			events |= UV_WRITABLE;
		if (sock->from_host == FROM_READS && !metered_waits(sock, METER_IN))
			events |= UV_READABLE;
		return events;
	case SOCKET_ESTABLISHED:
		if (sock->stream.queue.len && !sock->stream.gated && !joined_rests(sock) &&
		    !metered_waits(sock, METER_OUT))
			events |= UV_WRITABLE;
		if (sock->from_host == FROM_READS && !metered_waits(sock, METER_IN))
			events |= UV_READABLE | UV_PRIORITIZED;
		/* Linux adds EPOLLERR and EPOLLHUP to the events asked for (fs/eventpoll.c,
		 * do_epoll_ctl()). Once both directions have ended they say nothing new. */
		if (!events &&
		    (from_host_ended(sock->from_host) || from_host_is_shut(sock->from_host)) &&
		    sock->stream.to_host_end != TO_END_SENT && (sock->stream.hints & HINT_ERRORS))
			events = UV_PRIORITIZED;
		return events;
	case SOCKET_NEW:
	case SOCKET_LOST:
	case SOCKET_DEAD:
	case SOCKET_RELEASED:
		break;
	}
	return 0;
}

/* Only errors are polled for: look for one. */
static void check_error(struct socket *sock)
{
	int error = 0;
	socklen_t len = sizeof(error);

	socket_hint(sock, HINT_ERRORS, false);
	if (!getsockopt(sock->fd, SOL_SOCKET, SO_ERROR, &error, &len) && error)
		socket_lose(sock, error);
}

static void on_event(struct socket *sock, int events, bool error)
{
	switch (sock->state) {
	case SOCKET_CONNECTING:
		connect_finish(sock);
		break;
	case SOCKET_LISTENING:
		listen_on_readable(sock);
		break;
	case SOCKET_ORPHAN:
		stream_flush(sock);
		break;
	case SOCKET_DATAGRAM:
		datagram_on_event(sock, events, error);
		break;
	case SOCKET_ESTABLISHED:
		if (events & UV_WRITABLE)
			stream_flush(sock);
		if (sock->state != SOCKET_ESTABLISHED)
			break;
		if (events & UV_PRIORITIZED)
			socket_hint(sock, HINT_URGENT, true);
		if (events & UV_READABLE)
			stream_on_readable(sock);
		else if ((events & UV_PRIORITIZED) && !(sock->watch.events & UV_READABLE))
			check_error(sock);
		break;
	case SOCKET_NEW:
	case SOCKET_LOST:
	case SOCKET_DEAD:
	case SOCKET_RELEASED:
		break;
	}
}

static void go_on(struct socket *sock, bool in)
{
	if (sock->session ? session_rests(sock->session) : sock->instance->rests)
		return;
	if (sock->is_datagram)
		datagram_on_event(sock, in ? UV_READABLE : UV_WRITABLE, false);
	else if (!in && sock->stream.queue.len)
		stream_flush(sock);
	else if (in && sock->state == SOCKET_ESTABLISHED) {
		socket_hint(sock, HINT_UNSURE, true);
		stream_on_readable(sock);
	}
	if (sock->state != SOCKET_RELEASED)
		socket_arm(sock);
}

static void drop(struct socket *sock)
{
	metered_leave(sock);
	joined_part(sock);
	stream_drop(sock);
	if (!sock->is_datagram) {
		via_forget(sock);
		gate_forget(sock);
		stream_names_finish(sock);
	}
	datagram_finish(sock);
}

const struct socket_ops socket_event_ops = {
	.wanted_events = wanted_events,
	.on_event = on_event,
	.go_on = go_on,
	.drop = drop,
	.on_fewer = idle_go_on,
};
