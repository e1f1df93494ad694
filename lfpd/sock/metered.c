/* SPDX-License-Identifier: Apache-2.0 */
/* metered.c - sockets under a rule that has a limit */
#include "lfpd/sock/metered.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lfpd/names/ruling.h"
#include "lfpd/users/share.h"
#include "lfpd/users/task.h"

static void wait_no_more(struct metered *metered, enum meter_way way)
{
	if (lfp_list_empty(&metered->waiting[way]))
		return;
	lfp_list_del(&metered->waiting[way]);
	if (!--metered->nr_waiting)
		metered->slowed += uv_now(metered->sock->instance->loop) - metered->since;
}

static struct metered *first_waiting(const struct meter *meter, enum meter_way way)
{
	return lfp_list_entry(lfp_list_first(&meter->waiting[way]), struct metered, waiting[way]);
}

/* Lets sockets go on while the bucket has something. One that waits again is the last one then. */
static void run_way(struct meter *meter, enum meter_way way)
{
	struct instance *inst = meter->instance;
	struct metered *first;

	while ((first = first_waiting(meter, way)) &&
	       bucket_has(&meter->buckets[way], uv_now(inst->loop))) {
		struct socket *sock = first->sock;

		wait_no_more(first, way);
		inst->sock_ops->go_on(sock, way == METER_IN);
	}
}

static void on_timer(uv_timer_t *timer)
{
	struct instance *inst = timer->data;
	struct lfp_list due;
	struct meter *meter;

	lfp_list_init(&due);
	lfp_list_append_all(&due, &inst->slow_meters);
	while ((meter = lfp_list_first_entry(&due, struct meter, slow))) {
		lfp_list_del(&meter->slow);
		meter->references++;
		meter->serves = true;
		run_way(meter, METER_OUT);
		run_way(meter, METER_IN);
		meter->serves = false;
		if (first_waiting(meter, METER_OUT) || first_waiting(meter, METER_IN))
			lfp_list_append(&inst->slow_meters, &meter->slow);
		meter_drop(meter);
	}
	if (lfp_list_empty(&inst->slow_meters))
		uv_timer_stop(timer);
}

size_t metered_may(struct socket *sock, enum meter_way way)
{
	struct instance *inst = sock->instance;
	struct metered *metered = sock->metered;
	struct meter *meter;
	size_t has;

	if (!metered_has_rate(sock))
		return SIZE_MAX;
	meter = metered->meter;
	if (!lfp_list_empty(&metered->waiting[way]))
		return 0;
	/* Those that wait go first. */
	has = first_waiting(meter, way) && !meter->serves
		      ? 0
		      : bucket_has(&meter->buckets[way], uv_now(inst->loop));
	if (has)
		return has;
	inst->counters.rates_held++;
	if (!metered->nr_waiting++)
		metered->since = uv_now(inst->loop);
	lfp_list_append(&meter->waiting[way], &metered->waiting[way]);
	if (lfp_list_empty(&meter->slow))
		lfp_list_append(&inst->slow_meters, &meter->slow);
	if (!uv_is_active((uv_handle_t *)&inst->meter_timer) && !inst->stopping)
		uv_timer_start(&inst->meter_timer, on_timer, BUCKET_LEAST_MS, BUCKET_LEAST_MS);
	return 0;
}

bool metered_lets(struct socket *sock, enum meter_way way, size_t bytes)
{
	struct meter *meter = sock->metered ? sock->metered->meter : NULL;

	if (!metered_has_rate(sock))
		return true;
	return !first_waiting(meter, way) &&
	       bucket_has(&meter->buckets[way], uv_now(sock->instance->loop)) >= bytes;
}

void metered_pass(struct socket *sock, enum meter_way way, size_t bytes)
{
	struct meter *meter = sock->metered ? sock->metered->meter : NULL;

	if (!meter)
		return;
	meter->bytes[way] += bytes;
	if (meter->limit.rate)
		bucket_take(&meter->buckets[way], bytes);
}

