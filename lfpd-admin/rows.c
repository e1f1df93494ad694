/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - an answer of lfpd that is a table */
#include "lfpd-admin/rows.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "lfpd-admin/text.h"

static bool is_rate(const char *name)
{
	size_t len = strlen(name);

	return len > strlen(ROWS_RATE) && len < ROWS_TITLE &&
	       !strcmp(name + len - strlen(ROWS_RATE), ROWS_RATE);
}

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
		rows->column[rows->columns++] = (struct rows_column){
			.name = word,
			.number = colon[1] == 'n',
			.rate = colon[1] == 'n' && is_rate(word),
		};
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
		    (rows->column[column].number && *word && !json_is_numeral(word)))
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

static const char *skip_mark(const char *at)
{
	return at + (*at == '-' || *at == '_');
}

static bool is_named(const char *column, const char *name)
{
	for (;; column++, name++) {
		column = skip_mark(column);
		name = skip_mark(name);
		if (tolower((unsigned char)*name) != *column)
			return false;
		if (!*column)
			return true;
	}
}

size_t rows_find(const struct rows *rows, const char *name)
{
	size_t c = 0;

	while (c < rows->columns && !is_named(rows->column[c].name, name))
		c++;
	return c;
}

const char *rows_named(const struct rows *rows, size_t row, const char *name)
{
	size_t c = rows_find(rows, name);

	return c < rows->columns ? rows_cell(rows, row, c) : "";
}

const char *rows_title(const struct rows_column *column, char title[static ROWS_TITLE])
{
	size_t i = 0;

	for (; column->name[i] && i < ROWS_TITLE - 1; i++) {
		char c = column->name[i];

		title[i] = (char)(c == '_' ? '-' : toupper((unsigned char)c));
	}
	title[i] = '\0';
	if (column->rate)
		strcpy(title + i - strlen(ROWS_RATE), "/S");
	return title;
}

const char *rows_amount(double amount, const char *unit, char text[static ROWS_VALUE])
{
	static const char *const prefixes[] = {"", "K", "M", "G", "T"};
	size_t prefix = 0;

	/* A value that "%.0f" would print as 1000 gets the next unit. */
	for (; amount >= 999.5 && prefix < 4; prefix++)
		amount /= 1000;
	snprintf(text, ROWS_VALUE, "%.*f%s%s%s", prefix && amount < 99.95 ? 1 : 0, amount,
		 *unit ? " " : "", prefixes[prefix], unit);
	return text;
}

const char *rows_value(const struct rows *rows, size_t row, size_t column,
		       char text[static ROWS_VALUE])
{
	const char *cell = rows_cell(rows, row, column);

	if (!*cell)
		return "-";
	return rows->column[column].rate ? rows_amount(strtod(cell, NULL), "", text) : cell;
}

static void print_field(const struct rows *rows, size_t column, const char *text, size_t width,
			FILE *out)
{
	bool number = rows->column[column].number;

	fputs(column ? "  " : "", out);
	if (column + 1 == rows->columns && !number)
		text_put(text, out); /* no blanks at the end of a line */
	else
		text_fit(text, width, number ? TEXT_RIGHT : TEXT_LEFT, out);
}

static void print_row(const struct rows *rows, size_t row, const size_t *width, FILE *out)
{
	for (size_t c = 0; c < rows->columns; c++) {
		char text[ROWS_VALUE];

		print_field(rows, c, rows_value(rows, row, c, text), width[c], out);
	}
	putc('\n', out);
}

size_t rows_width(const struct rows *rows, size_t column)
{
	char title[ROWS_TITLE], text[ROWS_VALUE];
	size_t width = text_width(rows_title(&rows->column[column], title));

	for (size_t r = 0; r < rows->nr; r++) {
		size_t len = text_width(rows_value(rows, r, column, text));

		width = len > width ? len : width;
	}
	return width;
}

void rows_print(const struct rows *rows, FILE *out)
{
	size_t width[ROWS_COLUMNS];
	char title[ROWS_TITLE];

	for (size_t c = 0; c < rows->columns; c++) {
		width[c] = rows_width(rows, c);
		print_field(rows, c, rows_title(&rows->column[c], title), width[c], out);
	}
	putc('\n', out);
	for (size_t r = 0; r < rows->nr; r++)
		print_row(rows, r, width, out);
}

json_t *rows_object(const struct rows *rows, size_t row)
{
	json_t *object = json_object();

	for (size_t c = 0; c < rows->columns; c++) {
		const char *cell = rows_cell(rows, row, c);

		json_object_set_new(object, rows->column[c].name,
				    !*cell                   ? json_null()
				    : rows->column[c].number ? json_numeral(cell)
							     : json_text(cell));
	}
	return object;
}

json_t *rows_json(const struct rows *rows)
{
	json_t *array = json_array();

	for (size_t r = 0; r < rows->nr; r++)
		json_array_append_new(array, rows_object(rows, r));
	return array;
}
