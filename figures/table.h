/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - a table of published figures, such as devices.tsv
 *
 * Lines of cells with a tab between them; the first names the columns. Text columns are as
 * published; those for programs:
 *
 *   limits  "name=VALUE~TOLERANCE", "name=LOW..HIGH" (either may be left out) or "name=VALUE?"
 *           (shown, not judged), with "; " between them. A tolerance is "4%" of the value, or a
 *           number in its unit; 0 is exact, to what a double holds.
 *   model   "name=EXPRESSION; ..." (expression.h): the model's value for each, or "-"
 *   closed  the same by closed forms alone, or "-"
 *   note    why a row is skipped or cannot hold, or a remark
 */
#ifndef FIGURES_TABLE_H
#define FIGURES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "figures/lines.h"

enum check_column {
	CHECK_ID,
	CHECK_SEED,
	CHECK_QUANTITY,
	CHECK_VALUE,
	CHECK_UNIT,
	CHECK_CONDITIONS,
	CHECK_TOLERANCE,
	CHECK_LIMITS,
	CHECK_CLASS, /* C D F R R* T X, docs/devices.md */
	CHECK_MODEL,
	CHECK_CLOSED,
	CHECK_NOTE,
	CHECK_COLUMNS,
};

enum { CHECK_ERROR = LINES_ERROR };

struct check_row {
	int line;
	const char *cell[CHECK_COLUMNS]; /* never NULL */
};

struct check_table {
	char *text;
	struct check_row *row;
	size_t rows;
};

/* Read all of @file, whose name for messages is @name. Return: 0, -ENOMEM or another negative errno
 * of reading, or -EINVAL; @error is filled. check_table_finish() is needed in each case. */
int check_table_read(struct check_table *table, const char *name, FILE *file,
		     char error[CHECK_ERROR]);
void check_table_finish(struct check_table *table);

const struct check_row *check_table_find(const struct check_table *table, const char *id);

/* The @nr-th number in a text such as "1,200 / ~7%", from 1 on; commas between digits are left out.
 * Return: 0 or -ENOENT. */
int check_number(const char *text, unsigned int nr, double *value);

/* One of a row's limits. */
enum check_bound { CHECK_WITHIN, CHECK_RANGE, CHECK_SHOWN };

struct check_limit {
	char name[24];
	enum check_bound bound;
	double value;     /* CHECK_WITHIN, CHECK_SHOWN */
	double tolerance; /* in the value's unit, or if @relative a part of it */
	bool relative;
	double low, high; /* CHECK_RANGE; infinite where left out */
};

/* The next limit of a cell, @at behind it. Return: 1, 0 at the end, -EINVAL. */
int check_limit_next(const char **at, struct check_limit *limit);
bool check_limit_holds(const struct check_limit *limit, double model);

#endif
