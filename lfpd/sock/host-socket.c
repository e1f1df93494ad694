/* SPDX-License-Identifier: Apache-2.0 */
/* host-socket.c - one socket of z/VSE and the host's socket that serves it */
#include "lfpd/sock/host-socket.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lfpd/policy/subject.h"
#include "lfpd/users/share.h"
#include "lfpd/users/task.h"

/*
 * Theory of operation
 *
 * Each change of the watched events is a system call. So an unwanted event stays armed until it
 * happens once more. Often it is wanted again by then.
 */

static int wanted(const struct socket *sock)
{
	return sock->instance->sock_ops->wanted_events(sock);
}

static void poll_for(struct socket *sock, int events);

static void on_poll(struct watch *watch, int status, int events)
{
	struct socket *sock = watch->data;

	/* After EPOLLERR all watched events count: the call that fails tells more. */
	sock->instance->sock_ops->on_event(sock, events, status < 0);
	if (sock->state == SOCKET_RELEASED)
		return;
	if (status < 0 || (events & ~wanted(sock)))
		poll_for(sock, wanted(sock));
	else
		socket_arm(sock);
}

static void poll_for(struct socket *sock, int events)
{
	if (events)
		watch_start(&sock->watch, events, on_poll);
	else
		watch_stop(&sock->watch);
}

void socket_arm(struct socket *sock)
{
	int events = wanted(sock);
	int surplus = sock->watch.events & ~events;
	bool lazy = sock->state == SOCKET_ESTABLISHED || sock->state == SOCKET_LISTENING ||
		    sock->state == SOCKET_DATAGRAM;

	if ((events & ~sock->watch.events) || (surplus & UV_WRITABLE) || (surplus && !lazy))
		poll_for(sock, events);
}

void socket_rest(struct socket *sock)
{
	poll_for(sock, 0);
}

/* NULL also if the number is that of a later task. */
struct task *socket_task(const struct socket *sock)
{
	struct task *task = NULL;

	if (sock->session)
		task = task_of(lfp_table_find(&sock->session->tasks, sock->task));
	return task && task->serial == sock->task_serial ? task : NULL;
}

const struct task *socket_owner(const struct socket *sock)
{
	return socket_task(sock);
}

void socket_drop_owner(struct socket *sock)
{
	struct task *task = socket_task(sock);

	if (task)
		task->sockets--;
	sock->task_serial = 0;
}

void socket_take_owner(struct socket *sock, uint32_t number)
{
	struct task *task = task_of(lfp_table_find(&sock->session->tasks, number));

	sock->task = number;
	sock->task_serial = task ? task->serial : 0;
	if (!task)
		return;
	task->sockets++;
	socket_set_who(sock, task->who);
}

uint32_t socket_uid(const struct socket *sock)
{
	return sock->who ? sock->who->uid : sock->share->base.uid;
}

void socket_set_who(struct socket *sock, struct subject *who)
{
	subject_keep(who);
	subject_drop(sock->who);
	sock->who = who;
}

void socket_set_spare(struct socket *sock, bool spare)
{
	if (sock->spare == spare)
		return;
	sock->spare = spare;
	sock->instance->nr_spares += spare ? 1u : -1u;
	sock->share->spares += spare ? 1u : -1u;
}

void socket_set_state(struct socket *sock, enum socket_state state)
{
	socket_set_spare(sock, false);
	sock->state = lfp_transition(&socket_states, sock->state, state);
}

struct socket *socket_create(struct instance *inst, int fd, int family, uint32_t uid)
{
	struct socket *sock = calloc(1, sizeof(*sock));
	struct share *share = sock ? share_take(inst, uid, SHARE_SOCKETS) : NULL;
	int rc = -ENOMEM;

	if (share) {
		sock->watch.data = sock;
		rc = watch_init(inst->loop, &sock->watch, fd);
	}

	if (rc) {
		if (share)
			share_drop(inst, share, SHARE_SOCKETS);
		free(sock);
		close(fd);
		errno = -rc;
		return NULL;
	}
	lfp_list_init(&sock->ready);
	lfp_list_init(&sock->stream.entry);
	lfp_list_init(&sock->stream.joined.held);
	lfp_list_init(&sock->listener.entry);
	sock->instance = inst;
	sock->share = share;
	sock->fd = fd;
	sock->family = family;
	sock->policy = inst->policy;
	sock->in.window = inst->window;
	sock->in.threshold = inst->threshold;
	inst->nr_sockets++;
	return sock;
}

struct socket *socket_adopt(struct session *session, uint64_t id, int fd, int family, uint32_t uid)
{
	struct socket *sock = socket_create(session->instance, fd, family, uid);

	if (!sock)
		return NULL;
	lfp_table_add(&session->sockets, &sock->node, id);
	sock->session = session;
	sock->out.window = session->peer_window;
	sock->out.least = lfp_window_least(
		session->peer_window,
		lfp_window_threshold(session->peer_window, session->hello.threshold));
	return sock;
}

void socket_note_at_close(struct socket *sock, enum at_close at_close)
{
	sock->at_close = at_close;
}

void socket_reset_at_close(struct socket *sock, bool reset)
{
	const struct linger linger = {.l_onoff = reset, .l_linger = 0};
	enum at_close wanted = reset ? AT_CLOSE_RESETS : AT_CLOSE_ENDS;

	if (sock->at_close != wanted &&
	    !setsockopt(sock->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)))
		socket_note_at_close(sock, wanted);
}

