/* SPDX-License-Identifier: Apache-2.0 */
/* measured.c - reading values that lfp-workload has measured */
#include "figures/measured.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[MEASURED_COLUMNS] = {
	[MEASURED_ID] = "id",
	[MEASURED_WHAT] = "what",
	[MEASURED_PUBLISHED] = "published",
	[MEASURED_HERE] = "here",
	[MEASURED_VERDICT] = "verdict",
	[MEASURED_JUDGED] = "judged",
};

static const char *const judged[] = {
	[MEASURED_SAME] = "same",
	[MEASURED_DIFFERENT] = "different",
	[MEASURED_SHOWN] = "shown",
};

static int take_head(const struct measured_row *row, const char *name, int nr, char *error)
{
	for (int c = 0; c < MEASURED_COLUMNS; c++)
		if (strcmp(row->cell[c], columns[c])) {
			snprintf(error, MEASURED_ERROR, "%s:%d: column %d is '%.40s', not '%s'",
				 name, nr, c + 1, row->cell[c], columns[c]);
			return -EINVAL;
		}
	return 0;
}

struct reading {
	struct measured *measured;
	const char *name;
	char *error;
	bool named; /* the columns */
};

static int take_row(void *context, int nr, char *line)
{
	struct reading *reading = context;
	struct measured *measured = reading->measured;
	struct measured_row *row = &measured->row[measured->rows];
	const char *name = reading->name;
	char *error = reading->error;
	unsigned int cells;

	if (*line == '#')
		return 0;
	cells = lines_cut(line, row->cell, MEASURED_COLUMNS);
	if (cells != MEASURED_COLUMNS) {
		snprintf(error, MEASURED_ERROR, "%s:%d: %u cells instead of %d", name, nr, cells,
			 MEASURED_COLUMNS);
		return -EINVAL;
	}
	if (!reading->named) {
		reading->named = true;
		return take_head(row, name, nr, error);
	}
	row->line = nr;
	for (int j = MEASURED_SAME; j <= MEASURED_SHOWN; j++)
		if (!strcmp(row->cell[MEASURED_JUDGED], judged[j])) {
			row->judged = (enum measured_judged)j;
			measured->rows++;
			return 0;
		}
	snprintf(error, MEASURED_ERROR, "%s:%d: '%.40s' is not same, different or shown", name, nr,
		 row->cell[MEASURED_JUDGED]);
	return -EINVAL;
}

int measured_read(struct measured *measured, const char *name, FILE *file,
		  char error[MEASURED_ERROR])
{
	struct reading reading = {measured, name, error, false};
	int rc;

	memset(measured, 0, sizeof(*measured));
	measured->row = lines_open(file, name, sizeof(*measured->row), &measured->text, &rc, error);
	if (!measured->row)
		return rc;
	rc = lines_each(measured->text, take_row, &reading);
	if (rc < 0 || reading.named)
		return rc;
	snprintf(error, MEASURED_ERROR, "%s: no line names the columns", name);
	return -EINVAL;
}

void measured_finish(struct measured *measured)
{
	free(measured->row);
	free(measured->text);
	memset(measured, 0, sizeof(*measured));
}

const struct measured_row *measured_next(const struct measured *measured,
					 const struct measured_row *row, const char *id)
{
	if (!measured->rows)
		return NULL;
	for (row = row ? row + 1 : measured->row; row < measured->row + measured->rows; row++)
		if (!strcmp(row->cell[MEASURED_ID], id))
			return row;
	return NULL;
}
