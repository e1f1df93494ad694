/* SPDX-License-Identifier: Apache-2.0 */
/* rates.h - bytes a second of each socket, between two looks at all of them */
#ifndef LFPD_ADMIN_RATES_H
#define LFPD_ADMIN_RATES_H

#include "lfpd-admin/rows.h"

/**
 * rates_add() - add the columns to_host_rate and to_vse_rate
 * @before:	an earlier look, or NULL: no rate is known
 * @now:	a table with the columns socket, to_host, to_vse
 * @seconds:	between both
 * @out:	set to a copy of @now with two more columns
 *
 * A rate is unknown for a new socket, and where a counter has become smaller.
 *
 * Return: 0, -EPROTO if a column is missing, -ENOMEM.
 */
int rates_add(const struct rows *before, const struct rows *now, double seconds, struct rows *out);

#endif
