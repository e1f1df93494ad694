/* SPDX-License-Identifier: Apache-2.0 */
/* packets.c - buffers for packets that are sent, and the queue of those that must wait */
#include "transport/packets.h"

#include <stdlib.h>

#include "lfp/frame.h"

#define FREE_MAX 32

static void destroy(struct packet_pool *pool, struct packet *packet)
{
	pool->allocated--;
	free(packet);
}

void packet_pool_finish(struct packet_pool *pool)
{
	while (pool->free) {
		struct packet *next = pool->free->next;

		destroy(pool, pool->free);
		pool->free = next;
	}
	pool->nr_free = 0;
}

void packet_pool_resize(struct packet_pool *pool, size_t size)
{
	packet_pool_finish(pool);
	pool->size = size;
}

struct packet *packet_get(struct packet_pool *pool)
{
	struct packet *packet = pool->free;

	if (packet) {
		pool->free = packet->next;
		pool->nr_free--;
	} else {
		packet = malloc(sizeof(*packet) + pool->size);
		if (!packet)
			return NULL;
		packet->size = pool->size;
		pool->allocated++;
	}
	packet->next = NULL;
	packet->len = LFP_PACKET_HEADER;
	packet->has_data = false;
	return packet;
}

void packet_put(struct packet_pool *pool, struct packet *packet)
{
	if (pool->nr_free >= FREE_MAX || packet->size != pool->size) {
		destroy(pool, packet);
		return;
	}
	packet->next = pool->free;
	pool->free = packet;
	pool->nr_free++;
}

void packet_queue_init(struct packet_queue *queue)
{
	*queue = (struct packet_queue){.end = &queue->first};
}

void packet_queue_append(struct packet_queue *queue, struct packet *packet)
{
	*queue->end = packet;
	queue->end = &packet->next;
	queue->bytes += packet->len;
	queue->count++;
}

struct packet *packet_queue_shift(struct packet_queue *queue)
{
	struct packet *packet = queue->first;

	queue->first = packet->next;
	if (!queue->first)
		queue->end = &queue->first;
	packet->next = NULL;
	queue->bytes -= packet->len;
	queue->count--;
	return packet;
}
