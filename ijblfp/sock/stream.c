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
 * All far ends are in the reactor's epoll set, edge-triggered, by socket id. An edge also shows the
 * close of a near end that is already shut down, which a level cannot. Masks of events never
 * change, except for EPOLLOUT. It is set only while data waits, because with it each read of the
 * near end causes an event (net/unix/af_unix.c, unix_write_space()).
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

#define TURN_SHARE (1024u * 1024u)
#define MANY_WAIT  32

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
	bytes -= vs->stream.has_stopper + (int)vs->stream.peek.left;
	return bytes > 0 ? (unsigned int)bytes : 0;
}

static void run(struct instance *inst)
{
	struct stream_set *set = inst->streams;
	size_t left = TURN_SHARE;
	struct lfp_list *first;

	while (left && !set->blocked && link_flows(inst->link) &&
	       (first = lfp_list_first(&set->runnable)))
		set->blocked =
			!stream_read(inst, lfp_list_entry(first, struct vsock, place), &left);
	turn_hook_ask(&set->hook,
		      !set->blocked && link_flows(inst->link) && !lfp_list_empty(&set->runnable));
}

static void on_turn(struct turn_hook *hook)
{
	run(hook->data);
}

void stream_look_again(struct instance *inst, struct vsock *vs)
{
	stream_run_later(inst, vs);
	if (!inst->streams->blocked)
		turn_hook_ask(&inst->streams->hook, true);
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
	watch_set_poll(&inst->streams->far_ends);
}

static void on_event(struct watch_set *set, uint64_t id, uint32_t events)
{
	struct instance *inst = set->data;
	struct vsock *vs = vsock_find(inst->socks, id);

	if (vs && vs->far >= 0)
		stream_on_event(inst, vs, events);
}

static void on_done(struct watch_set *set)
{
	run(set->data);
}

/* Adds the far end to the set, or changes its events. Returns 0 or a negative errno. */
static int watch(struct instance *inst, struct vsock *vs, int op, bool out)
{
	vs->stream.wants_out = out;
	return watch_set_control(&inst->streams->far_ends, op, vs->far, vs->id,
				 EPOLLIN | EPOLLPRI | EPOLLRDHUP | (out ? EPOLLOUT : 0u));
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
		(void)watch_set_control(&inst->streams->far_ends, EPOLL_CTL_DEL, vs->far, 0, 0);
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
	set->far_ends = (struct watch_set){.data = inst, .on_event = on_event, .on_done = on_done};
	rc = watch_set_init(inst->loop, &set->far_ends);
	if (rc)
		return rc;
	set->hook = (struct turn_hook){.data = inst, .idle = on_turn};
	rc = turn_hook_init(inst->loop, &set->hook);
	if (rc) {
		watch_set_finish(&set->far_ends);
		return rc;
	}
	handle_open(inst);
	return 0;
}

void stream_set_finish(struct instance *inst)
{
	struct stream_set *set = inst->streams;

	watch_set_finish(&set->far_ends);
	turn_hook_close(&set->hook, handle_let_go);
}
