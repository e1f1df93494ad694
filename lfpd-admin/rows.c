/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - an answer of lfpd that is a table */
#include "lfpd-admin/rows.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/json.h"

static int take_columns(struct rows *rows, char *rest)
{
	char *word;

	if (rows->columns)
		return -EPROTO;
	while ((word = strsep(&rest, "\t"))) {
		char *colon = strchr(word, ':');

		if (rows->columns == ROWS_COLUMNS || !colon || colon == word ||
		    (strcmp(colon, ":s") != 0 && strcmp(colon, ":n") != 0))
			return -EPROTO;
		*colon = '\0';
		rows->column[rows->columns++] =
			(struct rows_column){.name = word, .number = colon[1] == 'n'};
	}
	return 0;
}

static int take_row(struct rows *rows, char *rest, size_t *room)
{
	size_t column = 0;
	char *word;

	if (!rows->columns)
		return -EPROTO;
	if (rows->nr == *room) {
		const char **larger;

		*room = *room ? *room * 2 : 64;
		larger = reallocarray(rows->cells, *room, rows->columns * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		rows->cells = larger;
	}
	while ((word = strsep(&rest, "\t"))) {
		if (column == rows->columns ||
		    (rows->column[column].number && *word && !lfp_json_is_number(word)))
			return -EPROTO;
		rows->cells[rows->nr * rows->columns + column++] = word;
	}
	rows->nr++;
	return column == rows->columns ? 0 : -EPROTO;
}

int rows_parse(const char *answer, struct rows *rows)
{
	char *rest, *line;
	size_t room = 0;
	int rc = 0;

	memset(rows, 0, sizeof(*rows));
	rest = rows->text = strdup(answer);
	if (!rest)
		return -ENOMEM;
	while (!rc && (line = strsep(&rest, "\n"))) {
		char *key = strsep(&line, "\t");

		if (!strcmp(key, "columns"))
			rc = line ? take_columns(rows, line) : -EPROTO;
		else if (!strcmp(key, "row"))
			rc = line ? take_row(rows, line, &room) : -EPROTO;
	}
	if (!rc && !rows->columns)
		rc = -EPROTO;
	if (rc)
		rows_finish(rows);
	return rc;
}

void rows_finish(struct rows *rows)
{
	free(rows->text);
	free(rows->cells);
	memset(rows, 0, sizeof(*rows));
}

/* Moves column @from to the place @to before it; those between move by one. */
static void move_column(struct rows *rows, size_t from, size_t to)
{
	struct rows_column column = rows->column[from];

	memmove(&rows->column[to + 1], &rows->column[to], (from - to) * sizeof(column));
	rows->column[to] = column;
	for (size_t r = 0; r < rows->nr; r++) {
		const char **row = &rows->cells[r * rows->columns], *cell = row[from];

		memmove(&row[to + 1], &row[to], (from - to) * sizeof(cell));
		row[to] = cell;
	}
}

void rows_put_first(struct rows *rows, const char *const names[])
{
	size_t to = 0;

	for (; *names; names++)
		for (size_t c = to; c < rows->columns; c++)
			if (!strcmp(rows->column[c].name, *names)) {
				move_column(rows, c, to++);
				break;
			}
}

/* "to_host" as "TO-HOST" */
static void print_title(const struct rows_column *column, int width, FILE *out)
{
	char title[32];
	size_t i = 0;

	for (; column->name[i] && i < sizeof(title) - 1; i++) {
		char c = column->name[i];

		title[i] = (char)(c == '_' ? '-' : toupper((unsigned char)c));
	}
	title[i] = '\0';
	fprintf(out, column->number ? "%*s" : "%-*s", width, title);
}

void rows_print(const struct rows *rows, FILE *out)
{
	int width[ROWS_COLUMNS];

	for (size_t c = 0; c < rows->columns; c++) {
		width[c] = (int)strlen(rows->column[c].name);
		for (size_t r = 0; r < rows->nr; r++) {
			int len = (int)strlen(rows_cell(rows, r, c));

			width[c] = len > width[c] ? len : width[c];
		}
		/* No blanks at the end of a line. */
		if (c + 1 == rows->columns && !rows->column[c].number)
			width[c] = 0;
	}
	for (size_t c = 0; c < rows->columns; c++) {
		fputs(c ? "  " : "", out);
		print_title(&rows->column[c], width[c], out);
	}
	putc('\n', out);
	for (size_t r = 0; r < rows->nr; r++) {
		for (size_t c = 0; c < rows->columns; c++) {
			const char *cell = rows_cell(rows, r, c);

			fputs(c ? "  " : "", out);
			fprintf(out, rows->column[c].number ? "%*s" : "%-*s", width[c],
				*cell ? cell : "-");
		}
		putc('\n', out);
	}
}

void rows_json(const struct rows *rows, FILE *out)
{
	putc('[', out);
	for (size_t r = 0; r < rows->nr; r++) {
		fputs(r ? ", {" : "{", out);
		for (size_t c = 0; c < rows->columns; c++) {
			const char *cell = rows_cell(rows, r, c);

			fputs(c ? ", " : "", out);
			lfp_json_string(rows->column[c].name, out);
			fputs(": ", out);
			if (!*cell)
				fputs("null", out);
			else if (rows->column[c].number)
				fputs(cell, out);
			else
				lfp_json_string(cell, out);
		}
		putc('}', out);
	}
	putc(']', out);
}
