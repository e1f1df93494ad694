/* SPDX-License-Identifier: Apache-2.0 */
/* ring.h - reading the ring file of a trace, also while it is written */
#ifndef LFPD_ADMIN_RING_H
#define LFPD_ADMIN_RING_H

#include <stdint.h>

#include "lfp/trace.h"

struct ring {
	int fd;
	struct lfp_trace_head head;
	struct lfp_trace_block *blocks; /* by rising number */
	uint32_t nr;
	uint64_t records; /* ever made, as far as the blocks tell */
	uint64_t gone;    /* of these, overwritten by later ones */
	uint64_t lost;    /* never written, because memory had no room for them */
};

/* Returns 0; -EPROTO if the file is not a ring file, or is damaged; or another negative errno. */
int ring_open(struct ring *ring, const char *path);
void ring_close(struct ring *ring);

/**
 * ring_each() - all records, in order
 * @one:	returns 0 to go on
 *
 * Blocks that have been overwritten meanwhile are left out, and counted in ring->gone. Return: 0,
 * what
 * @one returned, or a negative errno (-EPROTO: a block is damaged).
 */
int ring_each(struct ring *ring, int (*one)(const struct lfp_trace_record *record, void *data),
	      void *data);

#endif
