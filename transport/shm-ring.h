/* SPDX-License-Identifier: Apache-2.0 */
/* shm-ring.h - a ring of packets in memory that two processes share: one writes, one reads */
#ifndef TRANSPORT_SHM_RING_H
#define TRANSPORT_SHM_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHM_LINE     256u /* bytes of a cache line, where they are longest (s390x) */
#define SHM_RING_MIN 65536u
#define SHM_RING_MAX (16u * 1024u * 1024u)

/* The shared part of one ring, each word on a cache line of its own. Byte order is the machine's.
 */
struct shm_control {
	_Alignas(SHM_LINE) _Atomic uint64_t head; /* bytes ever written; only the writer stores */
	_Alignas(SHM_LINE) _Atomic uint64_t tail; /* bytes ever released; only the reader stores */
	_Alignas(SHM_LINE) _Atomic uint32_t reader_sleeps; /* it wants its bell when head moves */
	_Alignas(SHM_LINE) _Atomic uint32_t writer_waits;  /* it wants its bell when half is free */
};

/*
 * A record is 8 bytes (length of the packet u32, 0 u32), the packet, and up to 7 bytes to a
 * multiple of 8. The memory is mapped twice, one after the other, so that each record lies in one
 * piece.
 *
 * One side's view. Its own position is only here: what it has stored for the other is never read
 * back. The other's is read once, checked, and kept in `seen`.
 */
struct shm_ring {
	struct shm_control *control;
	uint8_t *data;
	size_t size;     /* of the ring, bytes, a power of two */
	uint64_t mine;   /* writer: head; reader: tail */
	uint64_t seen;   /* writer: tail; reader: head */
	uint64_t cursor; /* reader: next record, between mine and seen */
	bool broken;     /* the other side has written an impossible value */
};

/* Returns the place for a packet of @len bytes; NULL without room, or if the ring is broken. */
uint8_t *shm_ring_place(struct shm_ring *ring, size_t len);

/* Publishes the complete packet of @len bytes at the place. */
void shm_ring_publish(struct shm_ring *ring, size_t len);

/* Asks for the bell. Returns false if there is room for @len bytes already. */
bool shm_ring_wait_room(struct shm_ring *ring, size_t len);

/* Returns true, once for each sleep of the reader, if the caller must ring its bell. */
bool shm_ring_must_wake_reader(struct shm_ring *ring);

/* Returns the length of the next packet, -EAGAIN, -EMSGSIZE (longer than @max) or -EPROTO. */
int shm_ring_next(struct shm_ring *ring, const uint8_t **packet, size_t max);

/* All packets that were given are done with. True if the writer waits for that: ring its bell. */
bool shm_ring_release(struct shm_ring *ring);

/* Returns true if there is a packet, or if the ring is broken. */
bool shm_ring_has_more(struct shm_ring *ring);

/* Asks for the bell, and looks once more. Returns false if there is a packet. */
bool shm_ring_sleep(struct shm_ring *ring);
void shm_ring_awake(struct shm_ring *ring);

/* Returns the bytes of a ring that holds @wanted bytes and two packets of @mtu bytes: a power of
 * two. */
uint32_t shm_ring_size(uint32_t wanted, uint32_t mtu);

/*
 * A wake-up costs 1 to 30 us, on both sides. So a side looks for packets for some time before it
 * sleeps, and lets others have the processor between two looks. How long is learnt: a packet that
 * comes soon after falling asleep doubles the time, up to the most; one that comes late, or a poll
 * that ends with nothing, halves it, down to none.
 */
struct shm_poll {
	uint64_t most;   /* ns; 0: never poll */
	uint64_t budget; /* ns, now */
	uint64_t since;  /* ns of the clock when this poll began, 0: none runs */
	uint64_t slept;  /* ns of the clock when it fell asleep, 0: it did not */
	uint64_t looked; /* ms of the loop's clock when `alone` was found out, 0: never */
	bool alone;      /* this process has only one CPU */
};

/* Returns true if this side may poll: not where it has one CPU only, as the peer could not work
 * meanwhile. @now_ms is in ms. */
bool shm_poll_pays(struct shm_poll *poll, uint64_t now_ms);

/* No packet is there. Returns true to look again, false to sleep. @now is in ns. */
bool shm_poll_goes_on(struct shm_poll *poll, uint64_t now, uint64_t *missed);

/* A packet has come. */
void shm_poll_hit(struct shm_poll *poll, uint64_t now, uint64_t *hit);

#endif