uint64_t metered_slowed(const struct socket *sock)
{
	const struct metered *metered = sock->metered;

	if (!metered)
		return 0;
	return metered->slowed +
	       (metered->nr_waiting ? uv_now(sock->instance->loop) - metered->since : 0);
}

/* Leaves the meter, but keeps the time that the socket has waited. */
static void leave(struct metered *metered)
{
	wait_no_more(metered, METER_OUT);
	wait_no_more(metered, METER_IN);
	if (!metered->meter)
		return;
	metered->meter->connections -= metered->counts;
	metered->counts = false;
	meter_drop(metered->meter);
	metered->meter = NULL;
}

void metered_leave(struct socket *sock)
{
	if (!sock->metered)
		return;
	leave(sock->metered);
	free(sock->metered);
	sock->metered = NULL;
}

static struct metered *make(struct socket *sock)
{
	struct metered *metered = calloc(1, sizeof(*metered));

	if (!metered)
		return NULL;
	metered->sock = sock;
	lfp_list_init(&metered->waiting[METER_OUT]);
	lfp_list_init(&metered->waiting[METER_IN]);
	return metered;
}

/* Returns the meter of @rule that the socket counts for, with a reference, or NULL without memory.
 */
static struct meter *find(struct socket *sock, const struct rule *rule)
{
	struct task *task = rule->limit.of_user ? NULL : socket_task(sock);
	const struct meter_owner owner = {
		.has_task = task, .task = task ? task->id : 0, .uid = sock->share->base.uid};

	/* What an ended task has left counts for all such tasks of the user together. */
	return meter_find(sock->instance, task ? &task->meters : &sock->share->meters, rule,
			  &owner);
}

/* Makes the socket one of @meter, whose reference it takes over, or of none for NULL. What the
 * meter before has held goes on: nothing else polls for it again. */
static void change(struct socket *sock, struct meter *meter)
{
	bool was_held = sock->metered && sock->metered->nr_waiting;

	if (meter) {
		leave(sock->metered);
		sock->metered->meter = meter;
		sock->metered->counts = !sock->is_datagram;
		meter->connections += sock->metered->counts;
	} else {
		metered_leave(sock);
	}
	if (was_held)
		socket_arm(sock);
}

static bool is_full(const struct meter *meter)
{
	return meter->limit.connections && meter->connections >= meter->limit.connections;
}

/* Returns 0, -ENOBUFS or, if it need not have room, -EMFILE. */
static int enter(struct socket *sock, const struct rule *rule, bool needs_room)
{
	struct meter *meter;

	if (!rule) {
		change(sock, NULL);
		return 0;
	}
	meter = find(sock, rule);
	if (meter && sock->metered && sock->metered->meter == meter) {
		meter_drop(meter);
		return 0;
	}
	if (meter && needs_room && !sock->is_datagram && is_full(meter)) {
		meter->refused++;
		meter_drop(meter);
		return -EMFILE;
	}
	if (meter && !sock->metered)
		sock->metered = make(sock);
	if (meter && sock->metered) {
		change(sock, meter);
		return 0;
	}
	if (meter)
		meter_drop(meter);
	return -ENOBUFS;
}

int metered_enter(struct socket *sock, const struct rules_question *question)
{
	const struct rule *rule = question->limited;
	int rc = enter(sock, rule, true);
	char why[64];

	if (rc != -EMFILE)
		return rc;
	snprintf(why, sizeof(why), ", as its %s has all %u connections",
		 rule->limit.of_user ? "user" : "task", rule->limit.connections);
	return ruling_refuse_limit(sock->instance, question, why);
}

void metered_go_on(struct socket *sock, const struct rules_question *question)
{
	/* Without memory it keeps the meter that it has. */
	(void)enter(sock, question->limited, false);
}

void metered_move(struct socket *sock)
{
	const struct rule rule = {.line = sock->metered ? sock->metered->meter->line : 0,
				  .limit = sock->metered ? sock->metered->meter->limit
							 : (struct rule_limit){0}};

	/* A meter of earlier rules has no successor. */
	if (sock->metered && sock->metered->meter->rules == sock->instance->rules_serial)
		(void)enter(sock, &rule, false);
}
