/* SPDX-License-Identifier: Apache-2.0 */
/* runs.h - scenarios, each run once, and what is asked of their runs */
#ifndef DEVEMU_CHECK_RUNS_H
#define DEVEMU_CHECK_RUNS_H

#include "devemu/check/expression.h"
#include "devemu/fabric/fabric.h"
#include "devemu/report/table.h"

struct check_run {
	struct check_run *next;
	char name[64];
	struct config config;
	struct fabric *fabric; /* NULL: it is refused */
	char refused[EXPRESSION_WHY];
	char *report[REPORTS]; /* as printed in CSV; NULL: not yet */
	char *displays;        /* answers to the scenario's own commands */
};

struct check_runs {
	struct check_run *first;
	const char *folder; /* of the scenarios, NAME.zdev; "" for the present one */
	/* Called before each run; may be NULL. */
	void (*progress)(void *context, const char *scenario);
	void *context;
};

void check_runs_finish(struct check_runs *runs);

/*
 * @what of the run of a scenario, which is run now if that has not been done:
 *
 *   rate [LOAD]              I/Os a second of one load or all
 *   resp [LOAD]              microseconds, mean of all I/Os
 *   mb [LOAD]                MB/s
 *   ius_out CHPID            information units for each I/O to the control unit; ius_in: from it
 *   frame LINK               mean bytes of a frame from the control unit
 *   frames LINK              frames with data a second from the control unit
 *   channel ID COLUMN        a value of a report, read back from what is printed as CSV: of a
 * channel device ID COLUMN         path, or of a device (not of the logical control units between
 * them) sync ID COLUMN hex channel ID COLUMN    the same with a value in hexadecimal count REPORT
 * COLUMN TEXT rows of a report with TEXT in a column lines TEXT               lines of the displays
 * that contain TEXT builds                   1, or 0 if the scenario is refused
 *
 * Return: 0, or a negative errno with @why filled.
 */
int check_runs_value(struct check_runs *runs, const char *scenario, const char *what, double *value,
		     char why[EXPRESSION_WHY]);

#endif
