/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - data on its way from far ends to the path */
#include "ijblfp/sock/stream.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "ijblfp/near/near-names.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/deliver.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/listen.h"
#include "ijblfp/sock/stopper.h"
#include "ijblfp/sock/sweep.h"
#include "ijblfp/sock/urgent.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/log.h"
#include "lfp/window.h"
#include "transport/passed.h"
#include "transport/path.h"

/*
 * Theory of operation
 *
 * All far ends are in one edge-triggered epoll set of our own, by socket id; libuv watches only the
 * set. So the close of a near end that is already shut down is seen, which a level cannot show, and
 * no mask changes but for EPOLLOUT, which is asked for only while data waits: at a near end that is
 * being read it would be an event for each read.
 *
 * To lfpd: an edge makes a socket `readable` and puts it at the end of `runnable`. Each turn the
 * sockets there get their share, in order. A socket leaves the list when there is nothing more, or
 * when its window is closed (a WINDOW brings it back, as it is still readable). When the path takes
 * no more data the list stays as it is until the path is ready.
 *
 * There is nothing more when recv() gives less than there is room for: what comes later is an edge
 * of its own. But recv() also stops before an urgent byte and behind descriptors, and an edge of
 * the end may be over. So after an edge that tells of either, after one that may have been missed,
 * and where descriptors can come, recv() has to say EAGAIN.
 *
 * Urgent data does not come in the near end, but as a call (urgent.c), which says before which byte
 * of the far end it belongs.
 *
 * The way to the program is in deliver.c.
 */

#define SOCKET_SHARE 65536u
#define TURN_SHARE   (1024u * 1024u)
#define EVENTS       64
#define EVENT_ROUNDS 8
#define MANY_WAIT    32

static bool read_far(struct instance *inst, struct vsock *vs, size_t *left);

void stream_on_gone(struct instance *inst, struct vsock *vs)
{
	/* Connections that a listener takes with it are reset, as the kernel does. */
	bool untaken = vs->quiet && listen_is_over(inst, vs->listener);

	end_close(inst, vs, vs->aborted || vs->wasted || vs->queue || vs->discards || untaken);
}

/* Who closes with data unread, or with SO_LINGER 0, resets the connection, and what is left does
 * not wait for a window: the peer may read no more before it knows. */
static bool is_aborted(struct instance *inst, const struct vsock *vs)
{
	return vs->hung && (vs->aborted || vs->wasted || vs->queue || vs->discards) &&
	       near_names_is_gone(&inst->near->names, vsock_name(vs));
}

/* The far end says end of file (or worse): the program has closed, or only shut down. */
static void end_of_input(struct instance *inst, struct vsock *vs)
{
	struct lfp_frame frame = {
		.code = LFP_SHUTDOWN,
		.sock = vs->id,
		.shutdown = {.how = 1, .position = vs->send.sent},
	};

	vs->readable = false;
	list_del(&vs->place);
	if (vs->aborted || near_names_is_gone(&inst->near->names, vsock_name(vs))) {
		stream_on_gone(inst, vs);
		return;
	}
	vs->quiet = false;
	if (!vs->eof_out && !link_send(inst, &frame))
		vs->eof_out = true;
	/* An edge will tell of the close. Somebody may have taken the name just then, though. */
	list_append(&inst->socks->swept, &vs->swept);
	sweep_start(inst);
}

static void run_later(struct instance *inst, struct vsock *vs)
{
	if (list_empty(&vs->place))
		list_append(&inst->streams->runnable, &vs->place);
}

bool stream_is_at_urgent(const struct vsock *vs)
{
	int at = 0;

	return !ioctl(vs->far, SIOCATMARK, &at) && at;
}

/*
 * accept() leaves an urgent byte, which is no data (lfp/ctl.h). Taking it would be an edge at the
 * near end that TCP does not have, so it stays until something else is read, which passes over it.
 * True if there is nothing else.
 */
static bool only_taken(struct vsock *vs)
{
	char c;
	ssize_t n = recv(vs->far, &c, 1, MSG_PEEK | MSG_DONTWAIT);
	int error = n < 0 ? errno : 0;

	/* The kernel tells a reset once, and so to us. And it is asked for the byte after that:
	 * what it told was there before the end, then the byte was, too. */
	vs->aborted |= error && error != EAGAIN;
	if (stream_is_at_urgent(vs))
		vs->quiet = false;
	return error == EAGAIN;
}

/* Until the next edge. */
static void rest(struct vsock *vs)
{
	vs->readable = false;
	list_del(&vs->place);
}

