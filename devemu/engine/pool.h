/* SPDX-License-Identifier: Apache-2.0 */
/* pool.h - processors: general ones (CP) and assist processors (zIIP), and the work for them
 *
 * Theory of operation
 *
 * Each engine is a thread. It may be bound to a CPU, and throttled to a share of one. So there may
 * be more engines than CPUs: they behave as slower ones. Work comes in units. A unit belongs to a
 * service class and is eligible for zIIPs or not. There is one queue for each class and kind, under
 * one lock. So no unit is lost when an engine is varied off: the engine ends its current unit, and
 * others take the rest.
 *
 * A zIIP runs eligible units only. A CP runs
 *	- units that are not eligible, the most important class first;
 *	- eligible ones if no zIIP is online;
 *	- eligible ones that have waited for help_us, with IIPHONORPRIORITY=YES;
 *	- eligible ones that hold a resource for which other work waits, pool_promote().
 *
 * CPU time is that of the threads' own clocks (CLOCK_THREAD_CPUTIME_ID). What an engine uses
 * between units is charged to no class: it is "uncaptured".
 */
#ifndef DEVEMU_ENGINE_POOL_H
#define DEVEMU_ENGINE_POOL_H

#include <stdbool.h>
#include <stdint.h>

enum { POOL_ENGINES_MAX = 16, POOL_CLASSES_MAX = 8, POOL_CLASS_NAME = 9, POOL_HELP_US = 2000 };

enum engine_kind { ENGINE_CP, ENGINE_ZIIP };

struct engine_config {
	enum engine_kind kind;
	bool offline;       /* at the start */
	int cpu;            /* to which it is bound; -1: none */
	unsigned int share; /* percent of a CPU, 1 to 100 */
};

struct class_config {
	char name[POOL_CLASS_NAME];
	unsigned int importance; /* 1 is the highest */
};

struct pool_config {
	unsigned int engines, classes;
	struct engine_config engine[POOL_ENGINES_MAX];
	struct class_config class[POOL_CLASSES_MAX];
	bool honor_priority; /* IIPHONORPRIORITY */
	unsigned int help_us;
};

/* A piece of work. It is the caller's, but from pool_submit() until the call of @run it is the
 * pool's. */
struct unit {
	void (*run)(struct unit *unit, unsigned int engine);
	unsigned int class;
	bool eligible;

	/* The pool's alone. */
	struct unit *next;
	uint64_t queued_ns;
	bool queued, holds;
};

struct pool;

/* Starts the engines. NULL with errno: EINVAL (no CP, or a number out of range), ENOMEM, EAGAIN. */
struct pool *pool_create(const struct pool_config *config);

/* Waits until the queues are empty and all units have run, then ends the engines. */
void pool_destroy(struct pool *pool);

void pool_submit(struct pool *pool, struct unit *unit);

/* Waits until nothing is queued and no engine runs a unit. */
void pool_drain(struct pool *pool);

/* Lets any engine run @unit now, because other work waits for something that @unit has. Does
 * nothing if @unit is not queued. */
void pool_promote(struct pool *pool, struct unit *unit);

/* Varies an engine on or off. Returns 0; -ENODEV: there is no such engine; -EBUSY: it is the last
 * CP; -EALREADY. */
int pool_vary(struct pool *pool, unsigned int engine, bool online);

/* Returns whether @engine may run work of this kind now, apart from help and promotion. */
bool pool_may(const struct pool *pool, unsigned int engine, bool eligible);

/* For a unit's run(): charges the time since the last charge, or since the unit's start, to that
 * class and kind. The rest of the time is charged to the unit's own. */
void pool_charge(struct pool *pool, unsigned int engine, unsigned int class, bool eligible);

/* Nanoseconds of CPU time, by the kind of engine, and of the work. */
struct class_account {
	uint64_t cp_ns;    /* not eligible, on CPs */
	uint64_t iipcp_ns; /* eligible, on CPs */
	uint64_t iip_ns;   /* eligible, on zIIPs */
	uint64_t units;
	uint64_t using_ns; /* elapsed time in units, and waiting for an engine */
	uint64_t delay_ns;
};

struct engine_account {
	enum engine_kind kind;
	bool online;
	uint64_t thread_ns;   /* the thread's clock */
	uint64_t eligible_ns; /* by the same clock, around eligible work alone */
	uint64_t charged_ns;  /* all that was charged to classes */
	uint64_t waiting_ns;  /* of @thread_ns: to wait for work, and to wake up */
	uint64_t online_ns;   /* elapsed time online */
};

struct pool_account {
	uint64_t now_ns; /* when it was read, of CLOCK_MONOTONIC */
	struct class_account class[POOL_CLASSES_MAX];
	struct engine_account engine[POOL_ENGINES_MAX];
	unsigned int promoted, helped; /* units that CPs ran by these rules */
};

/* Reads all counters since the start. */
void pool_read(struct pool *pool, struct pool_account *account);

/* @later less @earlier. */
void pool_account_between(const struct pool_account *earlier, const struct pool_account *later,
			  struct pool_account *result);

const struct pool_config *pool_config_of(const struct pool *pool);
unsigned int pool_online(const struct pool *pool, enum engine_kind kind);

#endif
