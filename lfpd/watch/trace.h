/* SPDX-License-Identifier: Apache-2.0 */
/* trace.h - a trace of the path: frames into a ring file, without holding up the loop */
#ifndef LFPD_WATCH_TRACE_H
#define LFPD_WATCH_TRACE_H

#include <stdio.h>

#include "lfp/trace.h"
#include "lfpd/state/instance.h"

/* States of a trace, in the order in which they follow each other. */
enum trace_state {
	TRACE_OFF,
	TRACE_STARTING, /* its thread opens the file */
	TRACE_ON,       /* frames are taken */
	TRACE_STOPPING, /* its thread writes the last of them */
};

/**
 * trace_start() - begin a trace; the file of the one before is gone then
 * @filter:	copied
 *
 * The file is opened by another thread: trace_answer() tells when it is running, or why not.
 * Return: 0, -EBUSY if one is there, or another negative errno.
 */
int trace_start(struct instance *inst, const struct lfp_trace_filter *filter);

/* Take no more frames. trace_answer() tells when all are written. */
void trace_stop(struct instance *inst);

/* The instance ends: stop, and wait a short time for the last records. */
void trace_finish(struct instance *inst);

/* State, filter, file and numbers, as answer to "status" and "trace-status". */
void trace_answer(const struct instance *inst, FILE *out);

bool trace_is_on(const struct instance *inst);

/* Of all traces since the start of the instance. */
uint64_t trace_records(const struct instance *inst);
uint64_t trace_lost(const struct instance *inst);

#endif
