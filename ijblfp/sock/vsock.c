/* SPDX-License-Identifier: Apache-2.0 */
/* vsock.c - the virtual sockets of an instance: their states, and how they are found */
#include "ijblfp/sock/vsock.h"

#include <errno.h>
#include <stdlib.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "transport/passed.h"

#define BUCKETS_MIN 256u

static struct vsock **bucket(const struct vsock_table *table, uint64_t id)
{
	return &table->buckets[(id ^ id >> 63) & (table->nr_buckets - 1)];
}

/* Names are drawn at random. */
static struct vsock_near **name_bucket(const struct vsock_table *table, uint64_t name)
{
	return &table->names[name & (table->nr_buckets - 1)];
}

static int make_buckets(struct vsock_table *table)
{
	table->buckets = calloc(table->nr_buckets, sizeof(struct vsock *));
	table->names = calloc(table->nr_buckets, sizeof(struct vsock_near *));
	if (table->buckets && table->names)
		return 0;
	free(table->buckets);
	free(table->names);
	table->buckets = NULL;
	table->names = NULL;
	return -ENOMEM;
}

int vsock_table_init(struct vsock_table *table)
{
	*table = (struct vsock_table){.nr_buckets = BUCKETS_MIN, .next_id = 1};
	list_init(&table->swept);
	return make_buckets(table);
}

static void grow(struct vsock_table *table)
{
	struct vsock_table wide = *table;

	wide.nr_buckets *= 2;
	if (make_buckets(&wide))
		return; /* longer chains do no harm */
	for (size_t i = 0; i < table->nr_buckets; i++) {
		struct vsock_near *near, *next;

		for (near = table->names[i]; near; near = next) {
			struct vsock_near **head = name_bucket(&wide, near->id.name);

			next = near->next;
			near->next = *head;
			*head = near;
		}
	}
	for (size_t i = 0; i < table->nr_buckets; i++) {
		struct vsock *vs, *next;

		for (vs = table->buckets[i]; vs; vs = next) {
			struct vsock **head = bucket(&wide, vs->id);

			next = vs->hash_next;
			vs->hash_next = *head;
			*head = vs;
		}
	}
	free(table->buckets);
	free(table->names);
	table->buckets = wide.buckets;
	table->names = wide.names;
	table->nr_buckets = wide.nr_buckets;
}

struct vsock *vsock_find(const struct vsock_table *table, uint64_t id)
{
	struct vsock *vs = *bucket(table, id);

	while (vs && vs->id != id)
		vs = vs->hash_next;
	return vs;
}

struct vsock *vsock_create(struct vsock_table *table, uint64_t id)
{
	struct vsock *vs, **head;

	if (id && vsock_find(table, id))
		return NULL;
	vs = calloc(1, sizeof(*vs));
	if (!vs)
		return NULL;
	if (table->count >= table->nr_buckets)
		grow(table);
	vs->id = id ? id : table->next_id++;
	vs->far = vs->copy = -1;
	vs->uid = PASSED_BY_NOBODY;
	vs->state = VSOCK_OPENING;
	list_init(&vs->place);
	list_init(&vs->swept);
	list_init(&vs->waiters);
	head = bucket(table, vs->id);
	vs->hash_next = *head;
	*head = vs;
	table->count++;
	table->by_state[vs->state]++;
	return vs;
}

static void put_name(struct vsock_table *table, struct vsock_near *near)
{
	struct vsock_near **head = name_bucket(table, near->id.name);

	near->next = *head;
	*head = near;
}

static void take_name(struct vsock_table *table, struct vsock_near *near)
{
	struct vsock_near **link = name_bucket(table, near->id.name);

	if (!near->id.name)
		return;
	while (*link != near)
		link = &(*link)->next;
	*link = near->next;
}

void vsock_destroy(struct vsock_table *table, struct vsock *vs)
{
	struct vsock **link = bucket(table, vs->id);

	vsock_drop(table, vs);
	list_del(&vs->waiters);
	if (vs->as_listener)
		list_del(&vs->as_listener->records);
	free(vs->as_listener);
	for (int i = 0; i < VSOCK_NEARS; i++)
		take_name(table, &vs->near[i]);
	while (*link != vs)
		link = &(*link)->hash_next;
	*link = vs->hash_next;
	table->count--;
	table->by_state[vs->state]--;
	free(vs);
}

