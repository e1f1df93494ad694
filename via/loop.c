/* SPDX-License-Identifier: Apache-2.0 */
/* loop.c - waits for descriptors and times */
#include "via/loop.h"

#include <poll.h>
#include <stddef.h>
#include <time.h>

#define WATCHES_MAX 256
#define LONGEST     60000 /* ms */

static struct via_watch *watches;
static struct via_timer *timers;

int64_t via_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void via_watch_add(struct via_watch *watch)
{
	if (watch->on)
		return;
	watch->on = true;
	watch->next = watches;
	watches = watch;
}

void via_watch_remove(struct via_watch *watch)
{
	struct via_watch **at = &watches;

	while (*at && *at != watch)
		at = &(*at)->next;
	if (*at)
		*at = watch->next;
	watch->on = false;
}

void via_timer_stop(struct via_timer *timer)
{
	struct via_timer **at = &timers;

	while (*at && *at != timer)
		at = &(*at)->next;
	if (*at)
		*at = timer->next;
	timer->on = false;
}

void via_timer_set(struct via_timer *timer, int64_t ms)
{
	struct via_timer **at = &timers;

	via_timer_stop(timer);
	timer->at = via_now() + ms;
	timer->on = true;
	while (*at && (*at)->at <= timer->at)
		at = &(*at)->next;
	timer->next = *at;
	*at = timer;
}

static int time_left(void)
{
	int64_t left = timers ? timers->at - via_now() : LONGEST;

	return left < 0 ? 0 : left > LONGEST ? LONGEST : (int)left;
}

static struct via_watch *find(int fd)
{
	struct via_watch *watch = watches;

	while (watch && watch->fd != fd)
		watch = watch->next;
	return watch;
}

void via_loop_turn(void)
{
	struct pollfd fds[WATCHES_MAX];
	nfds_t nr = 0;

	for (struct via_watch *watch = watches; watch && nr < WATCHES_MAX; watch = watch->next)
		fds[nr++] = (struct pollfd){.fd = watch->fd, .events = watch->events};
	if (poll(fds, nr, time_left()) > 0) {
		/* A call may take others out; a descriptor that was made meanwhile has nothing to
		 * do with what poll() saw, and finds that out by EAGAIN. */
		for (nfds_t i = 0; i < nr; i++) {
			struct via_watch *watch = fds[i].revents ? find(fds[i].fd) : NULL;

			if (watch)
				watch->on_ready(watch, fds[i].revents);
		}
	}
	while (timers && timers->at <= via_now()) {
		struct via_timer *timer = timers;

		via_timer_stop(timer);
		timer->on_time(timer);
	}
}
