/* SPDX-License-Identifier: Apache-2.0 */
/* meter.c - what a task, or a user, uses of a rule that has a limit */
#include "lfpd/users/meter.h"

#include <stdlib.h>

static struct meter *make(struct instance *inst, const struct rule *rule,
			  const struct meter_owner *owner)
{
	struct meter *meter = calloc(1, sizeof(*meter));

	if (!meter)
		return NULL;
	lfp_list_init(&meter->entry);
	lfp_list_init(&meter->slow);
	meter->instance = inst;
	meter->rules = inst->rules_serial;
	meter->line = rule->line;
	meter->limit = rule->limit;
	meter->owner = *owner;
	for (int way = METER_OUT; way <= METER_IN; way++) {
		lfp_list_init(&meter->waiting[way]);
		if (rule->limit.rate)
			bucket_init(&meter->buckets[way], rule->limit.rate, uv_now(inst->loop));
	}
	lfp_table_add(&inst->meters, &meter->node, ++inst->meters_made);
	return meter;
}

struct meter *meter_find(struct instance *inst, struct lfp_list *meters, const struct rule *rule,
			 const struct meter_owner *owner)
{
	struct meter *meter, *next;

	for (meter = lfp_list_first_entry(meters, struct meter, entry); meter; meter = next) {
		next = lfp_list_next_entry(meters, meter, entry);
		if (meter->rules != inst->rules_serial) {
			lfp_list_del(&meter->entry);
			meter_drop(meter);
		} else if (meter->line == rule->line) {
			break;
		}
	}
	if (!meter) {
		meter = make(inst, rule, owner);
		if (!meter)
			return NULL;
		meter->references = 1; /* the list's */
	}
	/* The next search mostly is for the same. */
	lfp_list_prepend(meters, &meter->entry);
	meter->references++;
	return meter;
}

void meter_drop(struct meter *meter)
{
	if (--meter->references)
		return;
	lfp_list_del(&meter->slow);
	lfp_table_remove(&meter->instance->meters, &meter->node);
	free(meter);
}

void meters_end(struct lfp_list *meters)
{
	struct meter *meter;

	while ((meter = lfp_list_first_entry(meters, struct meter, entry))) {
		lfp_list_del(&meter->entry);
		meter_drop(meter);
	}
}
