/* SPDX-License-Identifier: Apache-2.0 */
/* sim.h - simulated time: a discrete-event engine, and reproducible random numbers */
#ifndef DEVEMU_SIM_H
#define DEVEMU_SIM_H

#include <stddef.h>
#include <stdint.h>

#include "devemu/clock/eventlog.h"

/*
 * Theory of operation
 *
 * Time is a signed 64-bit number of picoseconds since the start (106 days fit), so nothing drifts:
 * a byte at 3,200 MB/s is 312.5 ps, and code that divides carries the remainder on
 * (fabric/server.h). An event is a struct sim_node inside of the object that it is about: nothing
 * is allocated for an event. The pending ones are in a 4-ary heap of 24-byte entries, ordered by
 * time and, for equal times, by the order in which sim_at() was called: O(log n) each, and memory
 * grows with what is pending at once, not with what has happened.
 *
 * A run is a function of its inputs and of the seed alone. Its event log hash (eventlog.h) says so.
 */

#define SIM_NS  INT64_C(1000)
#define SIM_US  (1000 * SIM_NS)
#define SIM_MS  (1000 * SIM_US)
#define SIM_SEC (1000 * SIM_MS)

/* xoshiro256** 1.0 (Blackman and Vigna), its state filled from the seed by splitmix64. No floating
 * point anywhere, so that a seed means the same on every machine and with every compiler. */
struct random {
	uint64_t state[4];
};

void random_seed(struct random *random, uint64_t seed);

uint64_t random_next(struct random *random);

/* Evenly from 0 .. @bound - 1 (Lemire's multiplication, without bias); 0 for @bound 0. */
uint64_t random_below(struct random *random, uint64_t bound);

/* Exponentially distributed with the mean @mean (>= 0), by von Neumann's comparisons (1951), which
 * need no logarithm; for times between arrivals. At most INT64_MAX / 2. */
int64_t random_exponential(struct random *random, int64_t mean);

struct sim;
struct sim_node;

typedef void sim_handler(struct sim *sim, struct sim_node *node);

/* Embedded in the object that waits; pending at most once at a time. */
struct sim_node {
	sim_handler *handler;
};

struct sim_entry {
	int64_t at;
	uint64_t order;
	struct sim_node *node;
};

struct sim {
	int64_t now;      /* ps */
	int error;        /* negative errno that ended the run: memory for the heap */
	int stopping;     /* sim_stop() was called */
	uint64_t handled; /* events so far */
	struct sim_entry *heap;
	size_t count, room;
	uint64_t order;
	struct random random;
	struct eventlog log;
};

/* @room: events pending at once for which memory is taken now; more is taken when needed.
 * Return: 0 or -ENOMEM. */
int sim_init(struct sim *sim, uint64_t seed, size_t room);
void sim_finish(struct sim *sim);

/* @node's handler runs at @at, or now if that is past. A failure is kept in sim->error and ends the
 * run. */
void sim_at(struct sim *sim, int64_t at, struct sim_node *node);

static inline void sim_after(struct sim *sim, int64_t delay, struct sim_node *node)
{
	sim_at(sim, sim->now + delay, node);
}

/* Handle all events until and at @until, then set the time to @until; or, by sim_stop(), leave it
 * at the last event. Return: 0 or a negative errno. */
int sim_run(struct sim *sim, int64_t until);

/* Returns the time of the next pending event, INT64_MAX without one. Nothing can happen before
 * it. */
static inline int64_t sim_next(const struct sim *sim)
{
	return sim->count ? sim->heap[0].at : INT64_MAX;
}

/* sim_run() returns after the event that is being handled. */
void sim_stop(struct sim *sim);

#endif
