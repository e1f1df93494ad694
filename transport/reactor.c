/* SPDX-License-Identifier: Apache-2.0 */
/* reactor.c - one epoll set for the descriptors that carry data, and the turns of a loop */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "transport/reactor-inner.h"

/* reactor.h has the theory of operation. */

/* Before this version uv_backend_timeout() does not tell that a handle was just started. */
#define UV_TELLS_STARTED 0x012c00u

static struct lfp_list reactors = {&reactors, &reactors};

static void on_idle(uv_idle_t *idle);
static void on_poll(uv_poll_t *poll, int status, int events);
static void on_prepare(uv_prepare_t *prepare);
static void on_check(uv_check_t *check);

/* Under uv_run(), one of libuv's handles keeps the loop alive for all active members. */
static void keep_alive(struct reactor *reactor)
{
	if (reactor->active)
		uv_ref((uv_handle_t *)&reactor->poll);
	else
		uv_unref((uv_handle_t *)&reactor->poll);
}

static void start_handles(struct reactor *reactor)
{
	uv_poll_start(&reactor->poll, UV_READABLE, on_poll);
	uv_prepare_start(&reactor->prepare, on_prepare);
	uv_check_start(&reactor->check, on_check);
	keep_alive(reactor);
	reactor_note_work(reactor);
}

static void stop_handles(struct reactor *reactor)
{
	uv_poll_stop(&reactor->poll);
	uv_prepare_stop(&reactor->prepare);
	uv_check_stop(&reactor->check);
	uv_idle_stop(&reactor->idle);
}

static int create(uv_loop_t *loop, struct reactor **out)
{
	struct reactor *reactor = calloc(1, sizeof(*reactor));
	int rc;

	if (!reactor)
		return -ENOMEM;
	reactor->epfd = epoll_create1(EPOLL_CLOEXEC);
	rc = reactor->epfd < 0 ? -errno : uv_poll_init(loop, &reactor->poll, reactor->epfd);
	if (rc) {
		if (reactor->epfd >= 0)
			close(reactor->epfd);
		free(reactor);
		return rc;
	}
	reactor->loop = loop;
	reactor->asks_uv = uv_version() < UV_TELLS_STARTED;
	lfp_list_init(&reactor->entry);
	lfp_list_init(&reactor->hooks);
	lfp_list_init(&reactor->closed_watches);
	lfp_list_init(&reactor->closed_hooks);
	lfp_list_init(&reactor->outside);
	uv_prepare_init(loop, &reactor->prepare);
	uv_check_init(loop, &reactor->check);
	uv_idle_init(loop, &reactor->idle);
	reactor->poll.data = reactor->prepare.data = reactor;
	reactor->check.data = reactor->idle.data = reactor;
	uv_unref((uv_handle_t *)&reactor->prepare);
	uv_unref((uv_handle_t *)&reactor->check);
	reactor->handles = 4;
	lfp_list_append(&reactors, &reactor->entry);
	start_handles(reactor);
	*out = reactor;
	return 0;
}

static void on_handle_closed(uv_handle_t *handle)
{
	struct reactor *reactor = handle->data;

	if (--reactor->handles)
		return;
	free(reactor->slots);
	free(reactor);
}

static void finish(struct reactor *reactor)
{
	lfp_list_del(&reactor->entry);
	uv_close((uv_handle_t *)&reactor->poll, on_handle_closed);
	uv_close((uv_handle_t *)&reactor->prepare, on_handle_closed);
	uv_close((uv_handle_t *)&reactor->check, on_handle_closed);
	uv_close((uv_handle_t *)&reactor->idle, on_handle_closed);
	/* After uv_close(), which removes the descriptor from libuv's set. */
	close(reactor->epfd);
}

static struct reactor *find(const uv_loop_t *loop)
{
	struct reactor *reactor;

	lfp_list_each(reactor, &reactors, entry)
		if (reactor->loop == loop)
			return reactor;
	return NULL;
}

struct reactor *reactor_join(uv_loop_t *loop, int *rc)
{
	struct reactor *reactor = find(loop);

	if (!reactor)
		*rc = create(loop, &reactor);
	if (reactor)
		reactor->members++;
	return reactor;
}

void reactor_leave(struct reactor *reactor)
{
	if (!--reactor->members)
		finish(reactor);
}

void reactor_note_active(struct reactor *reactor, int by)
{
	reactor->active += (unsigned int)by;
	if (!reactor->driven)
		keep_alive(reactor);
}

