/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-figures.c - any bytes as a table of published figures: its rows, limits and expressions
 *
 * Expressions get their values from the table itself; a scenario's are made up from its name, so
 * that nothing is run.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures/expression.h"
#include "figures/measured.h"
#include "figures/table.h"

/* No cell drives a terminal. */
static void printable(const char *cell)
{
	const unsigned char *at = (const unsigned char *)cell;

	for (; *at; at++)
		if (*at < 0x20 || *at == 0x7f || (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0))
			abort();
}

static void read_measured(const uint8_t *data, size_t size)
{
	struct measured measured;
	char error[MEASURED_ERROR] = "";
	FILE *file = fmemopen((void *)(uintptr_t)data, size, "r");
	int rc;

	if (!file)
		abort();
	rc = measured_read(&measured, "fuzz", file, error);
	fclose(file);
	if (rc < 0 && (!error[0] || strchr(error, '\n')))
		abort();
	for (size_t i = 0; rc == 0 && i < measured.rows; i++) {
		if (!measured_next(&measured, NULL, measured.row[i].cell[MEASURED_ID]))
			abort();
		for (int c = 0; c < MEASURED_COLUMNS; c++)
			printable(measured.row[i].cell[c]);
	}
	measured_finish(&measured);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int of_row(void *context, const char *id, unsigned int nr, double *value,
		  char why[EXPRESSION_WHY])
{
	const struct check_row *row = check_table_find(context, id);

	snprintf(why, EXPRESSION_WHY, "no row or number");
	return row ? check_number(row->cell[CHECK_VALUE], nr, value) : -ENOENT;
}

static int of_run(void *context, const char *scenario, const char *what, double *value,
		  char why[EXPRESSION_WHY])
{
	(void)context;
	(void)why;
	*value = (double)strlen(scenario) + (double)strlen(what) / 7;
	return 0;
}

static void evaluate(const struct check_table *table, const char *text, size_t len)
{
	const struct expression_source source = {of_row, of_run, (void *)(uintptr_t)table};
	char why[EXPRESSION_WHY] = "";
	unsigned int kinds = 0;
	double value;
	int rc = expression_value(text, len, &source, &value, &kinds, why);

	if (rc > 0 || (rc < 0 && (!why[0] || !memchr(why, '\0', sizeof(why)))))
		abort();
	if (rc == 0 && !isfinite(value))
		abort();
}

static void limits(const char *at)
{
	struct check_limit limit;
	const char *last;
	int rc;

	do {
		last = at;
		rc = check_limit_next(&at, &limit);
		if (rc > 0) {
			if (at <= last || !memchr(limit.name, '\0', sizeof(limit.name)))
				abort();
			check_limit_holds(&limit, limit.value);
		}
	} while (rc > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[CHECK_ERROR] = "";
	struct check_table table;
	FILE *file;
	int rc;

	if (size == 0)
		return 0;
	file = fmemopen((void *)(uintptr_t)data, size, "r");
	if (!file)
		abort();
	rc = check_table_read(&table, "fuzz", file, error);
	fclose(file);
	if (rc < 0 && (!error[0] || strchr(error, '\n')))
		abort();
	for (size_t i = 0; rc == 0 && i < table.rows; i++) {
		const struct check_row *row = &table.row[i];

		for (int c = 0; c < CHECK_COLUMNS; c++)
			printable(row->cell[c]);
		limits(row->cell[CHECK_LIMITS]);
		/* Items of a list, and the list as if it were one expression. */
		for (int c = CHECK_MODEL; c <= CHECK_CLOSED; c++) {
			const char *cell = row->cell[c], *is = strchr(cell, '=');

			evaluate(&table, cell, strlen(cell));
			if (is)
				evaluate(&table, is + 1, strcspn(is + 1, ";"));
		}
	}
	check_table_finish(&table);
	read_measured(data, size);
	/* Without a table around it. */
	table = (struct check_table){0};
	evaluate(&table, (const char *)data, size);
	return 0;
}
