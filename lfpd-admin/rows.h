/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - an answer of lfpd that is a table */
#ifndef LFPD_ADMIN_ROWS_H
#define LFPD_ADMIN_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define ROWS_COLUMNS 32

struct rows_column {
	const char *name;
	bool number;
};

struct rows {
	char *text; /* all strings of the rows are in it */
	size_t columns, nr;
	struct rows_column column[ROWS_COLUMNS];
	const char **cells; /* nr * columns; "" is unknown */
};

/* Parses an answer (lfp/admin-request.h). Returns 0; -EPROTO if the answer is not a table or has an
 * invalid number; -ENOMEM. */
int rows_parse(const char *answer, struct rows *rows);
void rows_finish(struct rows *rows);

static inline const char *rows_cell(const struct rows *rows, size_t row, size_t column)
{
	return rows->cells[row * rows->columns + column];
}

/* Prints the rows below a line of titles. Unknown values are "-". */
void rows_print(const struct rows *rows, FILE *out);

/* Moves the columns with these names to the front, in this order. NULL ends @names; rows without
 * such a column stay as they are. */
void rows_put_first(struct rows *rows, const char *const names[]);

/* Print as an array of JSON objects. Unknown values are null. */
void rows_json(const struct rows *rows, FILE *out);

#endif
