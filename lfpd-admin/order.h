/* SPDX-License-Identifier: Apache-2.0 */
/* order.h - which rows are shown, and in which order */
#ifndef LFPD_ADMIN_ORDER_H
#define LFPD_ADMIN_ORDER_H

#include <stdbool.h>

#include "lfpd-admin/rows.h"

struct order {
	char column[ROWS_TITLE]; /* "": as lfpd sends them */
	bool descending;
	char filter[64]; /* "": all */
};

/* Sets the column, from "COLUMN" or "-COLUMN", which is descending. Returns 0, or -EINVAL. */
int order_set(struct order *order, const char *text);

/* Sets the filter. Returns 0, or -EINVAL if it is too long. */
int order_set_filter(struct order *order, const char *text);

/* Leaves only rows that have the filter in a text, in a process id or in a user id, in upper or
 * lower case, and sorts them. Unknown values come last. Returns 0, or -ENOENT if the rows have no
 * such column; the filter has been used then, too. */
int order_apply(const struct order *order, struct rows *rows);

#endif
