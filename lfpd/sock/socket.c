/* SPDX-License-Identifier: Apache-2.0 */
/* socket.c - one socket of z/VSE and the host's socket that serves it */
#include "lfpd/sock/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lfp/addr.h"
#include "lfpd/policy/limits.h"
#include "lfpd/sock/connect.h"
#include "lfpd/sock/datagram.h"
#include "lfpd/sock/listen.h"
#include "lfpd/sock/stream.h"
#include "lfpd/users/share.h"
#include "lfpd/users/task.h"

/*
 * Theory of operation
 *
 * CLOSE ends the id at once. What is queued for the host then belongs to an orphan, which only
 * sends; it survives the path, because its program has closed it in order.
 *
 * libuv removes and adds a descriptor for each change of what is polled for. So what is no longer
 * wanted stays armed until it happens once more: often it is wanted again by then.
 */

/* As SOCKET has them. */
#define KIND_STREAM      1
#define KIND_DATAGRAM    2
#define SOCKET_KIND_LAST 10 /* SOCK_PACKET; above it the kernel says EINVAL */

static int wanted_events(const struct socket *sock)
{
	int events = 0;

	if (sock->session ? session_rests(sock->session) : sock->instance->rests)
		return 0;
	switch (sock->state) {
	case SOCKET_CONNECTING:
	case SOCKET_ORPHAN:
		return UV_WRITABLE;
	case SOCKET_LISTENING:
		return sock->credits && !sock->paused_in ? UV_READABLE : 0;
	case SOCKET_DATAGRAM:
		if (sock->dgram->queue)
			events |= UV_WRITABLE;
		if (!sock->window_closed && !sock->waiting)
			events |= UV_READABLE;
		return events;
	case SOCKET_ESTABLISHED:
		if (sock->queue.len)
			events |= UV_WRITABLE;
		if (!sock->eof && !sock->read_shut && !sock->window_closed && !sock->waiting)
			events |= UV_READABLE | UV_PRIORITIZED;
		/* The kernel adds EPOLLERR and EPOLLHUP to whatever is asked for; once both
		 * directions have ended they say nothing new. */
		if (!events && (sock->eof || sock->read_shut) && !sock->end_sent &&
		    sock->watch_errors)
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

static void on_poll(uv_poll_t *poll, int status, int events);

static void poll_for(struct socket *sock, int events)
{
	if (events == sock->armed)
		return;
	sock->armed = events;
	if (events)
		uv_poll_start(&sock->poll, events, on_poll);
	else
		uv_poll_stop(&sock->poll);
}

void socket_arm(struct socket *sock)
{
	int wanted = wanted_events(sock);
	int surplus = sock->armed & ~wanted;
	bool lazy = sock->state == SOCKET_ESTABLISHED || sock->state == SOCKET_LISTENING ||
		    sock->state == SOCKET_DATAGRAM;

	if ((wanted & ~sock->armed) || (surplus & UV_WRITABLE) || (surplus && !lazy))
		poll_for(sock, wanted);
}

void socket_rest(struct socket *sock)
{
	poll_for(sock, 0);
}

/* Nothing is polled for but errors: is there one? */
static void check_error(struct socket *sock)
{
	int error = 0;
	socklen_t len = sizeof(error);

	sock->watch_errors = false;
	if (!getsockopt(sock->fd, SOL_SOCKET, SO_ERROR, &error, &len) && error)
		socket_lose(sock, error);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct socket *sock = poll->data;

	if (status < 0) {
		/* EPOLLERR; libuv has stopped the handle. The call that fails tells more. */
		events = sock->armed;
		sock->armed = 0;
	}
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
		datagram_on_event(sock, events, status < 0);
		break;
	case SOCKET_ESTABLISHED:
		if (events & UV_WRITABLE)
			stream_flush(sock);
		if (sock->state != SOCKET_ESTABLISHED)
			break;
		sock->maybe_urgent |= (events & UV_PRIORITIZED) != 0;
		if (events & UV_READABLE)
			stream_on_readable(sock);
		else if ((events & UV_PRIORITIZED) && !(sock->armed & UV_READABLE))
			check_error(sock);
		break;
	case SOCKET_NEW:
	case SOCKET_LOST:
	case SOCKET_DEAD:
	case SOCKET_RELEASED:
		break;
	}
	if (sock->state == SOCKET_RELEASED)
		return;
	if (status < 0 || (events & ~wanted_events(sock)))
		poll_for(sock, wanted_events(sock));
	else
		socket_arm(sock);
}

/* --- Beginning and end --- */

struct socket *socket_create(struct instance *inst, int fd, int family, uint32_t uid)
{
	struct socket *sock = calloc(1, sizeof(*sock));
	struct share *share = sock ? share_take(inst, uid, SHARE_SOCKETS) : NULL;
	int rc = share ? uv_poll_init(inst->loop, &sock->poll, fd) : -ENOMEM;

	if (rc) {
		if (share)
			share_drop(inst, share, SHARE_SOCKETS);
		free(sock);
		close(fd);
		errno = -rc;
		return NULL;
	}
	sock->poll.data = sock;
	sock->instance = inst;
	sock->share = share;
	sock->state = SOCKET_NEW;
	sock->fd = fd;
	sock->family = family;
	sock->policy = inst->policy;
	sock->in.window = inst->window;
	sock->in.threshold = inst->threshold;
	instance_count_socket(inst, 1);
	return sock;
}

struct socket *socket_adopt(struct session *session, uint64_t id, int fd, int family, uint32_t uid)
{
	struct socket *sock = socket_create(session->instance, fd, family, uid);
	int rc;

	if (!sock)
		return NULL;
	sock->node.key = id;
	rc = table_add(&session->sockets, &sock->node);
	if (rc) {
		socket_release(sock, false);
		errno = -rc;
		return NULL;
	}
	sock->session = session;
	sock->out.window = session->peer_window;
	sock->out.least = lfp_window_least(
		session->peer_window,
		lfp_window_threshold(session->peer_window, session->hello.threshold));
	return sock;
}

static int open_socket(struct session *session, const struct lfp_frame *frame)
{
	struct instance *inst = session->instance;
	int family = lfp_family_to(frame->socket.family), type, protocol, fd;
	const struct task *task;
	const int on = 1;
	struct socket *sock;

	if (family < 0)
		return family;
	if (frame->socket.kind > SOCKET_KIND_LAST)
		return -EINVAL;
	if (frame->socket.kind != KIND_STREAM && frame->socket.kind != KIND_DATAGRAM)
		return -ESOCKTNOSUPPORT;
	type = frame->socket.kind == KIND_STREAM ? SOCK_STREAM : SOCK_DGRAM;
	protocol = type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP;
	if (type == SOCK_DGRAM && frame->socket.protocol == IPPROTO_UDPLITE)
		protocol = IPPROTO_UDPLITE;
	if (frame->socket.protocol && frame->socket.protocol != protocol)
		return -EPROTONOSUPPORT;
	task = task_find(session, frame->task);
	if (!task)
		return -EAGAIN;
	if (inst->nr_sockets >= inst->config.max_sockets) {
		refusal_of_socket(inst, 0);
		return -ENFILE;
	}
	if (share_refuses(inst, task->uid, SHARE_SOCKETS))
		return -ENFILE;
	fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
	if (fd < 0 && errno != EMFILE && errno != ENFILE)
		return -errno;
	if (fd < 0 || limits_is_short(fd, instance_hosts(inst))) {
		/* EMFILE would be of the program's own descriptors. */
		refusal_of_socket(inst, fd < 0 ? errno : EMFILE);
		if (fd >= 0)
			close(fd);
		return -ENFILE;
	}
	/* Urgent data keeps its place in the stream up to the program, who chooses. Connections
	 * that are accepted have this from their listener. */
	if (type == SOCK_STREAM)
		(void)setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on));
	sock = socket_adopt(session, frame->sock, fd, family, task->uid);
	if (!sock)
		return -errno;
	task_take_socket(sock, frame->task);
	if (type == SOCK_DGRAM && datagram_init(sock)) {
		socket_release(sock, false);
		return -ENOMEM;
	}
	return 0;
}

