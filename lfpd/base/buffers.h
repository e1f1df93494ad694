/* SPDX-License-Identifier: Apache-2.0 */
/* buffers.h - the pool of I/O buffers, and queues of bytes in them */
#ifndef LFPD_BASE_BUFFERS_H
#define LFPD_BASE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/*
 * All buffers have the size of a packet (MTU_SIZE). INITIAL_IO_BUFS of them are allocated at the
 * start and kept; more are allocated on demand and freed once unused.
 */
struct held_pipe;

struct buffer {
	struct buffer *next;
	struct held_pipe *pipe; /* has the bytes, and data[] is not there; NULL: data[] has them */
	uint32_t start, end;    /* the bytes in use are data[start..end) */
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

/* Appends all bytes that a pipe holds, by reference; by copy while pipes are scarce. Takes the
 * pipe. Returns 0, or a negative errno: then the pipe is the caller's, and the queue lacks bytes.
 */
int queue_append_pipe(struct byte_queue *queue, struct buffer_pool *pool, struct held_pipe *pipe);

/* The pipe that has the first bytes, or NULL: queue_vector() has them. */
struct held_pipe *queue_pipe(const struct byte_queue *queue);

/* Takes the pipe with the first @len bytes off the queue: it is the caller's. */
void queue_shift_pipe(struct byte_queue *queue, size_t len);

/* Moves all bytes from pipes to buffers. Returns 0, or a negative errno if the queue has lost
 * bytes. */
int queue_empty_pipes(struct byte_queue *queue, struct buffer_pool *pool);

/* The first bytes up to those in a pipe, as an array for sendmsg(); returns how many elements, and
 * their sum in @len. */
size_t queue_vector(const struct byte_queue *queue, struct iovec *vector, size_t max, size_t *len);

/* Take @len bytes off the front. Those in a pipe have left it, or are lost with the pipe: that is
 * for all bytes of the queue at once. */
void queue_consume(struct byte_queue *queue, struct buffer_pool *pool, size_t len);

#endif
