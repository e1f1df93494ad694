/* SPDX-License-Identifier: Apache-2.0 */
/* buffers.c - the pool of I/O buffers, and queues of bytes in them */
#include "lfpd/base/buffers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/heap.h"
#include "transport/pipes.h"

static struct buffer *allocate(struct buffer_pool *pool)
{
	struct buffer *buffer = malloc(sizeof(*buffer) + pool->size);

	if (buffer)
		buffer->pipe = NULL;
	if (buffer && pool->allocated++ >= pool->initial)
		lfp_heap_taken(pool->size);
	return buffer;
}

static void destroy(struct buffer_pool *pool, struct buffer *buffer)
{
	free(buffer);
	if (pool->allocated-- > pool->initial)
		lfp_heap_freed(pool->size);
}

int buffers_init(struct buffer_pool *pool, size_t size, size_t initial)
{
	memset(pool, 0, sizeof(*pool));
	pool->size = size;
	pool->initial = initial;
	while (pool->allocated < initial) {
		struct buffer *buffer = allocate(pool);

		if (!buffer)
			return -ENOMEM;
		buffer->next = pool->free;
		pool->free = buffer;
	}
	return 0;
}

void buffers_finish(struct buffer_pool *pool)
{
	while (pool->free) {
		struct buffer *buffer = pool->free;

		pool->free = buffer->next;
		destroy(pool, buffer);
	}
}

struct buffer *buffer_get(struct buffer_pool *pool)
{
	struct buffer *buffer = pool->free;

	if (buffer)
		pool->free = buffer->next;
	else
		buffer = allocate(pool);
	if (!buffer)
		return NULL;
	pool->in_use++;
	buffer->next = NULL;
	buffer->start = buffer->end = 0;
	return buffer;
}

void buffer_put(struct buffer_pool *pool, struct buffer *buffer)
{
	pool->in_use--;
	if (pool->allocated > pool->initial) {
		destroy(pool, buffer);
		return;
	}
	buffer->next = pool->free;
	pool->free = buffer;
}

/* A chain of empty buffers for @len bytes; NULL if there is no memory for all of them. */
static struct buffer *get_chain(struct buffer_pool *pool, size_t len)
{
	struct buffer *chain = NULL;

	for (size_t room = 0; room < len; room += pool->size) {
		struct buffer *buffer = buffer_get(pool);

		if (!buffer) {
			while (chain) {
				buffer = chain;
				chain = chain->next;
				buffer_put(pool, buffer);
			}
			return NULL;
		}
		buffer->next = chain;
		chain = buffer;
	}
	return chain;
}

static size_t fill(struct buffer *buffer, size_t size, const uint8_t *bytes, size_t len)
{
	size_t room = size - buffer->end;
	size_t part = len < room ? len : room;

	memcpy(buffer->data + buffer->end, bytes, part);
	buffer->end += (uint32_t)part;
	return part;
}

static size_t room_at_end(const struct byte_queue *queue, const struct buffer_pool *pool)
{
	return queue->tail && !queue->tail->pipe ? pool->size - queue->tail->end : 0;
}

static void append(struct byte_queue *queue, struct buffer *buffer)
{
	buffer->next = NULL;
	if (queue->tail)
		queue->tail->next = buffer;
	else
		queue->head = buffer;
	queue->tail = buffer;
}

int queue_append(struct byte_queue *queue, struct buffer_pool *pool, const uint8_t *bytes,
		 size_t len)
{
	size_t room = room_at_end(queue, pool);
	struct buffer *chain = NULL;
	size_t done = 0;

	if (len > room) {
		chain = get_chain(pool, len - room);
		if (!chain)
			return -ENOMEM;
	}
	if (room)
		done = fill(queue->tail, pool->size, bytes, len);
	while (chain) {
		struct buffer *buffer = chain;

		chain = chain->next;
		done += fill(buffer, pool->size, bytes + done, len - done);
		append(queue, buffer);
	}
	queue->len += len;
	return 0;
}

struct held_pipe *queue_pipe(const struct byte_queue *queue)
{
	return queue->head ? queue->head->pipe : NULL;
}

void queue_shift_pipe(struct byte_queue *queue, size_t len)
{
	struct buffer *buffer = queue->head;

	queue->head = buffer->next;
	if (!queue->head)
		queue->tail = NULL;
	queue->len -= len;
	free(buffer);
}

static void free_piped(struct buffer *buffer)
{
	pipe_put(buffer->pipe);
	free(buffer);
}

/* Moves all bytes of @pipe to the end of the queue. */
static int empty_pipe(struct byte_queue *queue, struct buffer_pool *pool, struct held_pipe *pipe)
{
	while (pipe->held) {
		struct buffer *buffer = buffer_get(pool);
		ssize_t n = buffer ? pipe_take(pipe, buffer->data, pool->size) : -ENOMEM;

		if (n <= 0) {
			if (buffer)
				buffer_put(pool, buffer);
			return n ? (int)n : -EIO;
		}
		buffer->end = (uint32_t)n;
		append(queue, buffer);
		queue->len += (size_t)n;
	}
	return 0;
}

int queue_append_pipe(struct byte_queue *queue, struct buffer_pool *pool, struct held_pipe *pipe)
{
	struct buffer *buffer;
	int rc;

	if (pipes_are_scarce()) {
		rc = empty_pipe(queue, pool, pipe);
		if (!rc)
			pipe_put(pipe);
		return rc;
	}
	buffer = malloc(sizeof(*buffer));
	if (!buffer)
		return -ENOMEM;
	*buffer = (struct buffer){.pipe = pipe, .end = pipe->held};
	append(queue, buffer);
	queue->len += pipe->held;
	return 0;
}

int queue_empty_pipes(struct byte_queue *queue, struct buffer_pool *pool)
{
	struct byte_queue old = *queue;
	int rc = 0;

	*queue = (struct byte_queue){0};
	while (old.head) {
		struct buffer *buffer = old.head;

		old.head = buffer->next;
		if (!buffer->pipe) {
			append(queue, buffer);
			queue->len += buffer->end - buffer->start;
			continue;
		}
		if (!rc)
			rc = empty_pipe(queue, pool, buffer->pipe);
		free_piped(buffer);
	}
	return rc;
}

size_t queue_vector(const struct byte_queue *queue, struct iovec *vector, size_t max, size_t *len)
{
	struct buffer *buffer = queue->head;
	size_t nr = 0;

	*len = 0;
	for (; buffer && !buffer->pipe && nr < max; buffer = buffer->next, nr++) {
		vector[nr].iov_base = buffer->data + buffer->start;
		vector[nr].iov_len = buffer->end - buffer->start;
		*len += vector[nr].iov_len;
	}
	return nr;
}

void queue_consume(struct byte_queue *queue, struct buffer_pool *pool, size_t len)
{
	queue->len -= len;
	while (len) {
		struct buffer *buffer = queue->head;
		size_t part = buffer->end - buffer->start;

		if (len < part) {
			buffer->start += (uint32_t)len;
			return;
		}
		len -= part;
		queue->head = buffer->next;
		if (!queue->head)
			queue->tail = NULL;
		if (buffer->pipe)
			free_piped(buffer);
		else
			buffer_put(pool, buffer);
	}
}