int socket_handle_socket(struct session *session, const struct lfp_frame *frame, const char **why)
{
	int rc;

	(void)why;
	if ((frame->sock & LFP_ID_LFPD) || frame->epoch || frame->sock <= session->last_id) {
		refusal_answer(session, frame, EPROTO, "its id does not rise");
		return 0;
	}
	session->last_id = frame->sock;
	rc = open_socket(session, frame);
	if (rc)
		session->instance->counters.sockets_refused++;
	else
		session->instance->counters.sockets++;
	session_answer(session, frame, -rc);
	return 0;
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

void socket_reset_at_close(struct socket *sock, bool reset)
{
	const struct linger linger = {.l_onoff = reset, .l_linger = 0};

	(void)setsockopt(sock->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
}

void socket_unpause(struct socket *sock)
{
	if (sock->paused_in)
		TAILQ_REMOVE(sock->paused_in, sock, entry);
	sock->paused_in = NULL;
}

int socket_detach(struct socket *sock)
{
	int fd = sock->fd;

	if (sock->waiting)
		TAILQ_REMOVE(&sock->session->ready, sock, ready);
	socket_unpause(sock);
	if (sock->state == SOCKET_ORPHAN)
		TAILQ_REMOVE(&sock->instance->orphans, sock, entry);
	if (sock->session) {
		table_remove(&sock->session->sockets, &sock->node);
		task_drop_socket(sock);
	}
	sock->session = NULL;
	sock->state = SOCKET_RELEASED;
	stream_drop(sock);
	datagram_finish(sock);
	/* In this order: libuv must not remove a number from epoll that is somebody else's again.
	 */
	uv_close((uv_handle_t *)&sock->poll, on_closed);
	instance_count_socket(sock->instance, -1);
	share_drop(sock->instance, sock->share, SHARE_SOCKETS);
	sock->share = NULL;
	return fd;
}

void socket_release(struct socket *sock, bool abort)
{
	if (sock->state == SOCKET_RELEASED)
		return;
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
		socket_release(sock, true);
		return;
	}
	if (sock->state != SOCKET_ESTABLISHED)
		return;
	sock->state = SOCKET_LOST;
	sock->instance->counters.resets++;
	if (sock->waiting)
		TAILQ_REMOVE(&sock->session->ready, sock, ready);
	sock->waiting = false;
	socket_arm(sock);
	stream_drop(sock);
	session_send(sock->session, &frame);
}

void socket_kill(struct socket *sock)
{
	const struct sockaddr unspec = {.sa_family = AF_UNSPEC};
	struct lfp_frame frame = {.code = LFP_RESET,
				  .sock = sock->node.key,
				  .epoch = sock->epoch,
				  .status = EPROTO};

	if (sock->waiting)
		TAILQ_REMOVE(&sock->session->ready, sock, ready);
	socket_unpause(sock);
	sock->waiting = false;
	sock->credits = 0;
	stream_drop(sock);
	datagram_finish(sock);
	sock->in.consumed = sock->in.reported = sock->in.received;
	sock->state = SOCKET_DEAD;
	/* tcp_disconnect() resets a connection, and ends a listener. */
	(void)connect(sock->fd, &unspec, sizeof(unspec));
	socket_arm(sock);
	session_send(sock->session, &frame);
	share_go_on(sock->instance, sock->share);
}

void socket_next_life(struct socket *sock)
{
	if (sock->session->features & LFP_FEATURE_EPOCH)
		sock->epoch = lfp_epoch_next(sock->epoch);
}

static void make_orphan(struct socket *sock)
{
	table_remove(&sock->session->sockets, &sock->node);
	task_drop_socket(sock);
	if (sock->waiting)
		TAILQ_REMOVE(&sock->session->ready, sock, ready);
	sock->waiting = false;
	sock->session = NULL;
	sock->state = SOCKET_ORPHAN;
	sock->progress = uv_now(sock->instance->loop);
	TAILQ_INSERT_TAIL(&sock->instance->orphans, sock, entry);
	socket_arm(sock);
	instance_tick(sock->instance);
}

/* Is there data from the host that z/VSE has not got? */
static bool is_unread(const struct socket *sock)
{
	int len = 0;

	return !ioctl(sock->fd, FIONREAD, &len) && len > 0;
}

int socket_handle_close(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	bool abort = frame->close.how || sock->abort_on_close || sock->state == SOCKET_LOST ||
		     sock->state == SOCKET_DEAD;

	if (frame->close.received > sock->out.sent) {
		*why = "CLOSE counts more bytes than were sent";
		return -EPROTO;
	}
	if (sock->state == SOCKET_DATAGRAM)
		datagram_flush(sock);
	/* As the kernel does: who closes with data unread resets the connection. */
	if (sock->state == SOCKET_ESTABLISHED &&
	    (frame->close.received < sock->out.sent || is_unread(sock)))
		abort = true;
	session_answer(sock->session, frame, 0);
	if (!abort && sock->state == SOCKET_ESTABLISHED && sock->queue.len)
		make_orphan(sock);
	else
		socket_release(sock, abort);
	return 0;
}

/* --- Names --- */

static bool is_v6only(const struct socket *sock)
{
	int on = 0;
	socklen_t len = sizeof(on);

	return sock->family == AF_INET6 &&
	       !getsockopt(sock->fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, &len) && on;
}

static struct policy_socket describe(const struct socket *sock)
{
	struct policy_socket to = {
		.family = sock->family,
		.v6only = sock->policy.restricted && is_v6only(sock),
		.datagram = sock->dgram != NULL,
		.local = sock->local,
	};

	return to;
}

static int bind_socket(struct socket *sock, const struct lfp_addr *local)
{
	struct policy_socket it = describe(sock);
	struct sockaddr_storage addr;
	socklen_t len = lfp_addr_to(local, &addr);
	int rc = policy_bind(&sock->policy, &it, &addr);

	if (rc)
		return rc;
	/* bind() on IPv4 takes AF_UNSPEC with the wildcard address; on IPv6 it names the error. */
	if (local->family == LFP_AF_UNSPEC)
		len = sock->family == AF_INET ? sizeof(struct sockaddr_in)
					      : sizeof(struct sockaddr_in6);
	if (bind(sock->fd, (struct sockaddr *)&addr, len))
		return -errno;
	sock->bound = true;
	sock->local = policy_local(&addr);
	return 0;
}

int socket_reach(struct socket *sock, struct sockaddr_storage *to)
{
	struct policy_socket it = describe(sock);

	return policy_reach(&sock->policy, &it, to);
}

int socket_bind_implicitly(struct socket *sock, const struct sockaddr_storage *to)
{
	struct policy_socket it = describe(sock);
	struct sockaddr_storage addr;
	int late = to != NULL, len;

	if (sock->bound)
		return 0;
	len = policy_implicit(&sock->policy, &it, to, &addr);
	if (len <= 0)
		return len;
	/* So that the port is chosen at connect(), where more of them can be had. */
	(void)setsockopt(sock->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &late, sizeof(late));
	if (bind(sock->fd, (struct sockaddr *)&addr, (socklen_t)len))
		return -errno;
	sock->bound = true;
	sock->local = policy_local(&addr);
	return 0;
}

int socket_handle_bind(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	(void)why;
	sock->source.family = 0;
	session_answer(sock->session, frame, -bind_socket(sock, &frame->bind.local));
	return 0;
}

typedef int (*name_function)(int fd, struct sockaddr *addr, socklen_t *len);

static void answer_name(struct socket *sock, const struct lfp_frame *frame, name_function function)
{
	struct lfp_frame reply = session_reply(frame);
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int rc = function(sock->fd, (struct sockaddr *)&addr, &len) ? -errno : 0;

	if (!rc)
		rc = lfp_addr_from(&reply.name.addr, (struct sockaddr *)&addr, len);
	reply.status = (uint16_t)-rc;
	session_send(sock->session, &reply);
}

int socket_handle_getsockname(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	(void)why;
	answer_name(sock, frame, getsockname);
	return 0;
}

int socket_handle_getpeername(struct socket *sock, const struct lfp_frame *frame, const char **why)
{
	(void)why;
	answer_name(sock, frame, getpeername);
	return 0;
}
