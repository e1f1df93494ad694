/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - which rows are shown, and in which order */
#include "lfpd-admin/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int order_set(struct order *order, const char *text)
{
	bool descending = *text == '-';

	text += descending;
	if (!*text || strlen(text) >= sizeof(order->column))
		return -EINVAL;
	strcpy(order->column, text);
	order->descending = descending;
	return 0;
}

int order_set_filter(struct order *order, const char *text)
{
	if (strlen(text) >= sizeof(order->filter))
		return -EINVAL;
	strcpy(order->filter, text);
	return 0;
}

static bool is_searched(const struct rows_column *column)
{
	return !column->number || !strcmp(column->name, "pid") || !strcmp(column->name, "uid");
}

static bool has_filter(const struct rows *rows, size_t row, const char *filter)
{
	for (size_t c = 0; c < rows->columns; c++)
		if (is_searched(&rows->column[c]) && strcasestr(rows_cell(rows, row, c), filter))
			return true;
	return false;
}

static void leave_out(struct rows *rows, const char *filter)
{
	size_t nr = 0, size = rows->columns * sizeof(rows->cells[0]);

	for (size_t r = 0; r < rows->nr; r++)
		if (has_filter(rows, r, filter))
			memmove(&rows->cells[nr++ * rows->columns], &rows->cells[r * rows->columns],
				size);
	rows->nr = nr;
}

struct comparison {
	size_t column;
	bool number, descending;
};

static int compare_values(const char *a, const char *b, bool number)
{
	double one, other;

	if (!number)
		return strverscmp(a, b); /* 10.0.0.9 before 10.0.0.10 */
	one = strtod(a, NULL);
	other = strtod(b, NULL);
	return (one > other) - (one < other);
}

static int compare(const void *one, const void *other, void *data)
{
	const char *const *a = one, *const *b = other;
	const struct comparison *how = data;
	const char *left = a[how->column], *right = b[how->column];
	int rc = 0;

	if (*left && *right)
		rc = compare_values(left, right, how->number) * (how->descending ? -1 : 1);
	else if (*left || *right)
		return *left ? -1 : 1;
	/* Cells of earlier rows are earlier in rows->text: equal rows keep their order. */
	return rc ? rc : (a[0] > b[0]) - (a[0] < b[0]);
}

int order_apply(const struct order *order, struct rows *rows)
{
	struct comparison how = {.descending = order->descending};

	if (*order->filter)
		leave_out(rows, order->filter);
	if (!*order->column)
		return 0;
	how.column = rows_find(rows, order->column);
	if (how.column == rows->columns)
		return -ENOENT;
	how.number = rows->column[how.column].number;
	if (rows->nr)
		qsort_r(rows->cells, rows->nr, rows->columns * sizeof(rows->cells[0]), compare,
			&how);
	return 0;
}