static bool has_closed(const struct reactor *reactor)
{
	return !lfp_list_empty(&reactor->closed_watches) || !lfp_list_empty(&reactor->closed_hooks);
}

void reactor_note_work(struct reactor *reactor)
{
	if (reactor->driven)
		return;
	if (reactor->nr_asking || has_closed(reactor) || !lfp_list_empty(&reactor->outside))
		uv_idle_start(&reactor->idle, on_idle);
	else
		uv_idle_stop(&reactor->idle);
}

int turn_hook_init(uv_loop_t *loop, struct turn_hook *hook)
{
	int rc = 0;

	hook->reactor = reactor_join(loop, &rc);
	if (!hook->reactor)
		return rc;
	hook->asks = false;
	lfp_list_init(&hook->entry);
	lfp_list_init(&hook->closed);
	lfp_list_prepend(&hook->reactor->hooks, &hook->entry);
	hook->reactor->nr_after += hook->after != NULL;
	reactor_note_active(hook->reactor, 1);
	return 0;
}

void turn_hook_ask(struct turn_hook *hook, bool asks)
{
	assert(!asks || lfp_list_empty(&hook->closed));
	if (hook->asks == asks)
		return;
	hook->asks = asks;
	hook->reactor->nr_asking += asks ? 1u : -1u;
	reactor_note_work(hook->reactor);
}

void turn_hook_close(struct turn_hook *hook, void (*on_closed)(void *data))
{
	turn_hook_ask(hook, false);
	lfp_list_del(&hook->entry);
	hook->reactor->nr_after -= hook->after != NULL;
	hook->on_closed = on_closed;
	lfp_list_append(&hook->reactor->closed_hooks, &hook->closed);
	reactor_note_work(hook->reactor);
}

/* Calls the last callbacks of the members that were closed before. */
static void run_closed(struct reactor *reactor)
{
	struct lfp_list watches, hooks;
	struct turn_hook *hook;
	struct watch *watch;

	lfp_list_init(&watches);
	lfp_list_init(&hooks);
	lfp_list_append_all(&watches, &reactor->closed_watches);
	lfp_list_append_all(&hooks, &reactor->closed_hooks);
	reactor->members++; /* not to end below */
	while ((watch = lfp_list_first_entry(&watches, struct watch, closed))) {
		lfp_list_del(&watch->closed);
		reactor_note_active(reactor, -1);
		reactor_leave(reactor);
		if (watch->on_closed)
			watch->on_closed(watch->data);
	}
	while ((hook = lfp_list_first_entry(&hooks, struct turn_hook, closed))) {
		lfp_list_del(&hook->closed);
		reactor_note_active(reactor, -1);
		reactor_leave(reactor);
		if (hook->on_closed)
			hook->on_closed(hook->data);
	}
	reactor_note_work(reactor);
	reactor_leave(reactor);
}

enum phase { IDLE, BEFORE, AFTER };

/* A hook may close itself and any other one. */
static void run_hooks(struct reactor *reactor, enum phase phase)
{
	struct turn_hook *hook;
	struct lfp_list hooks;

	lfp_list_init(&hooks);
	lfp_list_append_all(&hooks, &reactor->hooks);
	while ((hook = lfp_list_first_entry(&hooks, struct turn_hook, entry))) {
		void (*fn)(struct turn_hook *) = phase == BEFORE  ? hook->before
						 : phase == AFTER ? hook->after
						 : hook->asks     ? hook->idle
								  : NULL;

		lfp_list_append(&reactor->hooks, &hook->entry);
		if (fn)
			fn(hook);
	}
}

static void wait_for_events(struct reactor *reactor, int timeout)
{
	int nr = epoll_wait(reactor->epfd, reactor->events, REACTOR_EVENTS, timeout);

	reactor->next = 0;
	reactor->nr = nr > 0 ? nr : 0;
}

static void dispatch(struct reactor *reactor)
{
	while (reactor->next < reactor->nr) {
		const struct epoll_event *event = &reactor->events[reactor->next++];
		uint64_t number = event->data.u64;

		if (number == EVENT_OF_UV)
			reactor->uv_is_ready = true;
		else if (number == EVENT_OF_ALARM)
			alarm_on_event(reactor);
		else if (number & EVENT_OF_SET)
			watch_sets_on_event(reactor, number, event->events);
		else
			watch_on_event(reactor, number, event->events);
	}
	watch_sets_done(reactor);
}

