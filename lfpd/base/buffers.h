/* SPDX-License-Identifier: Apache-2.0 */
/* buffers.h - the pool of I/O buffers, and queues of bytes in them */
#ifndef LFPD_BASE_BUFFERS_H
#define LFPD_BASE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/*
 * All buffers have the size of a packet (MTU_SIZE). INITIAL_IO_BUFS of them are there from the
 * start and stay; more are allocated on demand and freed once unused.
 */
struct buffer {
	struct buffer *next;
	uint32_t start, end; /* the bytes in use are data[start..end) */
	uint8_t data[];
};

struct buffer_pool {
	size_t size; /* of one buffer, bytes */
	size_t initial;
	size_t allocated; /* free and in use */
	size_t in_use;
	struct buffer *free;
};

/* Returns 0 or -ENOMEM. Call buffers_finish() in both cases. */
int buffers_init(struct buffer_pool *pool, size_t size, size_t initial);
void buffers_finish(struct buffer_pool *pool);

/* An empty buffer, or NULL if there is no memory. */
struct buffer *buffer_get(struct buffer_pool *pool);
void buffer_put(struct buffer_pool *pool, struct buffer *buffer);

/* Bytes that wait in buffers, first in first out. All zero is an empty queue. */
struct byte_queue {
	struct buffer *head, *tail;
	size_t len;
};

/**
 * queue_append() - copy bytes to the end
 * Bytes go into the last buffer as long as there is room, so that tiny pieces do not hold big
 * buffers. Return: 0, or -ENOMEM with nothing appended.
 */
int queue_append(struct byte_queue *queue, struct buffer_pool *pool, const uint8_t *bytes,
		 size_t len);

/* The first bytes as an array for sendmsg(); returns how many elements, and their sum in @len. */
size_t queue_vector(const struct byte_queue *queue, struct iovec *vector, size_t max, size_t *len);

/* Take @len bytes off the front. */
void queue_consume(struct byte_queue *queue, struct buffer_pool *pool, size_t len);

#endif
