/* SPDX-License-Identifier: Apache-2.0 */
/* pool-inner.h - shared by the parts of the pool */
#ifndef DEVEMU_ENGINE_POOL_INNER_H
#define DEVEMU_ENGINE_POOL_INNER_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "devemu/engine/pool.h"

struct unit_queue {
	struct unit *first, *last;
};

struct engine {
	struct pool *pool;
	unsigned int nr;
	pthread_t thread;
	bool started;
	clockid_t clock; /* of the thread */
	bool online;
	uint64_t online_since_ns;
	uint64_t mark_ns;  /* thread clock at the last charge */
	uint64_t begin_ns; /* from when its share counts: the start, later by unused time that is
			      lost */
	struct engine_account account;
};

struct pool {
	struct pool_config config;
	pthread_mutex_t lock;
	pthread_cond_t cp, ziip;                      /* work, a change of state, or the end */
	pthread_cond_t offline;                       /* a change of state, or the end */
	pthread_cond_t idle;                          /* nothing is queued, and nothing runs */
	struct unit_queue queue[POOL_CLASSES_MAX][2]; /* [1]: eligible */
	unsigned int order[POOL_CLASSES_MAX];         /* classes, the most important first */
	unsigned int queued, running;
	uint64_t eligible_ns;  /* when the last eligible unit was submitted */
	atomic_uint online[2]; /* engines of each kind */
	bool ending;
	struct engine engine[POOL_ENGINES_MAX];
	struct class_account class[POOL_CLASSES_MAX]; /* guarded by @lock */
	unsigned int promoted, helped;
};

static inline uint64_t pool_clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* Puts a unit at the end of its queue. Caller holds the lock. */
void pool_enqueue(struct pool *pool, struct unit *unit, uint64_t now_ns);

/* The next unit for an engine, taken from its queue, or NULL with *@wait_ns set to the time after
 * which there may be one (0: none). Caller holds the lock. */
struct unit *pool_choose(struct pool *pool, const struct engine *engine, uint64_t now_ns,
			 uint64_t *wait_ns);

/* For so long after the last eligible unit, CPs look for work to help with. */
#define POOL_ALERT_NS UINT64_C(100000000)

/* In engine.c: CPU time of a class on an engine. Caller holds the lock. */
void engine_charge(struct engine *engine, struct class_account *class, bool eligible, uint64_t ns);

/* The thread. */
void *engine_main(void *context);

#endif
