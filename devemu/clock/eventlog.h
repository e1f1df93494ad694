/* SPDX-License-Identifier: Apache-2.0 */
/* eventlog.h - the events of a run, as one number and optionally as lines */
#ifndef DEVEMU_EVENTLOG_H
#define DEVEMU_EVENTLOG_H

#include <stdint.h>

/* One event. The meaning of @kind, @object and @value is the writer's (fabric/trace.h). */
struct eventlog_record {
	int64_t at; /* ps */
	uint32_t kind;
	uint32_t object;
	uint64_t value;
};

struct eventlog {
	uint64_t hash;
	uint64_t count;
	/* Called with each record when set: "zdev trace". */
	void (*sink)(void *ctx, const struct eventlog_record *record);
	void *ctx;
};

void eventlog_init(struct eventlog *log);

/*
 * The hash covers all records in their order: for each of the three words (at, kind << 32 | object,
 * value) hash = (rotl(hash, 25) ^ word) * 0x9E3779B97F4A7C15. It tells runs apart; it is no
 * signature.
 */
static inline void eventlog_add(struct eventlog *log, int64_t at, uint32_t kind, uint32_t object,
				uint64_t value)
{
	const uint64_t word[3] = {(uint64_t)at, (uint64_t)kind << 32 | object, value};
	uint64_t hash = log->hash;

	for (int i = 0; i < 3; i++)
		hash = ((hash << 25 | hash >> 39) ^ word[i]) * UINT64_C(0x9E3779B97F4A7C15);
	log->hash = hash;
	log->count++;
	if (log->sink)
		log->sink(log->ctx, &(struct eventlog_record){at, kind, object, value});
}

#endif