unsigned int stream_waiting(const struct vsock *vs)
{
	int bytes = 0;

	if (ioctl(vs->far, FIONREAD, &bytes) || bytes <= 0)
		return 0;
	bytes -= vs->passed || (vs->token && stream_is_at_urgent(vs));
	return (unsigned int)(bytes - vs->has_stopper);
}

/* Does more wait behind what was read, be it for a window? */
static bool more_follows(const struct vsock *vs)
{
	return stream_waiting(vs) > 0;
}

/* Can descriptors come with what is read? Whoever has a copy of the far end can allow it
 * (SO_PASSRIGHTS). */
static bool takes_rights(const struct instance *inst, const struct vsock *vs)
{
	return vs->copied || !inst->near->takes_no_rights;
}

/* Move what there is, up to the socket's share. False if the path takes no more. @vs may be gone.
 */
static bool read_far(struct instance *inst, struct vsock *vs, size_t *left)
{
	struct path *path = inst->link->path;
	size_t share = SOCKET_SHARE;

	if (vs->token && !vs->urgent && only_taken(vs)) {
		rest(vs);
		return true;
	}
	if (vs->discards && is_aborted(inst, vs)) {
		stream_on_gone(inst, vs);
		return true;
	}
	while (share) {
		size_t room = lfp_window_room(&vs->send), want = room;
		uint8_t *at;
		ssize_t n;

		if (!room) {
			list_del(&vs->place);
			if (is_aborted(inst, vs))
				stream_on_gone(inst, vs);
			return true;
		}
		if (vs->urgent && !urgent_send(inst, vs, &want))
			return false;
		if (!want && vs->token && !vs->urgent && only_taken(vs)) {
			rest(vs);
			return true;
		}
		if (!want)
			continue;
		if (stopper_is_next(vs, &want)) {
			end_of_input(inst, vs);
			return true;
		}
		want = path_data_reserve(path, want, &at);
		if (!want)
			return false;
		n = takes_rights(inst, vs) ? passed_receive(vs->far, at, want)
					   : recv(vs->far, at, want, MSG_DONTWAIT);
		if (n <= 0) {
			int error = n ? errno : 0;

			path_data_commit(path, vs->id, vs->send.sent, 0, 0);
			if (error == EAGAIN) {
				vs->to_end = false;
				rest(vs);
				return true;
			}
			if (error == EINTR)
				continue;
			vs->aborted |= error != 0;
			end_of_input(inst, vs);
			return true;
		}
		vs->passed |= vs->token && inst->near->counts_passed;
		vs->token = false;
		path_data_commit(path, lfp_sock_join(vs->id, vs->epoch), vs->send.sent, (size_t)n,
				 (size_t)n == want && more_follows(vs));
		vs->send.sent += (uint64_t)n;
		vs->taken += (uint64_t)n;
		vs->quiet = false;
		share -= (size_t)n < share ? (size_t)n : share;
		*left -= *left < (size_t)n ? *left : (size_t)n;
		if ((size_t)n < want && !vs->to_end && !takes_rights(inst, vs)) {
			rest(vs);
			return true;
		}
	}
	list_append(&inst->streams->runnable, &vs->place);
	return true;
}

static bool read_some(struct instance *inst, struct vsock *vs, size_t *left)
{
	return vs->dgram ? datagram_read(inst, vs, left) : read_far(inst, vs, left);
}

static void on_idle(uv_idle_t *idle);

static void run(struct instance *inst)
{
	struct stream_set *set = inst->streams;
	size_t left = TURN_SHARE;
	struct list *first;

	while (left && !set->blocked && link_flows(inst->link) &&
	       (first = list_first(&set->runnable)))
		set->blocked = !read_some(inst, list_entry(first, struct vsock, place), &left);
	if (!set->blocked && link_flows(inst->link) && !list_empty(&set->runnable))
		uv_idle_start(&set->idle, on_idle);
	else
		uv_idle_stop(&set->idle);
}

static void on_idle(uv_idle_t *idle)
{
	run(idle->data);
}

void stream_look_again(struct instance *inst, struct vsock *vs)
{
	run_later(inst, vs);
	if (!inst->streams->blocked)
		uv_idle_start(&inst->streams->idle, on_idle);
}

void stream_unblock(struct instance *inst)
{
	inst->streams->blocked = false;
}

void stream_on_ready(struct instance *inst)
{
	stream_unblock(inst);
	/* With many sockets waiting lfpd and the programs run after each share of the path, while
	 * what it has moved is still in the processor's cache. */
	if (list_has(&inst->streams->runnable, MANY_WAIT))
		(void)sched_yield();
	run(inst);
}

