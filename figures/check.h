/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - published figures compared with the model
 *
 * Rows of class X contradict each other or themselves: they are printed with the reason and never
 * judged, because no model can satisfy them.
 */
#ifndef FIGURES_CHECK_H
#define FIGURES_CHECK_H

#include <stdio.h>

#include "figures/measured.h"
#include "figures/runs.h"
#include "figures/table.h"

enum { CHECK_ITEMS = 20 };

enum check_verdict { CHECK_PASSED, CHECK_FAILED, CHECK_SKIPPED, CHECK_CANNOT, CHECK_VERDICTS };

/* One value of a row. */
struct check_item {
	struct check_limit limit; /* CHECK_SHOWN with a value of NAN: the row has no limit for it */
	double model;
	bool holds;
};

struct check_result {
	const struct check_row *row;
	enum check_verdict verdict;
	unsigned int kinds; /* EXPRESSION_... */
	unsigned int items;
	struct check_item item[CHECK_ITEMS];
	const struct measured_row *measured; /* the first one, or NULL */
	bool by_run;              /* passed because its measured values are the published ones */
	char why[EXPRESSION_WHY]; /* a failed row's error; "": a value is not within its limit */
};

struct check {
	const struct check_table *table;
	const struct measured *measured; /* NULL: nothing */
	struct check_runs runs;
	bool closed; /* closed forms instead of events, where there are some */
};

/* Judges one row. A row fails that cannot be evaluated, or whose measured value is judged as
 * different. */
void check_judge(struct check *check, const struct check_row *row, struct check_result *result);

/* "events", "output", "closed form", "arithmetic", or several of them; "fit" for a law with a
 * parameter of this row, "replay" for one that is fitted to several rows; "run" of lfp-workload;
 * "contradiction". */
const char *check_how(const struct check_result *result);
const char *check_verdict_name(enum check_verdict verdict);

enum check_format { CHECK_TEXT, CHECK_MARKDOWN };

/* The head, a row, and after the last of them the counts. With @measured, tables have a column for
 * measured values. */
void check_print_head(enum check_format format, bool measured, FILE *out);
void check_print(const struct check *check, const struct check_result *result,
		 enum check_format format, bool measured, FILE *out);

struct check_counts {
	unsigned int verdict[CHECK_VERDICTS];
	/* Of those that have passed. */
	unsigned int replays, runs;
};

void check_count(struct check_counts *counts, const struct check_result *result);

/* Prints the title of the counts, and a last line "N passed, N failed, N skipped". */
void check_print_counts(const struct check_counts *counts, enum check_format format, FILE *out);

#endif
