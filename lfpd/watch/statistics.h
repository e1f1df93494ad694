/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.h - the numbers of an instance, in one table for lfpd-admin and for metrics */
#ifndef LFPD_WATCH_STATISTICS_H
#define LFPD_WATCH_STATISTICS_H

#include <stdint.h>
#include <stdio.h>

#include "lfpd/state/instance.h"
#include "transport/path.h"

enum statistic_kind {
	STATISTIC_GAUGE,
	STATISTIC_COUNTER,
	STATISTIC_COUNTER_US, /* microseconds, told as seconds */
};

struct statistic {
	const char *key;    /* for lfpd-admin */
	const char *family; /* of the metric, without "_total" */
	const char *label;  /* "NAME=\"VALUE\"", or "" */
	enum statistic_kind kind;
	const char *help;
	uint64_t (*value)(const struct instance *inst);
};

/* The table; those of one family follow each other. */
const struct statistic *statistics(size_t *nr);

/* As answer to "statistics", see lfp/admin-request.h. */
void statistics_answer(const struct instance *inst, FILE *out);

/* Text of Prometheus 0.0.4, or of OpenMetrics 1.0. */
void statistics_expose(const struct instance *inst, bool openmetrics, FILE *out);

#endif