int stream_on_window(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		     const char **why)
{
	/* In every state: lfpd also reports what it has thrown away of a connection before. */
	*why = "window that goes back or beyond what was sent";
	if (lfp_window_report(&vs->send, frame->window.consumed))
		return -EPROTO;
	if (vs->readable && vsock_has_stream(vs))
		stream_look_again(inst, vs);
	return 0;
}

static void on_event(struct instance *inst, struct vsock *vs, uint32_t events)
{
	bool hung = events & (EPOLLHUP | EPOLLERR);

	switch (vs->state) {
	case VSOCK_ESTABLISHED:
		vs->hung |= hung;
		vs->aborted |= (events & EPOLLERR) != 0;
		if ((events & EPOLLOUT) && vs->wants_out)
			deliver_flush(inst, vs);
		if (events & ~(uint32_t)EPOLLOUT) {
			vs->readable = true;
			vs->to_end |= (events & (EPOLLPRI | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
			run_later(inst, vs);
		}
		break;
	case VSOCK_RESET:
		if (hung && near_names_is_gone(&inst->near->names, vsock_name(vs)))
			end_close(inst, vs, true);
		else if (vs->wants_out)
			deliver_flush(inst, vs);
		break;
	case VSOCK_CONNECTING:
		/* The gate is readable, and end of file waits behind it. */
		if (hung && near_names_is_gone(&inst->near->names, vsock_name(vs)))
			end_close(inst, vs, true);
		break;
	case VSOCK_LISTENING:
		if (hung && near_names_is_gone(&inst->near->names, vsock_name(vs)))
			end_close(inst, vs, false);
		else
			listen_hand_over(inst, vs);
		break;
	case VSOCK_DATAGRAM:
		datagram_on_event(inst, vs, events);
		break;
	default:
		break;
	}
}

void stream_poll_now(struct instance *inst)
{
	struct epoll_event events[EVENTS];
	int nr;

	for (int round = 0; round < EVENT_ROUNDS; round++) {
		nr = epoll_wait(inst->streams->epfd, events, EVENTS, 0);
		for (int i = 0; i < nr; i++) {
			struct vsock *vs = vsock_find(inst->socks, events[i].data.u64);

			if (vs && vs->far >= 0)
				on_event(inst, vs, events[i].events);
		}
		if (nr < EVENTS)
			break;
	}
	run(inst);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	stream_poll_now(poll->data);
}

int stream_watch(struct instance *inst, struct vsock *vs)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLET,
		.data.u64 = vs->id,
	};

	vs->wants_out = false;
	return epoll_ctl(inst->streams->epfd, EPOLL_CTL_ADD, vs->far, &event) ? -errno : 0;
}

void stream_unwatch(struct instance *inst, const struct vsock *vs)
{
	if (vs->far >= 0)
		(void)epoll_ctl(inst->streams->epfd, EPOLL_CTL_DEL, vs->far, NULL);
}

void stream_begin(struct instance *inst, struct vsock *vs)
{
	const struct ijblfp_statements *st = &inst->config.st;
	struct lfp_frame frame = {.code = LFP_WINDOW, .sock = vs->id};

	vs->send.window = inst->link->window_out;
	vs->recv.window = st->window_size;
	vs->recv.threshold = lfp_window_threshold(st->window_size, st->window_threshold);
	/* What a connection before this one has left undelivered. */
	if (lfp_window_settle(&vs->recv)) {
		frame.window.consumed = vs->recv.consumed;
		(void)link_send(inst, &frame);
	}
}

void stream_go(struct instance *inst, struct vsock *vs)
{
	/* The edge of what the program has written already may be spent on the gate. */
	vs->readable = vs->to_end = true;
	stream_look_again(inst, vs);
	deliver_flush(inst, vs);
}

int stream_set_init(struct instance *inst)
{
	struct stream_set *set = inst->streams;
	int rc;

	*set = (struct stream_set){0};
	list_init(&set->runnable);
	set->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (set->epfd < 0)
		return -errno;
	rc = uv_poll_init(inst->loop, &set->poll, set->epfd);
	if (rc) {
		close(set->epfd);
		return rc;
	}
	set->poll.data = inst;
	handle_open(inst);
	uv_idle_init(inst->loop, &set->idle);
	set->idle.data = inst;
	handle_open(inst);
	return uv_poll_start(&set->poll, UV_READABLE, on_poll);
}

void stream_set_finish(struct instance *inst)
{
	struct stream_set *set = inst->streams;

	uv_poll_stop(&set->poll);
	uv_idle_stop(&set->idle);
	close(set->epfd);
	handle_close(inst, (uv_handle_t *)&set->poll);
	handle_close(inst, (uv_handle_t *)&set->idle);
}
