/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h - a table on a screen that may be narrow */
#ifndef LFPD_ADMIN_LAYOUT_H
#define LFPD_ADMIN_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lfpd-admin/order.h"
#include "lfpd-admin/rows.h"

/*
 * Columns come by importance. Those that fit are shown whole columns, beginning with any of them.
 * Texts may be narrower than their longest one: addresses lose their left side, as their ports tell
 * connections apart, other texts their right side. "<" and ">" at the edge of each line mark
 * columns that are not shown.
 */
struct layout {
	size_t order[ROWS_COLUMNS]; /* columns of the rows, by importance */
	size_t first, shown;        /* of @order */
	size_t width[ROWS_COLUMNS]; /* of each one of @order that is shown */
	bool more_left, more_right;
	size_t screen; /* columns of the screen */
};

/**
 * layout_make() - choose columns and their widths
 * @important:	names, ended by NULL; other columns come behind them
 * @first:	number of columns to leave out at the left; fewer are, if the others fit
 */
void layout_make(struct layout *layout, const struct rows *rows, const char *const *important,
		 size_t screen, size_t first);

/* Write a line, without its end: exactly as many columns as the screen has. The title of the column
 * that the rows are sorted by has "^" behind it, or "v" where it descends. */
void layout_title(const struct layout *layout, const struct rows *rows, const struct order *order,
		  FILE *out);
void layout_row(const struct layout *layout, const struct rows *rows, size_t row, FILE *out);

#endif
