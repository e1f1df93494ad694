/* SPDX-License-Identifier: Apache-2.0 */
/* watch-set.c - many descriptors of one owner in a reactor's epoll set */
#include <errno.h>

#include "transport/reactor-inner.h"

/* Most descriptors that watch_set_poll() looks at, in calls of the kernel. */
#define ROUNDS_MAX 1024

#define PLACE_SHIFT 48

_Static_assert(REACTOR_SETS <= 1 << (62 - PLACE_SHIFT), "a place fits");

int watch_set_init(uv_loop_t *loop, struct watch_set *set)
{
	int rc = 0;
	uint64_t place = 0;
	struct reactor *reactor = reactor_join(loop, &rc);

	if (!reactor)
		return rc;
	while (place < REACTOR_SETS && reactor->sets[place])
		place++;
	if (place == REACTOR_SETS) {
		reactor_leave(reactor);
		return -ENOSPC;
	}
	set->reactor = reactor;
	set->place = place;
	set->told = false;
	reactor->sets[place] = set;
	reactor_note_active(reactor, 1);
	return 0;
}

void watch_set_finish(struct watch_set *set)
{
	struct reactor *reactor = set->reactor;

	reactor->sets[set->place] = NULL;
	reactor->sets_told -= set->told;
	reactor_note_active(reactor, -1);
	reactor_leave(reactor);
}

int watch_set_control(const struct watch_set *set, int op, int fd, uint64_t number, uint32_t events)
{
	struct epoll_event event = {
		.events = events | (uint32_t)EPOLLET,
		.data.u64 = EVENT_OF_SET | set->place << PLACE_SHIFT | number,
	};

	return epoll_ctl(set->reactor->epfd, op, fd, &event) ? -errno : 0;
}

static void owe_done(struct watch_set *set)
{
	set->reactor->sets_told += !set->told;
	set->told = true;
}

void watch_sets_on_event(struct reactor *reactor, uint64_t number, uint32_t events)
{
	uint64_t place = (number & WATCH_SET_TAG & ~EVENT_OF_SET) >> PLACE_SHIFT;
	struct watch_set *set = place < REACTOR_SETS ? reactor->sets[place] : NULL;

	if (!set)
		return;
	owe_done(set);
	set->on_event(set, number & ~WATCH_SET_TAG, events);
}

void watch_sets_done(struct reactor *reactor)
{
	for (unsigned int i = 0; reactor->sets_told && i < REACTOR_SETS; i++) {
		struct watch_set *set = reactor->sets[i];

		if (!set || !set->told)
			continue;
		set->told = false;
		reactor->sets_told--;
		set->on_done(set);
	}
}

static bool is_of_set(const struct epoll_event *event)
{
	return event->data.u64 & EVENT_OF_SET;
}

/* Handles an event of a set: an edge that was taken does not come again. */
static void handle(struct reactor *reactor, struct epoll_event *event)
{
	uint64_t number = event->data.u64;

	if (!is_of_set(event))
		return;
	event->data.u64 = 0;
	watch_sets_on_event(reactor, number, event->events);
}

/* Takes what the kernel has, once around: it puts a descriptor that stays ready behind all others.
 * Events of watches come again. The alarm's is an edge, too. */
static void take_ready(struct reactor *reactor)
{
	struct epoll_event events[REACTOR_EVENTS];
	uint64_t first = 0;

	for (int round = 0, nr = REACTOR_EVENTS; round < ROUNDS_MAX && nr == REACTOR_EVENTS;
	     round++) {
		nr = epoll_wait(reactor->epfd, events, REACTOR_EVENTS, 0);
		for (int i = 0; i < nr; i++) {
			if (is_of_set(&events[i])) {
				handle(reactor, &events[i]);
				continue;
			}
			if (events[i].data.u64 == EVENT_OF_ALARM) {
				alarm_on_event(reactor);
				continue;
			}
			if (first && events[i].data.u64 == first)
				round = ROUNDS_MAX;
			first = first ? first : events[i].data.u64;
			watch_again(reactor, events[i].data.u64);
		}
	}
}

void watch_set_poll(struct watch_set *set)
{
	struct reactor *reactor = set->reactor;

	for (int i = reactor->next; i < reactor->nr; i++)
		handle(reactor, &reactor->events[i]);
	take_ready(reactor);
	owe_done(set);
	watch_sets_done(reactor);
}
