/* SPDX-License-Identifier: Apache-2.0 */
/* all.h - a table of all running instances */
#ifndef LFPD_ADMIN_ALL_H
#define LFPD_ADMIN_ALL_H

#include <stdbool.h>
#include <stdio.h>

#include "lfpd-admin/running.h"
#include "lfpd-admin/view.h"

/* Can the rows of several instances stand in one table of this kind? */
bool all_takes(const struct view_kind *kind);

/**
 * all_print() - print the rows of several instances as one table
 * @kind:	a kind that all_takes()
 * @view:	order, rates and form; its name and samples are not used
 * @found:	the instances
 * @out:	the table, below the columns instance and z_vse; or a line of JSON, in which the
 *		latter is zvse
 * @error:	filled if -1 is returned
 *
 * The columns are those of the first instance that answers. A message says why another has no
 * rows.
 *
 * Return: 0, or -1: no instance answers, the column to sort by is none, or memory has run out.
 */
int all_print(const struct view_kind *kind, const struct view *view, const struct running *found,
	      FILE *out, struct ask_error *error);

#endif
