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

/* Returns the ms until a meter of the present rules has full buckets. */
static uint64_t owes(struct meter *meter)
{
	uint64_t now = uv_now(meter->instance->loop), out, in;

	if (!meter->limit.rate || meter->rules != meter->instance->rules_serial)
		return 0;
	out = bucket_fills_in(&meter->buckets[METER_OUT], now);
	in = bucket_fills_in(&meter->buckets[METER_IN], now);
	return out > in ? out : in;
}

/* Takes a meter out of the owing ones. The reference is the caller's. */
static struct meter *take_owing(struct meter *meter)
{
	lfp_list_del(&meter->entry);
	meter->instance->nr_owing--;
	return meter;
}

/* Drops the owing meters that owe nothing any more. Returns the one that owes least, or NULL. */
static struct meter *look_at_owing(struct instance *inst)
{
	struct meter *meter, *next, *least = NULL;

	for (meter = lfp_list_first_entry(&inst->owing, struct meter, entry); meter; meter = next) {
		next = lfp_list_next_entry(&inst->owing, meter, entry);
		if (!owes(meter))
			meter_drop(take_owing(meter));
		else if (!least || owes(meter) < owes(least))
			least = meter;
	}
	return least;
}

/* Keeps a meter whose user has nothing any more, or drops it. Takes the reference over. */
static void keep_owing(struct meter *meter)
{
	struct instance *inst = meter->instance;
	struct meter *least;

	if (meter->owner.has_task || inst->stopping || !owes(meter)) {
		meter_drop(meter);
		return;
	}
	least = look_at_owing(inst);
	lfp_list_append(&inst->owing, &meter->entry);
	inst->nr_owing++;
	if (inst->nr_owing > METERS_OWING_MAX)
		meter_drop(take_owing(owes(meter) < owes(least) ? meter : least));
}

static struct meter *find_owing(struct instance *inst, const struct rule *rule,
				const struct meter_owner *owner)
{
	struct meter *meter;

	if (owner->has_task)
		return NULL;
	(void)look_at_owing(inst);
	lfp_list_each(meter, &inst->owing, entry)
		if (meter->owner.uid == owner->uid && meter->line == rule->line)
			return take_owing(meter);
	return NULL;
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
	if (!meter)
		meter = find_owing(inst, rule, owner);
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
		keep_owing(meter);
	}
}

void meters_forget_paid(struct instance *inst)
{
	(void)look_at_owing(inst);
}

void meters_finish(struct instance *inst)
{
	struct meter *meter;

	while ((meter = lfp_list_first_entry(&inst->owing, struct meter, entry)))
		meter_drop(take_owing(meter));
}