void socket_set_from_host(struct socket *sock, enum from_host state)
{
	lfp_list_del(&sock->ready);
	sock->from_host = lfp_transition(&from_host_states, sock->from_host, state);
}

void socket_set_to_host_end(struct socket *sock, enum to_host_end state)
{
	sock->stream.to_host_end =
		lfp_transition(&to_host_end_states, sock->stream.to_host_end, state);
}

void socket_hint(struct socket *sock, enum socket_hint hint, bool on)
{
	if (on)
		sock->stream.hints |= hint;
	else
		sock->stream.hints &= ~(unsigned int)hint;
}

void socket_wait(struct socket *sock, bool first)
{
	socket_set_from_host(sock, FROM_WAITS);
	if (first)
		lfp_list_prepend(&sock->session->ready, &sock->ready);
	else
		lfp_list_append(&sock->session->ready, &sock->ready);
}

void socket_wait_no_more(struct socket *sock)
{
	if (sock->from_host == FROM_WAITS)
		socket_set_from_host(sock, FROM_READS);
}

/* The list where a listener of this state waits. */
static struct lfp_list *pausing_in(const struct socket *sock, enum listener state)
{
	return state == LISTENER_PAUSES ? &sock->instance->paused : &sock->share->paused;
}

static bool listens(enum listener state)
{
	return state == LISTENER_LISTENS || listener_pauses(state);
}

void socket_set_listener(struct socket *sock, enum listener state)
{
	if (listener_pauses(sock->listener.state))
		lfp_list_del(&sock->listener.entry);
	if (listener_pauses(state))
		lfp_list_append(pausing_in(sock, state), &sock->listener.entry);
	sock->instance->nr_listening -= listens(sock->listener.state);
	sock->instance->nr_listening += listens(state);
	sock->listener.state = lfp_transition(&listener_states, sock->listener.state, state);
}

void socket_end_listener(struct socket *sock)
{
	if (sock->is_datagram || sock->listener.state == LISTENER_NEVER ||
	    sock->listener.state == LISTENER_WAS)
		return;
	socket_set_listener(sock, LISTENER_WAS);
	sock->listener.credits = 0;
}

int socket_detach(struct socket *sock)
{
	int fd = sock->fd;

	/* It goes on in another lfpd, unless socket_release() has ended it. */
	logged_end(sock, ERESTART);
	socket_wait_no_more(sock);
	socket_end_listener(sock);
	if (!sock->is_datagram)
		lfp_list_del(&sock->stream.entry);
	if (sock->session) {
		lfp_table_remove(&sock->session->sockets, &sock->node);
		socket_drop_owner(sock);
	}
	sock->session = NULL;
	socket_set_state(sock, SOCKET_RELEASED);
	sock->instance->sock_ops->drop(sock);
	watch_close(&sock->watch, free);
	sock->instance->nr_sockets--;
	if (!sock->instance->stopping)
		sock->instance->sock_ops->on_fewer(sock->instance);
	share_drop(sock->instance, sock->share, SHARE_SOCKETS);
	socket_set_who(sock, NULL);
	sock->share = NULL;
	return fd;
}

void socket_release(struct socket *sock, bool abort)
{
	if (sock->state == SOCKET_RELEASED)
		return;
	logged_end(sock, abort ? ECONNABORTED : 0);
	socket_reset_at_close(sock, abort);
	close(socket_detach(sock));
}

void socket_lose(struct socket *sock, int error)
{
	struct lfp_frame frame = {.code = LFP_RESET,
				  .sock = sock->node.key,
				  .epoch = sock->epoch,
				  .status = (uint16_t)error};

	if (sock->state == SOCKET_ORPHAN) {
		logged_end(sock, error);
		socket_release(sock, true);
		return;
	}
	if (sock->state != SOCKET_ESTABLISHED)
		return;
	logged_end(sock, error);
	socket_set_state(sock, SOCKET_LOST);
	sock->instance->counters.resets++;
	socket_wait_no_more(sock);
	socket_arm(sock);
	sock->instance->sock_ops->drop(sock);
	session_send(sock->session, &frame);
}

void socket_mark_lost(struct socket *sock)
{
	if (sock->is_datagram || sock->state == SOCKET_DEAD)
		return;
	socket_end_listener(sock);
	logged_end(sock, ECONNRESET);
	socket_set_state(sock, SOCKET_LOST);
}

void socket_kill(struct socket *sock)
{
	const struct sockaddr unspec = {.sa_family = AF_UNSPEC};
	struct lfp_frame frame = {
		.code = LFP_RESET, .sock = sock->node.key, .epoch = sock->epoch, .status = EPROTO};

	logged_end(sock, EPROTO);
	socket_wait_no_more(sock);
	socket_end_listener(sock);
	sock->instance->sock_ops->drop(sock);
	sock->in.consumed = sock->in.reported = sock->in.received;
	socket_set_state(sock, SOCKET_DEAD);
	/* tcp_disconnect() resets a connection, and ends a listener. */
	(void)connect(sock->fd, &unspec, sizeof(unspec));
	socket_arm(sock);
	session_send(sock->session, &frame);
	sock->instance->share_freed(sock->instance, sock->share);
}

void socket_next_life(struct socket *sock)
{
	if (sock->session->features & LFP_FEATURE_EPOCH)
		sock->epoch = lfp_epoch_next(sock->epoch);
}