static void on_idle(uv_idle_t *idle)
{
	(void)watches_enter(idle->data, 0);
	run_hooks(idle->data, IDLE);
}

static void on_prepare(uv_prepare_t *prepare)
{
	run_hooks(prepare->data, BEFORE);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	wait_for_events(poll->data, 0);
	dispatch(poll->data);
}

static void on_check(uv_check_t *check)
{
	run_hooks(check->data, AFTER);
	run_closed(check->data);
}

/* Moves libuv's set into the reactor's set, or the other way round. Returns reactor->driven. */
static bool drive(struct reactor *reactor, bool driven)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = EVENT_OF_UV};
	int fd = uv_backend_fd(reactor->loop);

	reactor->driven = driven;
	if (driven)
		stop_handles(reactor);
	if (driven && !epoll_ctl(reactor->epfd, EPOLL_CTL_ADD, fd, &event))
		return true;
	if (!driven)
		(void)epoll_ctl(reactor->epfd, EPOLL_CTL_DEL, fd, NULL);
	reactor->driven = false;
	start_handles(reactor);
	return false;
}

/* Returns how long libuv can wait: milliseconds, or -1 for ever. 0: it has something to do. */
static int uv_can_wait(const struct reactor *reactor)
{
	int timeout = reactor->asks_uv ? 0 : uv_backend_timeout(reactor->loop);

	/* Of a loop without anything uv_backend_timeout() says 0. */
	return timeout || uv_loop_alive(reactor->loop) ? timeout : -1;
}

/*
 * Lets libuv look at the clock if the kernel's tick has gone on. A look costs as much as two short
 * system calls where the processor forgets its address translations with each switch: it is in four
 * pages that nothing else of a turn needs. The tick is in two.
 */
static void update_time(struct reactor *reactor)
{
	struct timespec tick = {0};

	/* After a wait that no event has ended, a timer is due. */
	if (reactor->nr && !clock_gettime(CLOCK_MONOTONIC_COARSE, &tick) &&
	    tick.tv_nsec == reactor->tick.tv_nsec && tick.tv_sec == reactor->tick.tv_sec)
		return;
	reactor->tick = tick;
	uv_update_time(reactor->loop);
}

/* Returns true if there is something to wait for. */
static bool is_alive(const struct reactor *reactor)
{
	return reactor->active || uv_loop_alive(reactor->loop);
}

static void turn(struct reactor *reactor)
{
	int timeout;

	if (reactor->nr_asking)
		run_hooks(reactor, IDLE);
	run_hooks(reactor, BEFORE);
	/* Now, so that the members that these hooks have closed cost no wait of their own. */
	if (has_closed(reactor))
		run_closed(reactor);
	if (reactor->stopped || !is_alive(reactor))
		return;
	timeout = uv_can_wait(reactor);
	reactor->uv_is_ready = !timeout;
	if (!lfp_list_empty(&reactor->outside))
		timeout = watches_enter(reactor, timeout);
	if (reactor->nr_asking || has_closed(reactor))
		timeout = 0;
	wait_for_events(reactor, alarm_limit(reactor, timeout));
	update_time(reactor);
	dispatch(reactor);
	if (reactor->nr_after)
		run_hooks(reactor, AFTER);
	if (reactor->uv_is_ready)
		uv_run(reactor->loop, UV_RUN_NOWAIT);
	if (has_closed(reactor))
		run_closed(reactor);
}

void reactor_run(uv_loop_t *loop)
{
	int rc;
	struct reactor *reactor = reactor_join(loop, &rc);

	/* Without memory for that: libuv's own way is slower, and as good. */
	if (!reactor || !drive(reactor, true)) {
		uv_run(loop, UV_RUN_DEFAULT);
		if (reactor)
			reactor_leave(reactor);
		return;
	}
	reactor->stopped = false;
	alarm_open(reactor);
	while (!reactor->stopped && is_alive(reactor))
		turn(reactor);
	alarm_close(reactor);
	(void)drive(reactor, false);
	reactor_leave(reactor);
	if (!find(loop))
		uv_run(loop, UV_RUN_NOWAIT); /* the reactor has ended: its handles close */
}

void reactor_stop(uv_loop_t *loop)
{
	struct reactor *reactor = find(loop);

	if (reactor && reactor->driven)
		reactor->stopped = true;
	else
		uv_stop(loop);
}
