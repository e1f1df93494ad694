/* SPDX-License-Identifier: Apache-2.0 */
/* epoll.c - epoll_wait, epoll_pwait, epoll_pwait2: where SO_RCVLOWAT counts as on TCP */
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>

#include "libvsesock/core/low-water.h"
#include "libvsesock/core/watched.h"
#include "libvsesock/preload/hooks.h"
#include "libvsesock/preload/low-wait.h"

/*
 * Theory of operation
 *
 * As poll.c. An event has no descriptor; the set's entry in /proc with the same data shows it. The
 * program's set is not changed. Level-triggered entries are reported again and again, so the wait
 * uses a set of our own, which watches the program's set with EPOLLET. Held edges are dropped: the
 * next byte brings another one.
 *
 * The kernel disables an EPOLLONESHOT entry after its event and no longer shows its event mask. The
 * library could not enable it again, so such events pass unchanged.
 */
#define READABLE (EPOLLIN | EPOLLRDNORM)

/* Events looked up together, one bit each. */
#define BATCH 64

struct batch {
	struct epoll_event *events;
	int nr;
	int entries;          /* entries of the program's set */
	uint64_t held, other; /* held: ready by less than the mark; other: ready by more */
};

static bool may_be_held(const struct epoll_event *event)
{
	return (event->events & READABLE) && !(event->events & (EPOLLERR | EPOLLHUP | EPOLLRDHUP));
}

static bool look_up(void *arg, const struct watched *entry)
{
	struct batch *batch = arg;
	uint64_t same = 0;

	batch->entries++;
	for (int i = 0; i < batch->nr; i++)
		if (batch->events[i].data.u64 == entry->data && may_be_held(&batch->events[i]))
			same |= UINT64_C(1) << i;
	if (!same)
		return true;
	if ((entry->events & EPOLLONESHOT) || !watched_is_there(entry))
		batch->other |= same;
	else if (!(raw_poll_now(entry->fd, POLLIN) & POLLIN))
		return true; /* another thread has read the data */
	else if (low_water_holds(entry->fd))
		batch->held |= same;
	else
		batch->other |= same;
	return true;
}

/* Takes held events out. Returns how many are left; *entries is the number of entries of the set.
 */
static int take_out(int set, struct epoll_event *events, int nr, int *entries)
{
	int left = 0;

	for (int at = 0; at < nr; at += BATCH) {
		struct batch batch = {.events = events + at};

		batch.nr = nr - at < BATCH ? nr - at : BATCH;
		watched_each(set, look_up, &batch);
		*entries = batch.entries;
		for (int i = 0; i < batch.nr; i++) {
			struct epoll_event event = events[at + i];

			if ((batch.held & ~batch.other) >> i & 1)
				event.events &= ~(uint32_t)READABLE;
			if (event.events)
				events[left++] = event;
		}
	}
	return left;
}

struct round {
	int set;
	struct epoll_event *events;
	int most;
	int given; /* events that the call before the first wait has returned */
	struct low_wait wait;
};

static int take_now(const struct round *round)
{
	return (int)raw_call(SYS_epoll_pwait, round->set, (long)round->events, round->most, 0, 0,
			     0);
}

/*
 * Takes held events out of the @nr that the kernel has returned. Returns how many the program gets.
 * If all are held and fill the program's array, other events may still wait in the kernel, so it is
 * asked again. The kernel moves reported entries to the end of its list: after as many events as
 * the set has entries, all were seen.
 */
static int take_round(const struct round *round, int nr)
{
	int held = 0, entries = 0, left;

	while (nr > 0) {
		left = take_out(round->set, round->events, nr, &entries);
		if (left)
			return left;
		held += nr;
		if (nr < round->most || held >= entries)
			return 0;
		nr = take_now(round);
	}
	return nr;
}

static int wait_on(const struct round *round, int64_t end, const sigset_t *mask)
{
	struct pollfd pfd = {.fd = round->wait.set, .events = POLLIN};
	struct timespec ts;
	int rc;

	for (;;) {
		low_wait_drain(&round->wait);
		rc = take_round(round, take_now(round));
		if (rc || low_wait_over(end))
			return (int)give(rc);
		ts = low_wait_look(end);
		rc = real()->ppoll(&pfd, 1, &ts, mask);
		if (rc < 0)
			return rc;
	}
}

static bool any_readable(const struct epoll_event *events, int nr)
{
	for (int i = 0; i < nr; i++)
		if (may_be_held(&events[i]))
			return true;
	return false;
}

/* Without a descriptor for the set, return the kernel's events, which are still there. */
static int wait_for_more(struct round *round, int64_t end, const sigset_t *mask)
{
	int rc = low_wait_begin(&round->wait);

	if (!rc)
		rc = low_wait_watch(&round->wait, round->set);
	return rc < 0 ? round->given : wait_on(round, end, mask);
}

/* Handles @nr events from the kernel. */
static int finish(int set, struct epoll_event *events, int most, int nr, int64_t end,
		  const sigset_t *mask)
{
	struct round round = {
		.set = set, .events = events, .most = most, .given = nr, .wait.set = -1};
	int saved = errno, rc;

	if (nr <= 0 || !any_readable(events, nr))
		return nr;
	rc = take_round(&round, nr);
	if (rc || low_wait_over(end))
		return (int)give(rc);
	pthread_cleanup_push(low_wait_end, &round.wait);
	rc = wait_for_more(&round, end, mask);
	if (rc >= 0)
		errno = saved;
	pthread_cleanup_pop(1);
	return rc;
}

EXPORT int epoll_wait(int set, struct epoll_event *events, int most, int timeout)
{
	int64_t end;

	if (!low_water_on())
		return real()->epoll_wait(set, events, most, timeout);
	end = low_wait_until_ms(timeout);
	return finish(set, events, most, real()->epoll_wait(set, events, most, timeout), end, NULL);
}

EXPORT int epoll_pwait(int set, struct epoll_event *events, int most, int timeout,
		       const sigset_t *mask)
{
	int64_t end;

	if (!low_water_on())
		return real()->epoll_pwait(set, events, most, timeout, mask);
	end = low_wait_until_ms(timeout);
	return finish(set, events, most, real()->epoll_pwait(set, events, most, timeout, mask), end,
		      mask);
}

/* Missing from older headers. */
int epoll_pwait2(int set, struct epoll_event *events, int most, const struct timespec *timeout,
		 const sigset_t *mask);

EXPORT int epoll_pwait2(int set, struct epoll_event *events, int most,
			const struct timespec *timeout, const sigset_t *mask)
{
	int64_t end;

	if (!low_water_on())
		return real()->epoll_pwait2(set, events, most, timeout, mask);
	end = low_wait_until(timeout);
	return finish(set, events, most, real()->epoll_pwait2(set, events, most, timeout, mask),
		      end, mask);
}
