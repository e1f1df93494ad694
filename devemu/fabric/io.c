/* SPDX-License-Identifier: Apache-2.0 */
/* io.c - memory of I/Os, and queues of them */
#include "devemu/fabric/io.h"

#include <stdlib.h>
#include <string.h>

#include "devemu/fabric/fabric.h"

enum { BLOCK_IOS = 256 };

struct io_block {
	struct io_block *next;
	struct io io[BLOCK_IOS];
};

void io_blocks_free(struct fabric *fabric)
{
	struct io_block *block;

	while ((block = fabric->blocks)) {
		fabric->blocks = block->next;
		free(block);
	}
}

struct io *io_take(struct fabric *fabric)
{
	struct io *io;

	if (!fabric->idle) {
		struct io_block *block = calloc(1, sizeof(*block));

		if (!block)
			return NULL;
		block->next = fabric->blocks;
		fabric->blocks = block;
		for (int i = BLOCK_IOS - 1; i >= 0; i--) {
			block->io[i].next = fabric->idle;
			fabric->idle = &block->io[i];
		}
		fabric->ios += BLOCK_IOS;
	}
	io = fabric->idle;
	fabric->idle = io->next;
	memset(io, 0, sizeof(*io));
	io->fabric = fabric;
	return io;
}

void io_release(struct io *io)
{
	io->stage = IO_IDLE;
	io->next = io->fabric->idle;
	io->fabric->idle = io;
}

void io_queue_put(struct io_queue *queue, struct io *io)
{
	io->next = NULL;
	if (queue->head)
		queue->tail->next = io;
	else
		queue->head = io;
	queue->tail = io;
	queue->length++;
}

struct io *io_queue_get(struct io_queue *queue)
{
	struct io *io = queue->head;

	if (io) {
		queue->head = io->next;
		queue->length--;
	}
	return io;
}
