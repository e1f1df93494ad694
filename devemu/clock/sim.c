/* SPDX-License-Identifier: Apache-2.0 */
/* sim.c - the heap of pending events and the loop over it */
#include "devemu/clock/sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 4 };

static int heap_grow(struct sim *sim, size_t room)
{
	struct sim_entry *heap = reallocarray(sim->heap, room, sizeof(*heap));

	if (!heap)
		return -ENOMEM;
	sim->heap = heap;
	sim->room = room;
	return 0;
}

int sim_init(struct sim *sim, uint64_t seed, size_t room)
{
	memset(sim, 0, sizeof(*sim));
	random_seed(&sim->random, seed);
	eventlog_init(&sim->log);
	return heap_grow(sim, room < 64 ? 64 : room);
}

void sim_finish(struct sim *sim)
{
	free(sim->heap);
	memset(sim, 0, sizeof(*sim));
}

static inline int before(const struct sim_entry *a, const struct sim_entry *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

void sim_at(struct sim *sim, int64_t at, struct sim_node *node)
{
	const struct sim_entry entry = {at < sim->now ? sim->now : at, sim->order++, node};
	size_t hole = sim->count;

	if (sim->count == sim->room && heap_grow(sim, 2 * sim->room) < 0) {
		sim->error = -ENOMEM;
		return;
	}
	sim->count++;
	while (hole > 0) {
		const size_t parent = (hole - 1) / WAYS;

		if (!before(&entry, &sim->heap[parent]))
			break;
		sim->heap[hole] = sim->heap[parent];
		hole = parent;
	}
	sim->heap[hole] = entry;
}

/* The hole at the top goes down along the least children, then the last entry goes up from there.
 * It came from the bottom and mostly stays there, which saves a comparison at each level. */
static void heap_pop(struct sim *sim)
{
	struct sim_entry *heap = sim->heap;
	const size_t count = --sim->count;
	const struct sim_entry entry = heap[count];
	size_t hole = 0, child;

	while ((child = WAYS * hole + 1) < count) {
		const size_t end = child + WAYS < count ? child + WAYS : count;
		size_t least = child;

		while (++child < end)
			if (before(&heap[child], &heap[least]))
				least = child;
		heap[hole] = heap[least];
		hole = least;
	}
	while (hole > 0) {
		const size_t parent = (hole - 1) / WAYS;

		if (!before(&entry, &heap[parent]))
			break;
		heap[hole] = heap[parent];
		hole = parent;
	}
	heap[hole] = entry;
}

int sim_run(struct sim *sim, int64_t until)
{
	sim->stopping = 0;
	while (!sim->stopping && !sim->error && sim->count > 0) {
		const struct sim_entry first = sim->heap[0];

		if (first.at > until) {
			sim->now = until;
			break;
		}
		heap_pop(sim);
		sim->now = first.at;
		sim->handled++;
		first.node->handler(sim, first.node);
	}
	if (!sim->stopping && !sim->error && sim->count == 0 && sim->now < until)
		sim->now = until;
	return sim->error;
}

void sim_stop(struct sim *sim)
{
	sim->stopping = 1;
}
