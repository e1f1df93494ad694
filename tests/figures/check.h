/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - published figures compared with the model
 *
 * Rows of class X contradict each other or themselves: they are printed with the reason and never
 * judged, because no model can satisfy them.
 */
#ifndef FIGURES_CHECK_H
#define FIGURES_CHECK_H

#include <stdio.h>

#include "tests/figures/runs.h"
#include "tests/figures/table.h"

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
	char why[EXPRESSION_WHY]; /* a failed row's error; "": a value is not within its limit */
};

struct check {
	const struct check_table *table;
	struct check_runs runs;
	bool closed; /* closed forms instead of events, where there are some */
};

/* Judge one row. A row that cannot be evaluated has failed. */
void check_judge(struct check *check, const struct check_row *row, struct check_result *result);

/* "events", "output", "replay", "closed form", "arithmetic", or several of them. */
const char *check_how(const struct check_result *result);
const char *check_verdict_name(enum check_verdict verdict);

enum check_format { CHECK_TEXT, CHECK_MARKDOWN };

/* The head, a row, and after the last of them the counts. */
void check_print_head(enum check_format format, FILE *out);
void check_print(const struct check_result *result, enum check_format format, FILE *out);

struct check_counts {
	unsigned int verdict[CHECK_VERDICTS];
	unsigned int replays; /* of those that have passed */
};

void check_count(struct check_counts *counts, const struct check_result *result);

/* Prints the title of the counts, and a last line "N passed, N failed, N skipped". */
void check_print_counts(const struct check_counts *counts, enum check_format format, FILE *out);

#endif
