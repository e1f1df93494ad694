/* SPDX-License-Identifier: Apache-2.0 */
/* history.h - the interval records of an instance (HISTORY), and sums over them */
#ifndef LFPD_ADMIN_HISTORY_H
#define LFPD_ADMIN_HISTORY_H

#include <stdint.h>

#include "lfp/history.h"
#include "lfpd-admin/ask.h"
#include "lfpd-admin/when.h"

/**
 * history_load() - read a file of HISTORY
 * @file:	NULL: that of the running instance @name
 * @history:	filled after 0; to be freed by lfp_history_free()
 *
 * Return: 0, or -1 with @error filled.
 */
int history_load(const char *name, const char *file, struct lfp_history *history,
		 struct ask_error *error);

/* Leaves only the intervals whose middle is in the range. Returns 0, or -1 with @error filled if
 * there are none. */
int history_choose(struct lfp_history *history, const struct range *range, struct ask_error *error);

/* Returns the value of a record, 0 if the file has no such column. */
uint64_t history_value(const struct lfp_history *history, const struct lfp_history_record *record,
		       const char *name);

/* Returns the growth of a counter in all intervals. */
uint64_t history_sum(const struct lfp_history *history, const char *name);

/* Returns the length of an interval, and of all, in seconds. */
double history_length(const struct lfp_history_record *record);
double history_seconds(const struct lfp_history *history);

#endif
