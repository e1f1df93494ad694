/* SPDX-License-Identifier: Apache-2.0 */
/* shm-ring.c - a ring of packets in memory that two processes share: one writes, one reads */
#include "transport/shm-ring.h"

#include <errno.h>
#include <string.h>

/*
 * Theory of operation
 *
 * No wake-up is lost. A side that goes to sleep first sets its word, then checks the ring once
 * more. A writer first moves its position, then checks the other side's word. Between the two steps
 * each has a full fence, so at least one of them sees the other's change. The word is taken by
 * exchange, so that a sleep costs one wake-up, and a side that is awake costs none.
 *
 * The other side may be hostile. It can stop the traffic, or send what it likes; it cannot make
 * this side leave the ring: positions and lengths are read once and must fit what this side knows.
 */

static size_t record_size(size_t len)
{
	return (8 + len + 7) & ~(size_t)7;
}

static uint8_t *at(const struct shm_ring *ring, uint64_t position)
{
	return ring->data + (position & (ring->size - 1));
}

/* Returns true if the word was set, and clears it. */
static bool take_word(_Atomic uint32_t *word)
{
	atomic_thread_fence(memory_order_seq_cst);
	if (!atomic_load_explicit(word, memory_order_relaxed))
		return false;
	return atomic_exchange_explicit(word, 0, memory_order_acq_rel) != 0;
}

static bool has_room(struct shm_ring *ring, size_t need)
{
	uint64_t tail;

	if (ring->broken)
		return false;
	if (ring->size - (ring->mine - ring->seen) >= need)
		return true;
	tail = atomic_load_explicit(&ring->control->tail, memory_order_acquire);
	/* It goes on from where it was, and not beyond what was written. */
	if (ring->mine - tail > ring->mine - ring->seen) {
		ring->broken = true;
		return false;
	}
	ring->seen = tail;
	return ring->size - (ring->mine - ring->seen) >= need;
}

uint8_t *shm_ring_place(struct shm_ring *ring, size_t len)
{
	return has_room(ring, record_size(len)) ? at(ring, ring->mine) + 8 : NULL;
}

void shm_ring_publish(struct shm_ring *ring, size_t len)
{
	uint32_t head[2] = {(uint32_t)len, 0};

	memcpy(at(ring, ring->mine), head, sizeof(head));
	ring->mine += record_size(len);
	atomic_store_explicit(&ring->control->head, ring->mine, memory_order_release);
}

bool shm_ring_wait_room(struct shm_ring *ring, size_t len)
{
	atomic_store_explicit(&ring->control->writer_waits, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	if (!has_room(ring, record_size(len)) && !ring->broken)
		return true;
	atomic_store_explicit(&ring->control->writer_waits, 0, memory_order_relaxed);
	return false;
}

bool shm_ring_must_wake_reader(struct shm_ring *ring)
{
	return take_word(&ring->control->reader_sleeps);
}

bool shm_ring_has_more(struct shm_ring *ring)
{
	uint64_t head;

	if (ring->broken || ring->cursor != ring->seen)
		return true;
	head = atomic_load_explicit(&ring->control->head, memory_order_acquire);
	if (head == ring->seen)
		return false;
	/* It goes on from where it was, and no more is there than the ring holds. */
	if (head - ring->mine > ring->size || head - ring->mine < ring->seen - ring->mine)
		ring->broken = true;
	ring->seen = head;
	return true;
}

int shm_ring_next(struct shm_ring *ring, const uint8_t **packet, size_t max)
{
	uint64_t left;
	uint32_t len;

	if (!shm_ring_has_more(ring))
		return -EAGAIN;
	if (ring->broken)
		return -EPROTO;
	left = ring->seen - ring->cursor;
	len = *(volatile const uint32_t *)at(ring, ring->cursor);
	if (left < 8 || len > ring->size || record_size(len) > left) {
		ring->broken = true;
		return -EPROTO;
	}
	if (len > max)
		return -EMSGSIZE;
	*packet = at(ring, ring->cursor) + 8;
	ring->cursor += record_size(len);
	return (int)len;
}

bool shm_ring_release(struct shm_ring *ring)
{
	uint64_t held;

	if (ring->mine == ring->cursor)
		return false;
	ring->mine = ring->cursor;
	atomic_store_explicit(&ring->control->tail, ring->mine, memory_order_release);
	/* Counts the bytes known so far. If more have come, a later release wakes the writer. */
	held = ring->seen - ring->mine;
	return held <= ring->size / 2 && take_word(&ring->control->writer_waits);
}

bool shm_ring_sleep(struct shm_ring *ring)
{
	atomic_store_explicit(&ring->control->reader_sleeps, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	if (!shm_ring_has_more(ring))
		return true;
	shm_ring_awake(ring);
	return false;
}

void shm_ring_awake(struct shm_ring *ring)
{
	atomic_store_explicit(&ring->control->reader_sleeps, 0, memory_order_relaxed);
}
