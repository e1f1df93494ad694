/* SPDX-License-Identifier: Apache-2.0 */
/* meter.h - what a task, or a user, uses of a rule that has a limit */
#ifndef LFPD_USERS_METER_H
#define LFPD_USERS_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp/list.h"
#include "lfp/table.h"
#include "lfpd/base/bucket.h"
#include "lfpd/policy/rule.h"
#include "lfpd/state/instance.h"

/*
 * Theory of operation
 *
 * A meter belongs to one task, or one user, and to one line of the present rules. It stays until
 * its task has ended, and its user has nothing any more: else a program could get a full bucket by
 * closing its socket. Sockets keep their meter alive beyond that.
 *
 * The meter of a user who has nothing any more stays in a list of the instance while its buckets
 * are not full, so that short programs, one after the other, share the rate, too. The list is
 * bounded: the meter that owes least leaves it.
 */
#define METERS_OWING_MAX 1024u

enum meter_way { METER_OUT, METER_IN };

struct meter_owner {
	bool has_task; /* a task, else a user */
	uint16_t task; /* as operators see it */
	uint32_t uid;
};

struct meter {
	struct lfp_table_link node; /* in instance->meters, by serial */
	struct lfp_list entry;      /* in the list of its task or user, if that is still there */
	struct lfp_list slow;       /* in instance->slow_meters while sockets wait */
	struct instance *instance;
	unsigned int references;
	uint64_t rules; /* instance->rules_serial of its rule */
	unsigned int line;
	struct rule_limit limit;
	struct meter_owner owner;
	unsigned int connections; /* at present */
	uint64_t refused;         /* connections */
	struct bucket buckets[2]; /* by enum meter_way, as the next ones are */
	uint64_t bytes[2];
	struct lfp_list waiting[2]; /* of sockets, for sock/metered.c */
	bool serves;                /* sockets that waited go on now */
};

static inline struct meter *meter_of(struct lfp_table_link *node)
{
	return lfp_table_entry(node, struct meter, node);
}

/* Returns the meter of @rule in this list of @owner, with a reference, made if need be; or NULL
 * without memory. */
struct meter *meter_find(struct instance *inst, struct lfp_list *meters, const struct rule *rule,
			 const struct meter_owner *owner);

void meter_drop(struct meter *meter);

/* The task has ended, or the user has nothing any more. */
void meters_end(struct lfp_list *meters);

/* Drops meters that were only kept until their buckets are full. */
void meters_forget_paid(struct instance *inst);

/* The instance ends: drops all that no user has. */
void meters_finish(struct instance *inst);

#endif
