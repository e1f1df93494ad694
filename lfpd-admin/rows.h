/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - an answer of lfpd that is a table */
#ifndef LFPD_ADMIN_ROWS_H
#define LFPD_ADMIN_ROWS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define ROWS_COLUMNS 32
#define ROWS_RATE    "_rate" /* the end of the names of columns with rates */

struct rows_column {
	const char *name;
	bool number;
	bool rate; /* bytes a second, shown as "1.5M" */
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

/* Returns the column with this name, in upper or lower case, with "-", "_" or nothing between its
 * words; rows->columns if none. */
size_t rows_find(const struct rows *rows, const char *name);

/* Returns the cell of the column with this name, "" without such a column. */
const char *rows_named(const struct rows *rows, size_t row, const char *name);

#define ROWS_TITLE 32
#define ROWS_VALUE 16

/* "to_host_rate" as "TO-HOST/S" */
const char *rows_title(const struct rows_column *column, char title[static ROWS_TITLE]);

/* "850", "1.5M"; with the unit "B/s" "850 B/s", "1.5 MB/s" */
const char *rows_amount(double amount, const char *unit, char text[static ROWS_VALUE]);

/* Returns the text of a cell, perhaps in @text: "-" if it is unknown. */
const char *rows_value(const struct rows *rows, size_t row, size_t column,
		       char text[static ROWS_VALUE]);

/* The columns of the widest cell, or of the title. */
size_t rows_width(const struct rows *rows, size_t column);

/* Prints the rows below a line of titles. */
void rows_print(const struct rows *rows, FILE *out);

/* Returns a row as an object of JSON. Unknown values are null. */
json_t *rows_object(const struct rows *rows, size_t row);

/* Returns all rows as an array. */
json_t *rows_json(const struct rows *rows);

#endif
