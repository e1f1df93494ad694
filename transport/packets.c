/* SPDX-License-Identifier: Apache-2.0 */
/* packets.c - buffers for packets that are sent, and the queue of those that must wait */
#include "transport/packets.h"

#include <errno.h>
#include <stdlib.h>

#include "lfp/frame.h"
#include "lfp/heap.h"
#include "transport/pipes.h"

#define FREE_MAX 32

static void drop_pipe(struct packet *packet)
{
	if (packet->pipe)
		pipe_put(packet->pipe);
	packet->pipe = NULL;
}

void packet_free(struct packet *packet)
{
	size_t size = packet->size;

	drop_pipe(packet);
	free(packet);
	lfp_heap_freed(size);
}

static void destroy(struct packet_pool *pool, struct packet *packet)
{
	pool->allocated--;
	packet_free(packet);
}

void packet_pool_finish(struct packet_pool *pool)
{
	while (pool->free) {
		struct packet *next = pool->free->next;

		destroy(pool, pool->free);
		pool->free = next;
	}
	pool->nr_free = 0;
	while (pool->spare) {
		struct packet *next = pool->spare->next;

		packet_free(pool->spare);
		pool->spare = next;
	}
	pool->nr_spare = 0;
}

void packet_pool_resize(struct packet_pool *pool, size_t size)
{
	packet_pool_finish(pool);
	pool->spares_wanted = 0;
	pool->size = size;
}

static void keep_free(struct packet_pool *pool, struct packet *packet)
{
	packet->next = pool->free;
	pool->free = packet;
	pool->nr_free++;
}

static struct packet *allocate(struct packet_pool *pool)
{
	struct packet *packet = malloc(sizeof(*packet) + pool->size);

	if (!packet)
		return NULL;
	packet->size = pool->size;
	packet->pipe = NULL;
	lfp_heap_taken(pool->size);
	pool->allocated++;
	return packet;
}

int packet_pool_reserve(struct packet_pool *pool, unsigned int nr)
{
	pool->keep = nr;
	while (pool->allocated < nr) {
		struct packet *packet = allocate(pool);

		if (!packet)
			return -ENOMEM;
		keep_free(pool, packet);
	}
	return 0;
}

static void keep_spare(struct packet_pool *pool, struct packet *packet)
{
	packet->next = pool->spare;
	pool->spare = packet;
	pool->nr_spare++;
	pool->allocated--;
}

static struct packet *take_spare(struct packet_pool *pool)
{
	struct packet *packet = pool->spare;

	if (!packet)
		return NULL;
	pool->spare = packet->next;
	pool->nr_spare--;
	pool->allocated++;
	return packet;
}

void packet_pool_spare(struct packet_pool *pool, unsigned int nr)
{
	pool->spares_wanted = nr;
	while (pool->nr_spare < nr) {
		struct packet *packet = allocate(pool);

		if (!packet)
			return;
		keep_spare(pool, packet);
	}
}

static struct packet *clear(struct packet *packet)
{
	if (!packet)
		return NULL;
	packet->next = NULL;
	packet->buf = packet->memory;
	packet->len = LFP_PACKET_HEADER;
	packet->has_data = packet->shown = false;
	return packet;
}

struct packet *packet_get(struct packet_pool *pool)
{
	struct packet *packet = pool->free;

	if (!packet)
		return clear(allocate(pool));
	pool->free = packet->next;
	pool->nr_free--;
	return clear(packet);
}

struct packet *packet_get_urgent(struct packet_pool *pool)
{
	struct packet *packet = packet_get(pool);

	return packet ? packet : clear(take_spare(pool));
}

void packet_put(struct packet_pool *pool, struct packet *packet)
{
	drop_pipe(packet);
	if (pool->nr_spare < pool->spares_wanted && packet->size == pool->size) {
		keep_spare(pool, packet);
		return;
	}
	if ((pool->nr_free >= FREE_MAX && pool->nr_free >= pool->keep) ||
	    packet->size != pool->size) {
		destroy(pool, packet);
		return;
	}
	keep_free(pool, packet);
}

void packet_queue_init(struct packet_queue *queue)
{
	*queue = (struct packet_queue){.end = &queue->first};
}

/* It has come or gone: @by is 1 or -1. */
static void note(struct packet_queue *queue, const struct packet *packet, int by)
{
	size_t len = by > 0 ? packet->len : -packet->len;

	queue->bytes += len;
	queue->count += (uint32_t)by;
	if (!packet->has_data)
		queue->control_bytes += by > 0 ? packet->size : -packet->size;
}

void packet_queue_append(struct packet_queue *queue, struct packet *packet)
{
	*queue->end = packet;
	queue->end = &packet->next;
	note(queue, packet, 1);
}

struct packet *packet_queue_shift(struct packet_queue *queue)
{
	struct packet *packet = queue->first;

	queue->first = packet->next;
	if (!queue->first)
		queue->end = &queue->first;
	packet->next = NULL;
	note(queue, packet, -1);
	return packet;
}

void packet_queue_unshift(struct packet_queue *queue, struct packet *packet)
{
	packet->next = queue->first;
	if (!queue->first)
		queue->end = &packet->next;
	queue->first = packet;
	note(queue, packet, 1);
}
