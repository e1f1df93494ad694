/* SPDX-License-Identifier: Apache-2.0 */
/* measured.h - values that "lfp-workload TABLE --verdicts FILE" has measured of published rows
 *
 * Lines of cells with a tab between them; the first names the columns. A line that begins with "#"
 * is a comment.
 *
 *   id         of a published row, which may have several lines
 *   what       the quantity
 *   published  the paper's value
 *   here       the measured one
 *   verdict    in words
 *   judged     same, different, or shown: measured on another machine, and so not judged
 */
#ifndef FIGURES_MEASURED_H
#define FIGURES_MEASURED_H

#include <stddef.h>
#include <stdio.h>

#include "figures/lines.h"

enum measured_column {
	MEASURED_ID,
	MEASURED_WHAT,
	MEASURED_PUBLISHED,
	MEASURED_HERE,
	MEASURED_VERDICT,
	MEASURED_JUDGED,
	MEASURED_COLUMNS,
};

enum measured_judged { MEASURED_SAME, MEASURED_DIFFERENT, MEASURED_SHOWN };

struct measured_row {
	int line;
	const char *cell[MEASURED_COLUMNS];
	enum measured_judged judged;
};

struct measured {
	char *text;
	struct measured_row *row;
	size_t rows;
};

enum { MEASURED_ERROR = LINES_ERROR };

/* Reads all of @file, whose name for messages is @name. Return: 0, -EINVAL, or a negative errno of
 * reading; @error is filled. measured_finish() is needed in each case. */
int measured_read(struct measured *measured, const char *name, FILE *file,
		  char error[MEASURED_ERROR]);
void measured_finish(struct measured *measured);

/* Returns the next row with @id behind @row, or the first one if that is NULL; NULL behind the
 * last one. */
const struct measured_row *measured_next(const struct measured *measured,
					 const struct measured_row *row, const char *id);

#endif
