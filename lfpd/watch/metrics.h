/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.h - the statistics for Prometheus, at METRICS_LISTEN */
#ifndef LFPD_WATCH_METRICS_H
#define LFPD_WATCH_METRICS_H

#include "lfpd/state/instance.h"

/* Listen where METRICS_LISTEN says; nothing without it. 0 or a negative errno. */
int metrics_start(struct instance *inst);

/* Stop; memory is freed by the loop. */
void metrics_stop(struct instance *inst);

/* For a reload, see lfpd/restart/reload.h. */
extern const struct metrics_ops metrics_reload_ops;

/* The answer to a request: head and body. */
void metrics_answer(const struct instance *inst, const char *text, size_t len, FILE *out);

#endif