const struct transitions vsock_states = {
	"vsock_state",
	VSOCK_NR_STATES,
	{
		[VSOCK_OPENING] =
			TO(VSOCK_NEW) | TO(VSOCK_ARRIVING) | TO(VSOCK_DATAGRAM) | TO(VSOCK_CLOSING),
		[VSOCK_NEW] = TO(VSOCK_CONNECTING) | TO(VSOCK_LISTENING) | TO(VSOCK_OVER) |
			      TO(VSOCK_CLOSING),
		/* To LISTENING: the answer to a LISTEN that was sent before the CONNECT. */
		[VSOCK_CONNECTING] = TO(VSOCK_NEW) | TO(VSOCK_ESTABLISHED) | TO(VSOCK_LISTENING) |
				     TO(VSOCK_OVER) | TO(VSOCK_CLOSING),
		[VSOCK_ARRIVING] = TO(VSOCK_ESTABLISHED) | TO(VSOCK_CLOSING),
		[VSOCK_ESTABLISHED] = TO(VSOCK_RESET) | TO(VSOCK_OVER) | TO(VSOCK_CLOSING),
		[VSOCK_RESET] = TO(VSOCK_OVER) | TO(VSOCK_CLOSING),
		/* To OVER: connect() with AF_UNSPEC dissolves a connection that is over. */
		[VSOCK_OVER] = TO(VSOCK_NEW) | TO(VSOCK_OVER) | TO(VSOCK_CLOSING),
		[VSOCK_LISTENING] = TO(VSOCK_OVER) | TO(VSOCK_CLOSING),
		/* To OVER: lfpd sends RESET. */
		[VSOCK_DATAGRAM] = TO(VSOCK_OVER) | TO(VSOCK_CLOSING),
		[VSOCK_CLOSING] = 0,
	},
};

void vsock_set_state(struct vsock_table *table, struct vsock *vs, enum vsock_state state)
{
	transition_check(&vsock_states, vs->state, state);
	table->by_state[vs->state]--;
	table->by_state[state]++;
	vs->state = state;
	list_del(&vs->swept);
	if (state == VSOCK_NEW || state == VSOCK_OVER)
		list_append(&table->swept, &vs->swept);
	if (state != VSOCK_ARRIVING)
		list_del(&vs->place);
}

void vsock_set_near(struct vsock_table *table, struct vsock *vs, const struct near_id *id)
{
	for (int i = 0; i < VSOCK_NEARS; i++)
		take_name(table, &vs->near[i]);
	/* Only near ends that existed are remembered. */
	for (int i = VSOCK_NEARS - 1; i && vsock_name(vs); i--)
		vs->near[i] = vs->near[i - 1];
	vs->near[0].id = *id;
	for (int i = 0; i < VSOCK_NEARS; i++) {
		vs->near[i].vs = vs;
		if (vs->near[i].id.name)
			put_name(table, &vs->near[i]);
	}
}

struct vsock *vsock_find_near(const struct vsock_table *table, const struct near_id *id, bool *now)
{
	struct vsock_near *near = *name_bucket(table, id->name);

	while (near && (near->id.name != id->name || near->id.cookie != id->cookie))
		near = near->next;
	if (!near)
		return NULL;
	*now = near == near->vs->near;
	return near->vs;
}

void vsock_renew(struct vsock_table *table, struct vsock *vs)
{
	vs->gate = 0;
	vs->paired = false;
	vs->quiet = vs->shut = false;
	vs->told = TOLD_NOTHING;
	vs->accept_mark = MARK_NONE;
	vs->local.family = vs->peer.family = 0;
	vs->out_end = OUT_OPEN;
	vs->in_end = IN_OPEN;
	vs->in_reader = READER_READS;
	vs->listener = 0;
	if (vs->as_listener)
		vs->as_listener->credits_wanted = vs->as_listener->credits_out = 0;
	vsock_set_state(table, vs, VSOCK_NEW);
}

void vsock_next_life(const struct instance *inst, struct vsock *vs)
{
	if (inst->link->epochs)
		vs->epoch = lfp_epoch_next(vs->epoch);
}

int vsock_take_error(struct vsock *vs, int later)
{
	int error = vs->reset ? vs->reset : later;

	vs->reset = 0;
	return error;
}

unsigned int vsock_active(const struct vsock_table *table)
{
	return (unsigned int)table->count - table->by_state[VSOCK_CLOSING];
}

void vsock_each(struct vsock_table *table, void (*fn)(void *data, struct vsock *vs), void *data)
{
	for (size_t i = 0; i < table->nr_buckets; i++) {
		struct vsock *vs, *next;

		for (vs = table->buckets[i]; vs; vs = next) {
			next = vs->hash_next;
			fn(data, vs);
		}
	}
}

static void destroy_one(void *data, struct vsock *vs)
{
	vsock_destroy(data, vs);
}

void vsock_table_finish(struct vsock_table *table)
{
	if (!table->buckets)
		return;
	vsock_each(table, destroy_one, table);
	free(table->buckets);
	free(table->names);
	table->buckets = NULL;
	table->names = NULL;
}
