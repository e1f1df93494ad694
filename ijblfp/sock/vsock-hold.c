/* SPDX-License-Identifier: Apache-2.0 */
/* vsock-hold.c - descriptors of a virtual socket, and data for its program */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/deliver.h"
#include "ijblfp/sock/peek.h"
#include "ijblfp/sock/stopper.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/urgent.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/heap.h"
#include "transport/passed.h"
#include "transport/pipes.h"

#define CHUNK_MIN 4096u /* so that tiny frames share one */

void vsock_hold_far(struct vsock *vs, const struct near_maker *maker, int far)
{
	peek_renew(vs);
	vs->far = far;
	vs->refuses = maker->takes_no_rights;
	vs->paired = true;
}

void vsock_hold_head(struct vsock *vs, int head, bool paired)
{
	vs->far = head;
	vs->paired = paired;
}

void vsock_unpair(struct vsock *vs)
{
	vs->paired = false;
}

void vsock_set_guarding(struct vsock *vs, enum guarding to)
{
	vs->guarding = lfp_transition(&guarding_states, vs->guarding, to);
}

void vsock_drop_copy(struct vsock *vs)
{
	if (vs->copy >= 0 && vs->paired)
		close(vs->copy);
	else if (vs->copy >= 0)
		passed_close_unix(vs->copy, vs->uid);
	vs->copy = -1;
}

static void drop_far(struct vsock *vs)
{
	if (vs->far >= 0 && vs->guarding != GUARD_NONE)
		passed_close_unix(vs->far, vs->uid);
	else if (vs->far >= 0 && vs->refuses)
		close(vs->far);
	else if (vs->far >= 0)
		passed_end_refusing(vs->far, vs->gate, vs->uid);
	vs->guarding = GUARD_NONE; /* past the table */
	vs->refuses = false;
	vs->far = -1;
}

/* Drops data that waits in either direction. */
static void drop_stream(struct vsock *vs)
{
	struct chunk *chunk;

	while ((chunk = vsock_first_chunk(vs)))
		vsock_chunk_free(chunk);
	lfp_list_del(&vs->stream.starved);
	peek_settle(vs); /* else the near end would have an error */
	deliver_forget_mark(vs);
	stopper_forget(vs);
	stream_rest(vs);
	urgent_drop(vs);
}

void vsock_drop(struct vsock_table *table, struct vsock *vs)
{
	if (vs->given)
		table->on_drop(vs);
	if (vs->is_datagram)
		datagram_free(vs);
	else
		drop_stream(vs);
	drop_far(vs);
	vsock_drop_copy(vs);
	lfp_list_del(&vs->place);
	lfp_list_del(&vs->swept);
}

void vsock_chunk_free(struct chunk *chunk)
{
	size_t size = chunk->size;

	lfp_list_del(&chunk->place);
	if (chunk->pipe)
		pipe_put(chunk->pipe);
	free(chunk);
	lfp_heap_freed(size);
}

/* Returns a chunk with a place for @size bytes, or NULL. */
static struct chunk *make_chunk(size_t size)
{
	struct chunk *chunk = malloc(sizeof(*chunk) + size);

	if (!chunk)
		return NULL;
	*chunk = (struct chunk){.size = size};
	lfp_list_init(&chunk->place);
	lfp_heap_taken(size);
	return chunk;
}

/* Takes the bytes out of @pipe. */
static int queue_copy(struct vsock *vs, struct held_pipe *pipe)
{
	struct chunk *chunk = make_chunk(pipe->held);

	if (!chunk)
		return -ENOMEM;
	while (pipe->held) {
		ssize_t n = pipe_take(pipe, chunk->data + chunk->to, pipe->held);

		if (n <= 0) {
			vsock_chunk_free(chunk);
			return n ? (int)n : -EIO;
		}
		chunk->to += (size_t)n;
	}
	pipe_put(pipe);
	lfp_list_append(&vs->stream.queue, &chunk->place);
	return 0;
}

int vsock_queue_pipe(struct vsock *vs, struct held_pipe *pipe)
{
	struct chunk *chunk;

	if (pipes_are_scarce())
		return queue_copy(vs, pipe);
	chunk = make_chunk(0);
	if (!chunk)
		return -ENOMEM;
	chunk->pipe = pipe;
	chunk->to = pipe->held;
	lfp_list_append(&vs->stream.queue, &chunk->place);
	return 0;
}

int vsock_queue(struct vsock *vs, const uint8_t *data, size_t len)
{
	struct lfp_list *queue = &vs->stream.queue;
	struct chunk *last = lfp_list_entry(queue->prev, struct chunk, place);
	size_t n = 0;

	if (!lfp_list_empty(queue) && !last->pipe) {
		n = last->size - last->to;
		if (n > len)
			n = len;
		memcpy(last->data + last->to, data, n);
		last->to += n;
	}
	if (n < len) {
		size_t size = len - n > CHUNK_MIN ? len - n : CHUNK_MIN;
		struct chunk *chunk = make_chunk(size);

		if (!chunk)
			return -ENOMEM;
		memcpy(chunk->data, data + n, len - n);
		chunk->to = len - n;
		lfp_list_append(&vs->stream.queue, &chunk->place);
	}
	return 0;
}
