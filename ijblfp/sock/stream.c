/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - data on its way from far ends to the path */
#include "ijblfp/sock/stream.h"

#include <errno.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/window.h"

/*
 * Theory of operation
 *
 * All far ends are in one edge-triggered epoll set of our own, by socket id; libuv watches only the
 * set. An edge also shows the close of a near end that is already shut down, which a level cannot.
 * Masks of events never change, except for EPOLLOUT. It is set only while data waits, because with
 * it each read of the near end causes an event (net/unix/af_unix.c, unix_write_space()).
 *
 * On the way to lfpd, an edge ends READ_RESTS of a socket and puts the socket at the end of
 * `runnable`. Each turn the sockets of this list get their share, in order. A socket leaves the
 * list when it has no more data, or when its window is closed. A WINDOW then brings it back. When
 * the path takes no more data, the list stays as it is until the path is ready.
 *
 * A short recv() means that nothing more waits: later data causes a new edge. But recv() also stops
 * before an urgent byte and behind descriptors (net/unix/af_unix.c, unix_stream_read_generic()),
 * and the edge of the end may be over. So after an edge of either kind, after a possibly missed
 * edge, and where descriptors can arrive, the instance reads until EAGAIN.
 *
 * Urgent data comes as a call (urgent.c), not through the near end. The call says which byte of the
 * far end follows the urgent data.
 *
 * stream-read.c reads far ends. The way to the program is in deliver.c.
 */

#define TURN_SHARE   (1024u * 1024u)
#define EVENTS       64
#define EVENT_ROUNDS 8
#define MANY_WAIT    32

void stream_run_later(struct instance *inst, struct vsock *vs)
{
	if (lfp_list_empty(&vs->place))
		lfp_list_append(&inst->streams->runnable, &vs->place);
}

bool stream_is_at_urgent(const struct vsock *vs)
{
	int at = 0;

	return !ioctl(vs->far, SIOCATMARK, &at) && at;
}

unsigned int stream_waiting(const struct vsock *vs)
{
	int bytes = 0;

	if (ioctl(vs->far, FIONREAD, &bytes) || bytes <= 0)
		return 0;
	bytes -= vs->stream.accept_mark == MARK_PASSED ||
		 (vs->stream.accept_mark == MARK_LEFT && stream_is_at_urgent(vs));
	return (unsigned int)(bytes - vs->stream.has_stopper);
}

static void on_idle(uv_idle_t *idle);

static void run(struct instance *inst)
{
	struct stream_set *set = inst->streams;
	size_t left = TURN_SHARE;
	struct lfp_list *first;

	while (left && !set->blocked && link_flows(inst->link) &&
	       (first = lfp_list_first(&set->runnable)))
		set->blocked =
			!stream_read(inst, lfp_list_entry(first, struct vsock, place), &left);
	if (!set->blocked && link_flows(inst->link) && !lfp_list_empty(&set->runnable))
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
	stream_run_later(inst, vs);
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
	/* With many waiting sockets, let lfpd and the programs run after each share of the path,
	 * while the moved data is still in the processor's cache. */
	if (lfp_list_has(&inst->streams->runnable, MANY_WAIT))
		(void)sched_yield();
	run(inst);
}

int stream_on_window(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		     const char **why)
{
	/* Handle WINDOW in every state: lfpd also counts data of an earlier connection that it has
	 * thrown away.
	 */
	*why = "window that goes back or beyond what was sent";
	if (lfp_window_report(&vs->send, frame->window.consumed))
		return -EPROTO;
	if (vs->stream.reading != READ_RESTS && vsock_has_stream(vs))
		stream_look_again(inst, vs);
	return 0;
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
				stream_on_event(inst, vs, events[i].events);
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

/* Adds the far end to the set, or changes its events. Returns 0 or a negative errno. */
static int watch(struct instance *inst, struct vsock *vs, int op, bool out)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLPRI | EPOLLRDHUP | EPOLLET | (out ? EPOLLOUT : 0u),
		.data.u64 = vs->id,
	};

	vs->stream.wants_out = out;
	return epoll_ctl(inst->streams->epfd, op, vs->far, &event) ? -errno : 0;
}

int stream_watch(struct instance *inst, struct vsock *vs)
{
	return watch(inst, vs, EPOLL_CTL_ADD, false);
}

void stream_want_out(struct instance *inst, struct vsock *vs, bool want)
{
	if (vs->stream.wants_out != want)
		(void)watch(inst, vs, EPOLL_CTL_MOD, want);
}

void stream_want_out_again(struct instance *inst, struct vsock *vs)
{
	(void)watch(inst, vs, EPOLL_CTL_MOD, true);
}

void stream_unwatch(struct instance *inst, const struct vsock *vs)
{
	if (vs->far >= 0)
		(void)epoll_ctl(inst->streams->epfd, EPOLL_CTL_DEL, vs->far, NULL);
}

void ijblfp_stream_begin(struct instance *inst, struct vsock *vs)
{
	const struct ijblfp_statements *st = &inst->config.st;
	struct lfp_frame frame = {.code = LFP_WINDOW, .sock = vs->id};

	vs->send.window = inst->link->window_out;
	vs->recv.window = st->window_size;
	vs->recv.threshold = lfp_window_threshold(st->window_size, st->window_threshold);
	/* Data that an earlier connection has left undelivered. */
	if (lfp_window_settle(&vs->recv)) {
		frame.window.consumed = vs->recv.consumed;
		(void)link_send(inst, &frame);
	}
}

int stream_set_init(struct instance *inst)
{
	struct stream_set *set = inst->streams;
	int rc;

	*set = (struct stream_set){0};
	lfp_list_init(&set->runnable);
	lfp_list_init(&set->starved);
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
