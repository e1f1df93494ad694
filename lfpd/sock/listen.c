/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c - listening and accepting */
#include "lfpd/sock/life.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "lfp/log.h"
#include "lfpd/policy/limits.h"
#include "lfpd/sock/joined.h"
#include "lfpd/sock/logged.h"
#include "lfpd/sock/paused.h"
#include "lfpd/sock/published.h"
#include "lfpd/sock/option.h"
#include "lfpd/sock/stream.h"
#include "lfpd/users/share.h"
#include "lfpd/users/task.h"

/*
 * Theory of operation
 *
 * Connections stay in the kernel's queue until z/VSE has asked for them (ACCEPT). If lfpd accepted
 * them earlier, the backlog would be longer than the program has set. Without a
 * free descriptor, or with MAX_SOCKETS in use, the listener waits in the instance's list; with
 * MAX_SOCKETS_USER in use, in that of its user (share.h).
 */

#define ACCEPT_TURN 32 /* connections of one listener before others have their turn */
#define CREDITS_MAX (1u << 24)

int listen_handle_listen(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	/* A host's socket that was disconnected, and is LOST, would listen for the kernel. */
	const bool is_asked = sock->state == SOCKET_NEW || sock->state == SOCKET_LOST;
	int rc = 0;

	(void)why;
	/* The checks below change this; without them nothing was decided. */
	sock->instance->decision = (struct decision){.refused_by = DECISION_NONE};
	if (is_asked)
		rc = socket_bind_implicitly(sock, NULL);
	if (!rc && is_asked)
		rc = socket_may_listen(sock);
	/* Connections inherit this from their listener (net/core/sock.c, sk_clone_lock()). */
	if (!rc && sock->state == SOCKET_NEW)
		socket_reset_at_close(sock, true);
	if (!rc && listen(sock->fd, frame->listen.backlog))
		rc = -errno;
	if (sock->state != SOCKET_LISTENING || rc)
		logged_listen(sock, -rc);
	if (!rc) {
		if (sock->state != SOCKET_LISTENING)
			socket_set_listener(sock, LISTENER_LISTENS);
		socket_set_state(sock, SOCKET_LISTENING);
		socket_set_bound(sock, sock->local);
		socket_arm(sock);
	}
	session_answer(sock->session, frame, -rc);
	return 0;
}

int listen_handle_accept(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	if (sock->is_datagram || sock->listener.state == LISTENER_NEVER) {
		*why = "ACCEPT for a socket that has never listened";
		return -EPROTO;
	}
	if (frame->accept.count > CREDITS_MAX - sock->listener.credits) {
		*why = "ACCEPT for too many connections";
		return -EPROTO;
	}
	/* It may have been shut down while the frame was under way. */
	if (sock->state != SOCKET_LISTENING)
		return 0;
	sock->listener.credits += frame->accept.count;
	socket_arm(sock);
	return 0;
}

void listen_end(struct socket *sock, int how)
{
	(void)shutdown(sock->fd, how);
	if (how == SHUT_WR)
		return; /* the kernel goes on listening */
	socket_end_listener(sock);
	socket_set_state(sock, SOCKET_NEW);
	socket_arm(sock);
	paused_go_on(sock->instance, sock->share);
	socket_next_life(sock);
}

/* One accepted connection becomes a socket of its own. */
static void hand_over(struct socket *listener, int fd, const struct sockaddr_storage *peer,
		      socklen_t peer_len)
{
	struct session *session = listener->session;
	struct lfp_frame frame = {
		.code = LFP_ACCEPTED, .sock = listener->node.key, .epoch = listener->epoch};
	struct lfp_addr local_addr; /* the host's */
	struct sockaddr_storage local;
	socklen_t local_len = sizeof(local);
	struct socket *sock;

	if (getsockname(fd, (struct sockaddr *)&local, &local_len) ||
	    lfp_addr_from(&frame.accepted.peer, (const struct sockaddr *)peer, peer_len) ||
	    lfp_addr_from(&frame.accepted.local, (const struct sockaddr *)&local, local_len)) {
		close(fd);
		return;
	}
	frame.accepted.id = LFP_ID_LFPD | session->next_accept++;
	local_addr = frame.accepted.local;
	published_show(listener, &frame.accepted.local, true);
	sock = socket_adopt(session, frame.accepted.id, fd, listener->family,
			    listener->share->base.uid);
	if (!sock) {
		lfp_msg("VLFD104W", "Cannot accept a connection: not enough memory.");
		return;
	}
	sock->stream.accepted = true;
	sock->policy = listener->policy;
	socket_set_bound(sock, POLICY_UNBOUND);
	option_inherit(sock, listener);
	if (listener->at_close == AT_CLOSE_RESETS)
		socket_note_at_close(sock, AT_CLOSE_RESETS);
	socket_take_owner(sock, listener->task);
	socket_set_who(sock, listener->who);
	listener->listener.credits--;
	sock->instance->counters.accepts++;
	sock->published = listener->published;
	logged_accept(sock, &frame.accepted.peer, &local_addr);
	session_send(session, &frame);
	stream_begin(sock);
	joined_accepted(sock, &local, peer);
}

static bool lacks_resources(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

/* Mostly one connection is there. accept4() would make a file for the next one before it finds that
 * there is none. */
static bool has_more(const struct socket *sock)
{
	struct pollfd pfd = {.fd = sock->fd, .events = POLLIN};

	return poll(&pfd, 1, 0) != 0;
}

static void accept_some(struct socket *sock)
{
	struct instance *inst = sock->instance;

	/* Leave a connection in the kernel's queue if there is no descriptor for it. */
	if (inst->is_short && sock->listener.credits) {
		int lowest = limits_lowest_free();

		inst->is_short = lowest < 0 || limits_is_short(lowest, instance_hosts(inst));
		if (inst->is_short) {
			idle_pause_listener(inst, sock, EMFILE);
			return;
		}
	}
	for (int i = 0; i < ACCEPT_TURN && sock->listener.credits; i++) {
		struct sockaddr_storage peer;
		socklen_t len = sizeof(peer);
		int fd, error;

		if (inst->nr_sockets >= inst->config.max_sockets) {
			idle_pause_listener(inst, sock, 0);
			return;
		}
		if (share_is_spent(inst, sock->share->base.uid, SHARE_SOCKETS)) {
			paused_add(sock);
			return;
		}
		if (i == 1 && !has_more(sock))
			return;
		fd = accept4(sock->fd, (struct sockaddr *)&peer, &len,
			     SOCK_NONBLOCK | SOCK_CLOEXEC);
		error = fd < 0 ? errno : 0;
		if (error == EAGAIN)
			return;
		if (lacks_resources(error)) {
			idle_pause_listener(inst, sock, error);
			return;
		}
		if (error == EINVAL) { /* it does not listen any more */
			sock->listener.credits = 0;
			return;
		}
		/* Other errors are of that one connection (accept(2), "Error handling"). */
		if (fd < 0)
			continue;
		hand_over(sock, fd, &peer, len);
		inst->is_short = limits_is_short(fd, instance_hosts(inst));
		if (inst->is_short) {
			idle_pause_listener(inst, sock, EMFILE);
			return;
		}
	}
}

void listen_on_readable(struct socket *sock)
{
	if (sock->listener.state == LISTENER_LISTENS)
		accept_some(sock);
	/* Other listeners of the user may have waited for this one. */
	if (sock->listener.state == LISTENER_LISTENS)
		paused_go_on(sock->instance, sock->share);
}
