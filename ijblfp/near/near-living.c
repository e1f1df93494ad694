/* SPDX-License-Identifier: Apache-2.0 */
/* near-living.c - which near ends without a path a program still holds */
#include "ijblfp/near/near-living.h"

#include <stdlib.h>
#include <unistd.h>

/* More than a set has, so that a look needs no memory. Only entries that stay beside a path may
 * make it more (near_living_remove()). */
#define FIRST_SIZE (NEAR_LIVING_MAX + 1u)

void near_living_finish(struct near_living *living)
{
	for (unsigned int i = 0; i < living->nr; i++)
		close(living->sets[i].epfd);
	free(living->events);
	*living = (struct near_living){.nr = 0};
}

/* Returns the number of the user's set, from 1, or 0. */
static unsigned int find_set(struct near_living *living, uid_t uid)
{
	struct living_set *set = &living->sets[living->nr];

	for (unsigned int i = 0; i < living->nr; i++)
		if (living->sets[i].uid == uid)
			return i + 1;
	if (living->nr == NEAR_LIVING_SETS)
		return 0;
	*set = (struct living_set){.epfd = epoll_create1(EPOLL_CLOEXEC), .uid = uid};
	return set->epfd < 0 ? 0 : ++living->nr;
}

static bool grow(struct near_living *living)
{
	unsigned int size = living->size ? 2 * living->size : FIRST_SIZE;
	struct epoll_event *events = realloc(living->events, size * sizeof(*events));

	if (!events)
		return false;
	living->events = events;
	living->size = size;
	return true;
}

/* Finds all near ends of the set that are held. Returns their number, or -1 if there is no memory.
 */
static int look(struct near_living *living, unsigned int number)
{
	struct living_set *set = &living->sets[number - 1];
	int nr;

	for (;;) {
		nr = epoll_wait(set->epfd, living->events, (int)living->size, 0);
		if (nr >= 0)
			set->held = (unsigned int)nr;
		if (nr < (int)living->size)
			return nr;
		if (!grow(living))
			return -1;
	}
}

/* Counts the entries again. A near end that is in use may count twice. */
static void count(struct near_living *living, unsigned int number)
{
	struct living_set *set = &living->sets[number - 1];
	int nr = look(living, number);

	living->looked = 0; /* its events are overwritten */
	if (nr >= 0)
		set->entries = set->in_use + (unsigned int)nr;
}

static bool is_full(const struct living_set *set)
{
	return set->entries >= NEAR_LIVING_MAX || set->held >= NEAR_LIVING_HELD;
}

static bool has_room(struct near_living *living, unsigned int number)
{
	struct living_set *set = &living->sets[number - 1];

	if (is_full(set) && set->refused++ % NEAR_LIVING_PAUSE == 0)
		count(living, number);
	return !is_full(set);
}

unsigned int near_living_add(struct near_living *living, int near, uid_t uid, uint64_t cookie)
{
	struct epoll_event event = {.data.u64 = cookie};
	unsigned int set = find_set(living, uid);

	/* Without memory, or room in a set, it has a path. */
	if (!set || (!living->size && !grow(living)) || !has_room(living, set) ||
	    epoll_ctl(living->sets[set - 1].epfd, EPOLL_CTL_ADD, near, &event))
		return 0;
	living->sets[set - 1].refused = 0;
	living->sets[set - 1].entries++;
	living->sets[set - 1].in_use++;
	return set;
}

void near_living_remove(struct near_living *living, int near, unsigned int set)
{
	/* Fails if the descriptor has another number now. Then the entry stays, and means nothing.
	 */
	if (!epoll_ctl(living->sets[set - 1].epfd, EPOLL_CTL_DEL, near, NULL))
		living->sets[set - 1].entries--;
	near_living_leave(living, set);
}

void near_living_leave(struct near_living *living, unsigned int set)
{
	living->sets[set - 1].in_use--;
}

static int by_cookie(const void *a, const void *b)
{
	uint64_t one = ((const struct epoll_event *)a)->data.u64;
	uint64_t other = ((const struct epoll_event *)b)->data.u64;

	return one < other ? -1 : one > other;
}

/* The same as look(), and answers other questions until near_living_end(). */
static int look_once(struct near_living *living, unsigned int set)
{
	int nr;

	if (living->looked == set)
		return (int)living->looked_nr;
	nr = look(living, set);
	if (nr < 0)
		return nr;
	qsort(living->events, (size_t)nr, sizeof(*living->events), by_cookie);
	living->looked = set;
	living->looked_nr = (unsigned int)nr;
	return nr;
}

bool near_living_is_gone(struct near_living *living, unsigned int set, uint64_t cookie)
{
	const struct epoll_event key = {.data.u64 = cookie};
	int nr;

	if (living->looks) {
		nr = look_once(living, set);
		return nr >= 0 &&
		       !(nr && bsearch(&key, living->events, (size_t)nr, sizeof(key), by_cookie));
	}
	nr = look(living, set);
	for (int i = 0; i < nr; i++)
		if (living->events[i].data.u64 == cookie)
			return false;
	return nr >= 0;
}

void near_living_begin(struct near_living *living)
{
	if (!living->looks++)
		living->looked = 0;
}

void near_living_end(struct near_living *living)
{
	living->looks--;
	living->looked = 0;
}
