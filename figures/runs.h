/* SPDX-License-Identifier: Apache-2.0 */
/* runs.h - scenarios, each run once */
#ifndef FIGURES_RUNS_H
#define FIGURES_RUNS_H

#include "figures/expression.h"
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

/* The run of a scenario, which is run now if that has not been done. NULL: @rc is a negative errno,
 * and @why is filled. It stays until check_runs_finish(). */
struct check_run *check_runs_get(struct check_runs *runs, const char *scenario, int *rc,
				 char why[EXPRESSION_WHY]);

#endif
