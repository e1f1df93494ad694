/* SPDX-License-Identifier: Apache-2.0 */
/* processor.h - the channel processor: information units wait for it and take its time */
#ifndef DEVEMU_FABRIC_PROCESSOR_H
#define DEVEMU_FABRIC_PROCESSOR_H

#include "devemu/clock/sim.h"
#include "devemu/fabric/config.h"

/*
 * Work comes in jobs, each a number of information units of one exchange. fcfs serves a whole job,
 * rr one unit of a job, ps a quantum of a job; then the job is at its end, or goes to the end of
 * the queue. A job that is alone is served on until something else happens, in whole quanta or
 * units.
 *
 * A job is part of the object that it is done for and is queued at most once at a time. When it has
 * been served, the handler of @done is called in the same event.
 */
struct processor_job {
	struct processor_job *next;
	struct sim_node *done;
	int64_t left; /* ps of the job still to serve */
	int64_t unit; /* ps of one of its units, for rr */
};

struct processor {
	struct sim_node node; /* first; pending while a job is served */
	enum discipline discipline;
	int64_t quantum;
	struct processor_job *serving, *head, *tail;
	int64_t slice;
	uint64_t busy; /* ps, counted at the end of each slice */
};

/* @quantum: ps, > 0 for DISCIPLINE_PS. */
void processor_init(struct processor *processor, enum discipline discipline, int64_t quantum);

/* @left: ps in all, > 0; @unit: ps of one information unit, > 0, for rr. */
void processor_submit(struct sim *sim, struct processor *processor, struct processor_job *job,
		      int64_t left, int64_t unit);

#endif
