/* SPDX-License-Identifier: Apache-2.0 */
/* batch.h - packets of one direction that an engine works on together
 *
 * Theory of operation
 *
 * The thread of the path fills batches (path.c). All packets of a batch have the same direction,
 * and either all of them are eligible for zIIPs or none is. A batch is a unit of work. Batches of a
 * direction have consecutive tickets and leave in this order. The engine that finishes the batch
 * that is due sends it and all finished ones behind it. So packets keep their order, whichever
 * engine had them. Sending is work of the same kind as the batch. An engine that may not do such
 * work hands the sending over as another unit of work.
 *
 * A finished batch that is not eligible may have to wait for an eligible one that is still queued.
 * The eligible batch then holds a resource that other work waits for: its place in the order. So it
 * is promoted (pool.h).
 */
#ifndef DEVEMU_IPSEC_BATCH_H
#define DEVEMU_IPSEC_BATCH_H

#include <pthread.h>

#include "devemu/engine/pool.h"
#include "devemu/ipsec/stack.h"

enum {
	BATCH_PACKETS = 64,
	BATCH_IN = 192 << 10, /* bytes */
	BATCH_OUT = BATCH_IN + (BATCH_PACKETS + 1) * 256 + IP_PACKET_MAX,
	BATCHES = 32,
};

struct slot {
	struct work work;
	size_t in;  /* place of the packet in batch.in */
	size_t out; /* and of the result */
	int len;    /* of the result, or a reason */
};

struct stream;

struct batch {
	struct unit unit;
	struct stream *stream;
	uint64_t ticket;
	bool done;
	unsigned int nr;
	size_t in_used;
	struct slot slot[BATCH_PACKETS];
	uint8_t in[BATCH_IN];
	uint8_t out[BATCH_OUT];
};

/* One direction. @work and @send run on engines; @send in order, one at a time. @release gets the
 * batch back. */
struct stream_ops {
	void (*work)(void *context, struct batch *batch, unsigned int engine);
	void (*send)(void *context, struct batch *batch);
	void (*release)(void *context, struct batch *batch);
};

struct stream {
	struct unit sender; /* sends what is due, for an engine that may not */
	struct pool *pool;
	const struct stream_ops *ops;
	void *context;
	pthread_mutex_t lock;
	uint64_t next, due; /* tickets: to be given, to be sent */
	bool sending;       /* an engine sends, or the sender is queued */
	struct batch *ring[BATCHES];
};

void stream_init(struct stream *stream, struct pool *pool, unsigned int class,
		 const struct stream_ops *ops, void *context);
void stream_finish(struct stream *stream);

/* Queues a filled batch. At most BATCHES may be on their way. */
void stream_submit(struct stream *stream, struct batch *batch, unsigned int class, bool eligible);

#endif
