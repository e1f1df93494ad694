/* SPDX-License-Identifier: Apache-2.0 */
/* log.h - the log of connections (CONNECTION_LOG): a record of each call of a program */
#ifndef LFPD_LOG_LOG_H
#define LFPD_LOG_LOG_H

#include <stdio.h>

#include "lfpd/log/record.h"
#include "lfpd/state/instance.h"

/* Open what CONNECTION_LOG names; nothing without it. Return 0, or a negative errno: see
 * writer_start(). */
int log_open(struct instance *inst);

/* Writes the last records, and closes. The loop frees the memory. */
void log_close(struct instance *inst);

/* The configuration was reloaded: opens the file again, by its name. */
void log_reopen(struct instance *inst);

static inline bool log_is_on(const struct instance *inst)
{
	return inst->log;
}

/**
 * log_begin() - a record of @event
 * @who:	is copied, with its user, who may make only some records a second
 *
 * Return: the record, filled with time, event and @who, for log_end(). NULL without CONNECTION_LOG,
 * or if the record is left out.
 */
struct log_record *log_begin(struct instance *inst, enum log_event event,
			     const struct log_who *who);

/* Ends the record of the last log_begin(). */
void log_end(struct instance *inst);

/* us since 1970 */
uint64_t log_now(void);

/* Returns the number of the newest record, 0 if there is none. */
uint64_t log_newest(const struct instance *inst);

/* Returns the record of this number, NULL if it was too long ago. */
const struct log_record *log_find(const struct instance *inst, uint64_t serial);

#endif
