/* SPDX-License-Identifier: Apache-2.0 */
/* engine.c - the thread of an engine: units, charges, its share of a CPU */
#include <sched.h>
#include <stdio.h>

#include "devemu/engine/pool-inner.h"

#define MS UINT64_C(1000000)

enum { WINDOW_MS = 50, BURST_MS = 2 };

static uint64_t now_ns(void)
{
	return pool_clock_ns(CLOCK_MONOTONIC);
}

static void bind_to(const struct engine *engine)
{
	const int cpu = engine->pool->config.engine[engine->nr].cpu;
	cpu_set_t set;

	if (cpu < 0)
		return;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	/* Without that CPU the engine runs anywhere. */
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

/* Sleeps for as long as the thread is ahead of its share. Of unused time at most a window is kept.
 */
static void throttle(struct engine *engine)
{
	const unsigned int share = engine->pool->config.engine[engine->nr].share;
	uint64_t wall, cpu, due;
	struct timespec pause;

	if (share >= 100)
		return;
	wall = now_ns() - engine->begin_ns;
	cpu = pool_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	due = cpu * 100 / share;
	if (due > wall + BURST_MS * MS) {
		due -= wall;
		pause = (struct timespec){(time_t)(due / 1000000000), (long)(due % 1000000000)};
		nanosleep(&pause, NULL);
	} else if (wall > due + WINDOW_MS * MS) {
		engine->begin_ns += wall - due - WINDOW_MS * MS;
	}
}

void engine_charge(struct engine *engine, struct class_account *class, bool eligible, uint64_t ns)
{
	if (engine->account.kind == ENGINE_ZIIP)
		class->iip_ns += ns;
	else if (eligible)
		class->iipcp_ns += ns;
	else
		class->cp_ns += ns;
	engine->account.charged_ns += ns;
	if (eligible)
		engine->account.eligible_ns += ns;
}

void pool_charge(struct pool *pool, unsigned int nr, unsigned int class, bool eligible)
{
	struct engine *engine = &pool->engine[nr];
	const uint64_t cpu = pool_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	pthread_mutex_lock(&pool->lock);
	engine_charge(engine, &pool->class[class], eligible, cpu - engine->mark_ns);
	pthread_mutex_unlock(&pool->lock);
	engine->mark_ns = cpu;
}

/* Runs a unit, which may be gone afterwards. The caller holds the lock; this function releases it
 * while the unit runs. */
static void run(struct engine *engine, struct unit *unit)
{
	struct pool *pool = engine->pool;
	const unsigned int class = unit->class;
	const bool eligible = unit->eligible;
	const uint64_t queued = unit->queued_ns, begun = now_ns();
	uint64_t ended, cpu;

	pool->running++;
	pthread_mutex_unlock(&pool->lock);
	engine->mark_ns = pool_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	unit->run(unit, engine->nr);
	cpu = pool_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	ended = now_ns();
	pthread_mutex_lock(&pool->lock);
	engine_charge(engine, &pool->class[class], eligible, cpu - engine->mark_ns);
	pool->class[class].units++;
	pool->class[class].delay_ns += begun - queued;
	pool->class[class].using_ns += ended - begun;
	if (!--pool->running && !pool->queued)
		pthread_cond_broadcast(&pool->idle);
}

static void wait_for(const struct engine *engine, uint64_t ns)
{
	struct pool *pool = engine->pool;
	pthread_cond_t *cond = !engine->online                     ? &pool->offline
			       : engine->account.kind == ENGINE_CP ? &pool->cp
								   : &pool->ziip;
	struct timespec until;

	if (!ns) {
		pthread_cond_wait(cond, &pool->lock);
		return;
	}
	ns += now_ns();
	until = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	pthread_cond_timedwait(cond, &pool->lock, &until);
}

/* Waits for work, at most @ns unless that is 0, and counts the CPU time that this takes. */
static void wait_for_work(struct engine *engine, uint64_t ns)
{
	const uint64_t cpu = pool_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	wait_for(engine, ns);
	engine->account.waiting_ns += pool_clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
}

void *engine_main(void *context)
{
	struct engine *engine = context;
	struct pool *pool = engine->pool;

	bind_to(engine);
	engine->begin_ns = now_ns();
	pthread_mutex_lock(&pool->lock);
	while (!pool->ending) {
		uint64_t wait_ns = 0;
		struct unit *unit =
			engine->online ? pool_choose(pool, engine, now_ns(), &wait_ns) : NULL;

		if (!unit) {
			wait_for_work(engine, wait_ns);
			continue;
		}
		run(engine, unit);
		pthread_mutex_unlock(&pool->lock);
		throttle(engine);
		pthread_mutex_lock(&pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}
