/* SPDX-License-Identifier: Apache-2.0 */
/* workload.h - the Workload Activity report of a service class, from the accounts of a pool
 *
 * Names of rows and columns are RMF's. APPL% is in percent of one CP: seconds over the interval. CP
 * counts all work on CPs, IIPCP the eligible part of it, IIP the work on zIIPs. N/A stands for a
 * kind of processor that is not configured. Rows without a counterpart in the emulation are 0.
 */
#ifndef DEVEMU_ENGINE_WORKLOAD_H
#define DEVEMU_ENGINE_WORKLOAD_H

#include <stdio.h>

#include "devemu/engine/pool.h"

struct workload {
	char class[POOL_CLASS_NAME];
	unsigned int importance;
	double goal;     /* of the execution velocity, percent */
	double interval; /* seconds */
	double units;    /* service units of a CPU second */
	bool ziips;      /* a zIIP is configured, online or not */
	bool project;    /* PROJECTCPU=YES */
	struct class_account account;
};

struct workload_numbers {
	double cp, iipcp, iip; /* APPL%; NAN: not applicable */
	double cpu_seconds;    /* on all processors */
	double iip_seconds;    /* NAN without a zIIP */
	double total, rate;    /* service units, and a second */
	double using_percent, delay_percent, velocity, index;
};

/* The performance index of a velocity goal is goal / actual. USING% and DELAY% are the times of
 * units in and waiting for engines, in percent of the interval, or of their sum if that is longer
 * (ours: RMF samples). */
void workload_compute(const struct workload *workload, struct workload_numbers *numbers);

void workload_text(const struct workload *workload, FILE *out);
void workload_json(const struct workload *workload, FILE *out);

/* Computes how much of the eligible work of a run without zIIPs one and more of them would take.
 * @share: percent of a CPU that an engine has. @capture: the part of an engine's time that classes
 * get. */
struct projection {
	double eligible; /* percent of one CP */
	double iip[2];   /* with one and with two zIIPs */
	double iipcp[2];
	unsigned int ziips; /* for all of it, as IBM counts: all of each */
};
void projection_compute(double eligible, double share, double capture,
			struct projection *projection);
void projection_text(const struct projection *projection, FILE *out);

/* Returns the part of the engines' CPU time that was charged to classes; 1 if there was none. Time
 * to wait for work does not count: an engine that the projection is about has always some. */
double workload_capture(const struct pool_account *account, unsigned int engines);

#endif
