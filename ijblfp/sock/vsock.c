/* SPDX-License-Identifier: Apache-2.0 */
/* vsock.c - the virtual sockets of an instance, and how they are found */
#include "ijblfp/sock/vsock.h"

#include <stdlib.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/link.h"
#include "transport/passed.h"

static struct vsock *vsock_of(struct lfp_table_link *link)
{
	return lfp_table_entry(link, struct vsock, link);
}

void vsock_table_init(struct vsock_table *table)
{
	/* Ids count up, and so do the kernel's cookies. */
	*table = (struct vsock_table){
		.by_id.keys = LFP_KEYS_DENSE,
		.by_cookie.keys = LFP_KEYS_DENSE,
		.next_id = 1,
	};
	lfp_list_init(&table->swept);
}

struct vsock *vsock_find(const struct vsock_table *table, uint64_t id)
{
	return vsock_of(lfp_table_find(&table->by_id, id));
}

struct vsock *vsock_create(struct vsock_table *table, uint64_t id)
{
	struct vsock *vs;

	if (id && vsock_find(table, id))
		return NULL;
	vs = calloc(1, sizeof(*vs));
	if (!vs)
		return NULL;
	vs->id = id ? id : table->next_id++;
	vs->far = vs->copy = -1;
	vs->uid = PASSED_BY_NOBODY;
	vs->state = VSOCK_OPENING;
	lfp_list_init(&vs->place);
	lfp_list_init(&vs->swept);
	lfp_list_init(&vs->waiters);
	lfp_list_init(&vs->stream.urgent);
	lfp_list_init(&vs->stream.queue);
	lfp_list_init(&vs->stream.starved);
	lfp_list_init(&vs->stream.peek.place);
	lfp_table_add(&table->by_id, &vs->link, vs->id);
	table->by_state[vs->state]++;
	return vs;
}

static struct vsock_near *near_of(struct lfp_table_link *link)
{
	return lfp_table_entry(link, struct vsock_near, link);
}

static void put_near(struct vsock_table *table, struct vsock_near *near)
{
	if (near->id.name)
		lfp_table_add(&table->by_cookie, &near->link, near->id.cookie);
}

static void take_near(struct vsock_table *table, struct vsock_near *near)
{
	if (near->id.name)
		lfp_table_remove(&table->by_cookie, &near->link);
}

void vsock_destroy(struct vsock_table *table, struct vsock *vs)
{
	vsock_drop(table, vs);
	lfp_list_del(&vs->waiters);
	if (vs->as_listener)
		lfp_list_del(&vs->as_listener->records);
	free(vs->as_listener);
	for (int i = 0; i < VSOCK_NEARS; i++)
		take_near(table, &vs->near[i]);
	lfp_table_remove(&table->by_id, &vs->link);
	table->by_state[vs->state]--;
	free(vs);
}

void vsock_set_state(struct vsock_table *table, struct vsock *vs, enum vsock_state state)
{
	table->by_state[vs->state]--;
	table->by_state[state]++;
	vs->state = lfp_transition(&vsock_states, vs->state, state);
	lfp_list_del(&vs->swept);
	if (state == VSOCK_NEW || state == VSOCK_OVER)
		lfp_list_append(&table->swept, &vs->swept);
	if (state != VSOCK_ARRIVING)
		lfp_list_del(&vs->place);
}

void vsock_set_owner(struct vsock *vs, uint32_t task, uint32_t slot, uint32_t uid, bool isolated)
{
	vs->task = task;
	vs->task_slot = slot;
	vs->uid = uid;
	vs->isolated = isolated;
}

void vsock_copy_owner(struct vsock *vs, const struct vsock *from)
{
	vsock_set_owner(vs, from->task, from->task_slot, from->uid, from->isolated);
}

void vsock_inherit(struct vsock *conn, const struct vsock *vs)
{
	conn->family = vs->family;
	vsock_copy_owner(conn, vs);
	vsock_set_discards(conn, vs->discards);
	vsock_set_tells_unread(conn, vs->stream.tells_unread);
}

void vsock_set_discards(struct vsock *vs, bool discards)
{
	vs->discards = discards;
}

void vsock_set_tells_unread(struct vsock *vs, bool tells_unread)
{
	vs->stream.tells_unread = tells_unread;
}

void vsock_set_near(struct vsock_table *table, struct vsock *vs, const struct near_id *id)
{
	for (int i = 0; i < VSOCK_NEARS; i++)
		take_near(table, &vs->near[i]);
	/* Only near ends that existed are remembered. */
	for (int i = VSOCK_NEARS - 1; i && vsock_name(vs); i--)
		vs->near[i] = vs->near[i - 1];
	vs->near[0].id = *id;
	for (int i = 0; i < VSOCK_NEARS; i++) {
		vs->near[i].vs = vs;
		put_near(table, &vs->near[i]);
	}
}

void vsock_give_path(struct near_maker *maker, struct vsock *vs, int fd)
{
	near_give_path(maker, fd, &vs->near[0].id);
}

/* Returns the socket of @near, which may be NULL. */
static struct vsock *owner(const struct vsock_near *near, bool *now)
{
	if (!near)
		return NULL;
	*now = near == near->vs->near;
	return near->vs;
}

struct vsock *vsock_find_near(const struct vsock_table *table, const struct near_id *id, bool *now)
{
	struct vsock_near *near = near_of(lfp_table_find(&table->by_cookie, id->cookie));

	while (near && near->id.name != id->name)
		near = near_of(lfp_table_find_more(&near->link));
	return owner(near, now);
}

struct vsock *vsock_find_cookie(const struct vsock_table *table, uint64_t cookie, bool *now)
{
	return owner(near_of(lfp_table_find(&table->by_cookie, cookie)), now);
}

void vsock_next_life(const struct instance *inst, struct vsock *vs)
{
	if (inst->link->epochs)
		vs->epoch = lfp_epoch_next(vs->epoch);
}

void vsock_set_error(struct vsock *vs, int error)
{
	vs->reset = (uint16_t)error;
}

int vsock_take_error(struct vsock *vs, int later)
{
	int error = vs->reset ? vs->reset : later;

	vsock_set_error(vs, 0);
	return error;
}

unsigned int vsock_active(const struct vsock_table *table)
{
	return (unsigned int)table->by_id.count - table->by_state[VSOCK_CLOSING] -
	       table->by_state[VSOCK_SPARE];
}

void vsock_each(struct vsock_table *table, void (*fn)(void *data, struct vsock *vs), void *data)
{
	struct lfp_table_link *link, *next;

	for (link = lfp_table_next(&table->by_id, NULL); link; link = next) {
		next = lfp_table_next(&table->by_id, link);
		fn(data, vsock_of(link));
	}
}

static void destroy_one(void *data, struct vsock *vs)
{
	vsock_destroy(data, vs);
}

void vsock_table_finish(struct vsock_table *table)
{
	vsock_each(table, destroy_one, table);
}
