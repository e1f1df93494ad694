/* SPDX-License-Identifier: Apache-2.0 */
/* ziip.c - queues and rules of the engines in simulated time */
#include "figures/ziip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/engine/pool-inner.h"
#include "devemu/engine/workload.h"
#include "devemu/fabric/preset.h"

#define SECOND_NS 1e9
#define UNIT_NS   100000

enum { CPS = 2, ZIIPS = 2, RUN_S = 60, CLASS = 0, OTHER = 1, PENDING = 1024 };

/* Units of one kind, one each @gap_ns. */
struct source {
	struct unit unit[PENDING];
	unsigned int nr;
	double gap_ns, next_ns;
};

struct run {
	struct pool pool;
	struct source source[2];
	double busy_until[CPS + ZIIPS]; /* of an engine with a unit; else 0 */
	double look_at[CPS + ZIIPS];    /* when an idle one may find a unit to help with */
	bool full;
};

static void set_up(struct run *run, double demand, double other, unsigned int ziips)
{
	struct pool *pool = &run->pool;
	const double percent[2] = {demand, other};

	pool->config.engines = CPS + ziips;
	pool->config.classes = 2;
	pool->config.honor_priority = true;
	pool->config.help_us = POOL_HELP_US;
	pool->order[1] = OTHER;
	for (unsigned int i = 0; i < pool->config.engines; i++) {
		pool->engine[i].account.kind = i < CPS ? ENGINE_CP : ENGINE_ZIIP;
		pool->engine[i].online = true;
	}
	atomic_store(&pool->online[ENGINE_CP], CPS);
	atomic_store(&pool->online[ENGINE_ZIIP], ziips);
	for (int i = 0; i < 2; i++)
		run->source[i].gap_ns = percent[i] > 0 ? UNIT_NS * 100.0 / percent[i] : INFINITY;
	for (int i = 0; i < 2; i++)
		run->source[i].next_ns = percent[i] > 0 ? 0 : INFINITY;
}

static void arrive(struct run *run, int kind, double now)
{
	struct source *source = &run->source[kind];
	struct unit *unit = &source->unit[source->nr++ % PENDING];

	source->next_ns += source->gap_ns;
	if (unit->queued) {
		run->full = true;
		return;
	}
	unit->class = (unsigned int)kind;
	unit->eligible = kind == CLASS;
	pool_enqueue(&run->pool, unit, (uint64_t)now);
}

/* An idle engine takes what the rules give it. The part of a zIIP that is not captured follows each
 * of its units. */
static void dispatch(struct run *run, unsigned int nr, double now)
{
	struct engine *engine = &run->pool.engine[nr];
	const double captured = engine->account.kind == ENGINE_ZIIP ? preset_ziip.capture : 100;
	uint64_t wait_ns = 0;
	struct unit *unit = pool_choose(&run->pool, engine, (uint64_t)now, &wait_ns);

	run->look_at[nr] = !unit && wait_ns ? now + (double)wait_ns : INFINITY;
	if (!unit)
		return;
	engine_charge(engine, &run->pool.class[unit->class], unit -> eligible, UNIT_NS);
	run->busy_until[nr] = now + UNIT_NS * 100 / captured;
}

static double next_event(const struct run *run)
{
	double next = fmin(run->source[0].next_ns, run->source[1].next_ns);

	for (unsigned int i = 0; i < run->pool.config.engines; i++)
		next = fmin(next, run->busy_until[i] > 0 ? run->busy_until[i] : run->look_at[i]);
	return next;
}

static void step(struct run *run, double now)
{
	for (int kind = 0; kind < 2; kind++)
		if (run->source[kind].next_ns <= now)
			arrive(run, kind, now);
	for (unsigned int i = 0; i < run->pool.config.engines; i++) {
		if (run->busy_until[i] > now)
			continue;
		run->busy_until[i] = 0;
		dispatch(run, i, now);
	}
}

/* Fills @workload with the accounts of a run. Returns percent of one CP that the CPs had of all
 * work, or NAN. */
static double simulate(double demand, double other, double ziips, struct workload *workload)
{
	struct run *run;
	double busy = NAN;

	if (!(demand > 0 && demand < 200 && other >= 0 && demand + other < 200) ||
	    !(ziips == 0 || ziips == 1 || ziips == 2))
		return NAN;
	run = calloc(1, sizeof(*run));
	if (!run)
		return NAN;
	set_up(run, demand, other, (unsigned int)ziips);
	for (double now = 0; now < RUN_S * SECOND_NS; now = next_event(run))
		step(run, now);
	if (!run->full) {
		*workload = (struct workload){.class = "IPSECCL",
					      .importance = 3,
					      .goal = 5,
					      .interval = RUN_S,
					      .units = preset_ziip.units,
					      .ziips = ziips > 0,
					      .project = true,
					      .account = run->pool.class[CLASS]};
		busy = 0;
		for (unsigned int i = 0; i < CPS; i++)
			busy += (double)run->pool.engine[i].account.charged_ns;
		busy *= 100 / (RUN_S * SECOND_NS);
	}
	free(run);
	return busy;
}

static struct workload_numbers report(double demand, double ziips)
{
	struct workload_numbers numbers = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	struct workload workload;

	if (!isnan(simulate(demand, 0, ziips, &workload)))
		workload_compute(&workload, &numbers);
	return numbers;
}

double ziip_iip(double demand, double ziips)
{
	const struct workload_numbers numbers = report(demand, ziips);

	/* The report has N/A for it without a zIIP. */
	return ziips == 0 && isnan(numbers.iip) ? 0 : numbers.iip;
}

double ziip_iipcp(double demand, double ziips)
{
	return report(demand, ziips).iipcp;
}

double ziip_cp(double demand, double ziips)
{
	return report(demand, ziips).cp;
}

double ziip_busy(double demand, double other, double ziips)
{
	struct workload workload;

	return simulate(demand, other, ziips, &workload);
}

double ziip_seconds(double demand, double ziips)
{
	return report(demand, ziips).cpu_seconds;
}

double ziip_units(double demand, double ziips)
{
	return report(demand, ziips).total;
}

static struct projection project(double demand)
{
	struct projection projection;

	projection_compute(ziip_iipcp(demand, 0), 100, 1, &projection);
	return projection;
}

double ziip_spill(double demand)
{
	return project(demand).iipcp[0];
}

double ziip_wanted(double demand)
{
	return project(demand).ziips;
}
