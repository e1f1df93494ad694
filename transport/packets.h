/* SPDX-License-Identifier: Apache-2.0 */
/* packets.h - buffers for packets that are sent, and the queue of those that must wait */
#ifndef TRANSPORT_PACKETS_H
#define TRANSPORT_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct held_pipe;

struct packet {
	struct packet *next;
	size_t size; /* bytes of memory */
	size_t len;  /* bytes, with the packet's header, and with those in the pipe */
	bool has_data;
	bool shown;             /* to the path's tap */
	struct held_pipe *pipe; /* has the payload of the only frame, which is DATA; or NULL */
	uint8_t *buf;           /* memory, or a place in the transport's */
	uint8_t memory[];
};

/* Packets of one size, some of which are kept for use. */
struct packet_pool {
	struct packet *free;
	unsigned int nr_free;
	unsigned int keep;    /* so many are kept at least */
	struct packet *spare; /* for packet_get_urgent() */
	unsigned int nr_spare, spares_wanted;
	size_t size;
	uint32_t allocated; /* free or in use, without spare ones */
};

/* Another size from now on; packets of the old one vanish as they come back. */
void packet_pool_resize(struct packet_pool *pool, size_t size);

/* Allocates @nr packets of the size in force, and keeps them. Returns 0 or -ENOMEM. */
int packet_pool_reserve(struct packet_pool *pool, unsigned int nr);

/* Keeps up to @nr spare packets from now on: as many of them as there is memory for, and then those
 * that come back. */
void packet_pool_spare(struct packet_pool *pool, unsigned int nr);

/* Empty but for its header; NULL if there is no memory. */
struct packet *packet_get(struct packet_pool *pool);

/* The same for frames that must not get lost: without memory it takes a spare packet. */
struct packet *packet_get_urgent(struct packet_pool *pool);

void packet_put(struct packet_pool *pool, struct packet *packet);

/* The pool is gone. */
void packet_free(struct packet *packet);

/* Free what is kept, and the spare ones. */
void packet_pool_finish(struct packet_pool *pool);

struct packet_queue {
	struct packet *first, **end;
	size_t bytes;
	uint32_t count;
	size_t control_bytes; /* of memory that those without data take */
};

void packet_queue_init(struct packet_queue *queue);
void packet_queue_append(struct packet_queue *queue, struct packet *packet);

/* Take the first one off; there must be one. */
struct packet *packet_queue_shift(struct packet_queue *queue);

/* Put it before all others. */
void packet_queue_unshift(struct packet_queue *queue, struct packet *packet);

#endif
