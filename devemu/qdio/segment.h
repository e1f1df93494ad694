/* SPDX-License-Identifier: Apache-2.0 */
/* segment.h - the memory that two HiperSockets devices and the machine between them share */
#ifndef DEVEMU_QDIO_SEGMENT_H
#define DEVEMU_QDIO_SEGMENT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "devemu/qdio/qdio.h"

enum qdio_queue {
	QDIO_OUT,
	QDIO_IN,
	QDIO_CQ, /* the completion queue, an input queue of addresses of QAOBs */
	QDIO_QUEUES,
};

/* Words of one side, each on a cache line of its own. Byte order is the machine's. */
#define QDIO_LINE 256u
struct qdio_control {
	_Alignas(QDIO_LINE) _Atomic uint8_t dsci;   /* device state change: 1 since an interrupt */
	_Alignas(QDIO_LINE) _Atomic uint8_t active; /* its queues are */
	/* Transfers pending from this side: number put on the list (by this side), number taken off
	 * (by the other). While both are the same only this side's machine fills the other's input
	 * buffers, else only the other's. */
	_Alignas(QDIO_LINE) _Atomic uint64_t pended;
	_Alignas(QDIO_LINE) _Atomic uint64_t settled;
	_Atomic uint64_t fill; /* with `settled`: the buffer of the other's that is next */
};

struct qdio_pending {
	_Atomic uint64_t qaob, sequence;
};

/* One side's part of a segment. */
struct qdio_side {
	struct qdio_control *control;
	struct qdio_pending *pending;
	_Atomic uint8_t *slsb[QDIO_QUEUES];
	uint8_t *sbal[QDIO_QUEUES];
	uint64_t qaob;    /* addresses: 2 * buffers of them, one for each piece */
	uint64_t out, in; /* of memory for frames: 2 * buffers pieces, buffers pieces */
};

struct qdio_geometry {
	uint32_t frame;   /* bytes: 16, 24, 40 or 64 KB */
	uint32_t buffers; /* of a queue: QDIO_BUFFERS; a power of two from 2 on for models */
};

struct qdio_segment {
	struct qdio_geometry geometry;
	uint8_t *memory;
	size_t size;
	struct qdio_side side[2];
};

/* Make a segment: its sealed memory's descriptor, or a negative errno. */
int qdio_segment_make(struct qdio_segment *segment, struct qdio_geometry geometry);

/* Maps a segment that another process made. Return: 0; -EPROTO with @why (a half-sentence); a
 * negative errno. The descriptor is still the caller's. */
int qdio_segment_take(struct qdio_segment *segment, int fd, struct qdio_geometry geometry,
		      const char **why);
void qdio_segment_drop(struct qdio_segment *segment);

/* Pieces of memory for frames to be sent. */
static inline uint32_t qdio_pieces(const struct qdio_segment *segment)
{
	return 2 * segment->geometry.buffers;
}

#endif
