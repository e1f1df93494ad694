/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - single descriptors in a reactor's epoll set */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "transport/reactor-inner.h"

/*
 * Theory of operation
 *
 * A watch enters the epoll set when it is started for the first time: a TCP socket that is new
 * would have EPOLLHUP there. If the kernel has no memory for that, the reactor tries again every
 * few milliseconds. A stopped watch stays there, edge-triggered and without events: the kernel
 * still adds EPOLLERR and EPOLLHUP (fs/eventpoll.c, do_epoll_ctl()), each of which then costs at
 * most one wake-up.
 */

#define RETRY_MS 10

static uint32_t to_epoll(int events)
{
	return (events & UV_READABLE ? EPOLLIN : 0u) | (events & UV_WRITABLE ? EPOLLOUT : 0u) |
	       (events & UV_DISCONNECT ? EPOLLRDHUP : 0u) |
	       (events & UV_PRIORITIZED ? EPOLLPRI : 0u) |
	       (events & WATCH_EDGES ? (uint32_t)EPOLLET : 0u);
}

static int to_uv(uint32_t events)
{
	return (events & EPOLLIN ? UV_READABLE : 0) | (events & EPOLLOUT ? UV_WRITABLE : 0) |
	       (events & EPOLLRDHUP ? UV_DISCONNECT : 0) | (events & EPOLLPRI ? UV_PRIORITIZED : 0);
}

static bool has_slot(struct reactor *reactor)
{
	uint32_t nr = reactor->nr_slots ? reactor->nr_slots * 2 : 64;
	struct watch_slot *slots;

	if (reactor->free_slot < reactor->nr_slots)
		return true;
	slots = realloc(reactor->slots, nr * sizeof(*slots));
	if (!slots)
		return false;
	for (uint32_t i = reactor->nr_slots; i < nr; i++)
		slots[i] = (struct watch_slot){.generation = 1, .next = i + 1};
	reactor->slots = slots;
	reactor->nr_slots = nr;
	return true;
}

static void free_slot(struct reactor *reactor, uint32_t number)
{
	struct watch_slot *slot = &reactor->slots[number];

	slot->watch = NULL;
	slot->generation = slot->generation < GENERATION_MAX ? slot->generation + 1 : 1;
	slot->next = reactor->free_slot;
	reactor->free_slot = number;
}

/* Returns 0 or a negative errno. */
static int control(const struct watch *watch, int op)
{
	struct reactor *reactor = watch->reactor;
	struct epoll_event event = {
		.events = watch->events ? to_epoll(watch->events) : (uint32_t)EPOLLET,
		.data.u64 = (uint64_t)reactor->slots[watch->slot].generation << 32 | watch->slot,
	};

	return epoll_ctl(reactor->epfd, op, watch->fd, &event) ? -errno : 0;
}

int watch_init(uv_loop_t *loop, struct watch *watch, int fd)
{
	int rc = 0;
	struct reactor *reactor = reactor_join(loop, &rc);

	if (!reactor)
		return rc;
	if (!has_slot(reactor)) {
		reactor_leave(reactor);
		return -ENOMEM;
	}
	*watch = (struct watch){
		.reactor = reactor, .data = watch->data, .fd = fd, .slot = reactor->free_slot};
	lfp_list_init(&watch->closed);
	lfp_list_init(&watch->outside);
	reactor->free_slot = reactor->slots[watch->slot].next;
	reactor->slots[watch->slot].watch = watch;
	return 0;
}

/* Puts a started watch into the epoll set, or on the list of those that are outside. */
static void enter(struct watch *watch)
{
	lfp_list_del(&watch->outside);
	watch->inside = !control(watch, EPOLL_CTL_ADD);
	if (watch->inside)
		return;
	lfp_list_append(&watch->reactor->outside, &watch->outside);
	reactor_note_work(watch->reactor);
}

int watches_enter(struct reactor *reactor, int timeout)
{
	struct lfp_list all, *first;

	lfp_list_init(&all);
	lfp_list_append_all(&all, &reactor->outside);
	while ((first = lfp_list_first(&all)))
		enter(lfp_list_entry(first, struct watch, outside));
	reactor_note_work(reactor);
	if (lfp_list_empty(&reactor->outside) || (timeout >= 0 && timeout < RETRY_MS))
		return timeout;
	return RETRY_MS;
}

static void set_events(struct watch *watch, int events)
{
	if (watch->events == events)
		return;
	reactor_note_active(watch->reactor, !!events - !!watch->events);
	watch->events = events;
	if (watch->inside)
		(void)control(watch, EPOLL_CTL_MOD); /* nothing that can fail */
	else if (events)
		enter(watch);
	else
		lfp_list_del(&watch->outside);
}

void watch_start(struct watch *watch, int events,
		 void (*cb)(struct watch *watch, int status, int events))
{
	assert(!watch_is_closing(watch));
	watch->cb = cb;
	set_events(watch, events);
}

void watch_stop(struct watch *watch)
{
	set_events(watch, 0);
}

void watch_close(struct watch *watch, void (*on_closed)(void *data))
{
	struct reactor *reactor = watch->reactor;

	/* Another process may have the descriptor, and its events would still come. */
	if (watch->inside)
		(void)epoll_ctl(reactor->epfd, EPOLL_CTL_DEL, watch->fd, NULL);
	watch->inside = false;
	lfp_list_del(&watch->outside);
	reactor_note_active(reactor, !watch->events);
	watch->events = 0;
	free_slot(reactor, watch->slot);
	watch->on_closed = on_closed;
	lfp_list_append(&reactor->closed_watches, &watch->closed);
	reactor_note_work(reactor);
}

bool watch_is_closing(const struct watch *watch)
{
	return !lfp_list_empty(&watch->closed);
}

/* Returns the watch that an event is for, or NULL. */
static struct watch *find(const struct reactor *reactor, uint64_t number)
{
	uint32_t slot = (uint32_t)number;
	struct watch *watch;

	if (slot >= reactor->nr_slots || reactor->slots[slot].generation != number >> 32)
		return NULL;
	watch = reactor->slots[slot].watch;
	return watch && watch->events ? watch : NULL;
}

void watch_again(struct reactor *reactor, uint64_t number)
{
	const struct watch *watch = find(reactor, number);

	/* The kernel looks whether the descriptor is ready, and queues it. */
	if (watch && (watch->events & WATCH_EDGES))
		(void)control(watch, EPOLL_CTL_MOD);
}

void watch_on_event(struct reactor *reactor, uint64_t number, uint32_t events)
{
	struct watch *watch = find(reactor, number);
	uint32_t wanted;

	if (!watch)
		return;
	wanted = to_epoll(watch->events & ~WATCH_EDGES);
	events &= wanted | EPOLLERR | EPOLLHUP;
	/* As libuv does: the call that the owner then makes tells more. */
	if (events == EPOLLERR || events == EPOLLHUP)
		events |= wanted;
	if ((events & EPOLLERR) && !(events & EPOLLPRI)) {
		int watched = watch->events;

		watch_stop(watch);
		watch->cb(watch, -EBADF, watched);
	} else if (events) {
		watch->cb(watch, 0, to_uv(events));
	}
}
