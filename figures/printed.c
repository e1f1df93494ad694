/* SPDX-License-Identifier: Apache-2.0 */
/* printed.c - numbers parsed from the output of a run */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures/metric.h"
#include "devemu/report/display.h"
#include "devemu/report/report.h"

enum { CELL = 40 };

/* Print the report into memory, once. */
static int print_report(struct check_run *run, enum report_kind kind, char *why)
{
	size_t size;
	FILE *out;
	int rc;

	if (run->report[kind])
		return 0;
	out = open_memstream(&run->report[kind], &size);
	rc = out ? report_print(run->fabric, 1U << kind, REPORT_CSV, out) : -ENOMEM;
	if (out && fclose(out) == EOF && rc == 0)
		rc = -ENOMEM;
	if (rc < 0)
		snprintf(why, EXPRESSION_WHY, "scenario %s: its report: %s", run->name,
			 strerror(-rc));
	return rc;
}

/* The @nr-th cell of a line, from 0 on; "" behind the last. */
static void cell_of(const char *line, unsigned int nr, char cell[CELL])
{
	size_t len;

	for (; nr > 0; nr--) {
		line += strcspn(line, ",\n");
		if (*line != ',') {
			cell[0] = '\0';
			return;
		}
		line++;
	}
	len = strcspn(line, ",\n");
	if (len >= CELL)
		len = CELL - 1;
	memcpy(cell, line, len);
	cell[len] = '\0';
}

static int column_of(const char *head, const char *name)
{
	char cell[CELL];

	for (unsigned int c = 0; c < 64; c++) {
		cell_of(head, c, cell);
		if (!strcmp(cell, name))
			return (int)c;
	}
	return -ENOENT;
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end && end[1] && end[1] != '\n' ? end + 1 : NULL;
}

/* A row's name stands behind that of the report, and behind "device" where there is such a level.
 */
static bool is_row(const char *line, const char *id)
{
	char cell[CELL];

	cell_of(line, 1, cell);
	if (!strcmp(cell, "device"))
		cell_of(line, 2, cell);
	return !strcmp(cell, id);
}

static int value_of(const struct check_run *run, const char *text, const char *id, int column,
		    bool hex, double *value, char *why)
{
	for (const char *line = next_line(text); line; line = next_line(line)) {
		char cell[CELL], *end;

		if (!is_row(line, id))
			continue;
		cell_of(line, (unsigned int)column, cell);
		*value = hex ? (double)strtoul(cell, &end, 16) : strtod(cell, &end);
		if (*cell && !*end)
			return 0;
		snprintf(why, EXPRESSION_WHY, "scenario %s: '%s' in the row of %s is not a number",
			 run->name, cell, id);
		return -EDOM;
	}
	snprintf(why, EXPRESSION_WHY, "scenario %s: its report has no row of %.20s", run->name, id);
	return -ENOENT;
}

int check_printed(struct check_run *run, char *const word[4], unsigned int words, double *value,
		  char why[EXPRESSION_WHY])
{
	const bool count = !strcmp(word[0], "count"), hex = !strcmp(word[0], "hex");
	char *const *at = word + (count || hex);
	const int kind = report_kind_of(at[0]);
	const char *name = count ? at[1] : at[2];
	int column, rc;

	if (kind < 0 || words != (count || hex ? 4U : 3U)) {
		snprintf(why, EXPRESSION_WHY, "unknown metric '%.20s %.20s %.20s ...'", word[0],
			 word[1], word[2]);
		return -EINVAL;
	}
	rc = print_report(run, (enum report_kind)kind, why);
	if (rc < 0)
		return rc;
	column = column_of(run->report[kind], name);
	if (column < 0) {
		snprintf(why, EXPRESSION_WHY, "report %s has no column %.40s", at[0], name);
		return column;
	}
	if (!count)
		return value_of(run, run->report[kind], at[1], column, hex, value, why);
	*value = 0;
	for (const char *line = next_line(run->report[kind]); line; line = next_line(line)) {
		char cell[CELL];

		cell_of(line, (unsigned int)column, cell);
		*value += !strcmp(cell, at[2]);
	}
	return 0;
}

int check_displayed(struct check_run *run, const char *text, double *value,
		    char why[EXPRESSION_WHY])
{
	if (!run->displays) {
		char reason[120] = "";
		size_t size;
		FILE *out = open_memstream(&run->displays, &size);
		int rc = out ? 0 : -ENOMEM;

		for (size_t i = 0; rc == 0 && i < run->config.commands; i++)
			rc = display_command(run->fabric, run->config.command[i].text,
					     (unsigned int)i + 1, out, reason);
		if (out && fclose(out) == EOF && rc == 0)
			rc = -ENOMEM;
		if (rc < 0) {
			snprintf(why, EXPRESSION_WHY, "scenario %s: display: %.60s", run->name,
				 reason[0] ? reason : strerror(-rc));
			return rc;
		}
	}
	*value = 0;
	for (const char *line = run->displays; line && *line; line = strchr(line, '\n')) {
		const char *end, *found;

		line += *line == '\n';
		end = line + strcspn(line, "\n");
		found = strstr(line, text);
		*value += found && found < end;
	}
	return 0;
}
