/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - chooses the next unit of an engine */
#include <stddef.h>

#include "devemu/engine/pool-inner.h"

void pool_enqueue(struct pool *pool, struct unit *unit, uint64_t now_ns)
{
	struct unit_queue *queue = &pool->queue[unit->class][unit->eligible];

	unit->next = NULL;
	unit->holds = false;
	unit->queued = true;
	unit->queued_ns = now_ns;
	if (queue->last)
		queue->last->next = unit;
	else
		queue->first = unit;
	queue->last = unit;
	pool->queued++;
}

static struct unit *take_first(struct pool *pool, struct unit_queue *queue)
{
	struct unit *unit = queue->first;

	queue->first = unit->next;
	if (!queue->first)
		queue->last = NULL;
	unit->queued = false;
	pool->queued--;
	return unit;
}

/* Finds the oldest promoted unit, for which other work waits. */
static struct unit *take_holder(struct pool *pool, struct unit_queue *queue)
{
	struct unit *before = NULL;

	for (struct unit *unit = queue->first; unit; before = unit, unit = unit->next) {
		if (!unit->holds)
			continue;
		if (!before)
			return take_first(pool, queue);
		before->next = unit->next;
		if (queue->last == unit)
			queue->last = before;
		unit->queued = false;
		pool->queued--;
		return unit;
	}
	return NULL;
}

/* Without a zIIP both kinds of a class are one queue. */
static struct unit *take_older(struct pool *pool, unsigned int class)
{
	struct unit_queue *queue = pool->queue[class];
	const struct unit *normal = queue[0].first, *eligible = queue[1].first;

	if (!eligible)
		return normal ? take_first(pool, &queue[0]) : NULL;
	if (!normal || eligible->queued_ns <= normal->queued_ns)
		return take_first(pool, &queue[1]);
	return take_first(pool, &queue[0]);
}

/* IIPHONORPRIORITY=YES: help for units that have waited long enough. */
static struct unit *help(struct pool *pool, unsigned int class, uint64_t now_ns, uint64_t *wait_ns)
{
	struct unit_queue *queue = &pool->queue[class][1];
	const uint64_t patience = pool->config.help_us * UINT64_C(1000);
	uint64_t waited;

	if (!pool->config.honor_priority || !queue->first)
		return NULL;
	waited = now_ns - queue->first->queued_ns;
	if (waited >= patience) {
		pool->helped++;
		return take_first(pool, queue);
	}
	if (!*wait_ns || patience - waited < *wait_ns)
		*wait_ns = patience - waited;
	return NULL;
}

static struct unit *choose_for_cp(struct pool *pool, unsigned int class, uint64_t now_ns,
				  uint64_t *wait_ns)
{
	struct unit_queue *queue = pool->queue[class];
	struct unit *unit;

	if (!atomic_load(&pool->online[ENGINE_ZIIP]))
		return take_older(pool, class);
	unit = take_holder(pool, &queue[1]);
	if (unit) {
		pool->promoted++;
		return unit;
	}
	/* Takes units in the order of priority, and within a class in the order of arrival. */
	if (queue[0].first && queue[1].first &&
	    queue[1].first->queued_ns < queue[0].first->queued_ns) {
		unit = help(pool, class, now_ns, wait_ns);
		if (unit)
			return unit;
	}
	return queue[0].first ? take_first(pool, &queue[0]) : help(pool, class, now_ns, wait_ns);
}

struct unit *pool_choose(struct pool *pool, const struct engine *engine, uint64_t now_ns,
			 uint64_t *wait_ns)
{
	*wait_ns = 0;
	for (unsigned int i = 0; i < pool->config.classes; i++) {
		const unsigned int class = pool->order[i];
		struct unit *unit = NULL;

		if (engine->account.kind == ENGINE_CP)
			unit = choose_for_cp(pool, class, now_ns, wait_ns);
		else if (pool->queue[class][1].first)
			unit = take_first(pool, &pool->queue[class][1]);
		if (unit)
			return unit;
	}
	if (!*wait_ns && engine->account.kind == ENGINE_CP && pool->config.honor_priority &&
	    atomic_load(&pool->online[ENGINE_ZIIP]) && now_ns - pool->eligible_ns < POOL_ALERT_NS)
		*wait_ns = pool->config.help_us * UINT64_C(1000);
	return NULL;
}
