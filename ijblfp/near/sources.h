/* SPDX-License-Identifier: Apache-2.0 */
/* sources.h - sockets whose names give the sender of a datagram */
#ifndef IJBLFP_NEAR_SOURCES_H
#define IJBLFP_NEAR_SOURCES_H

#include <stdint.h>

#include "ijblfp/near/near.h"
#include "lfp/datagram.h"

/*
 * The kernel keeps the sender's name with each datagram, even after the sender is closed. So a few
 * sockets are enough: the least recently used one makes room for a new one.
 */
#define SOURCES_MAX 64u

struct sources {
	struct source {
		int fd;        /* -1: free */
		uint64_t near; /* the near end that it is connected to; 0: none, it only shows the
				  name */
		struct lfp_meta meta;
		uint64_t used; /* the set's clock, at its last use */
	} all[SOURCES_MAX];
	uint64_t clock, nonce;
	struct near_network *network; /* where they are made */
};

void sources_init(struct sources *sources, uint64_t nonce, struct near_network *network);
void sources_finish(struct sources *sources);

/* Makes a new socket named after a source, which the caller closes. Returns a descriptor or a
 * negative errno. */
int sources_make(struct sources *sources, const struct lfp_meta *meta);

/* Returns the source connected to near end @near (0: to none): a descriptor that stays the set's,
 * valid until the next call, or a negative errno. */
int sources_get(struct sources *sources, struct near_maker *maker, uint64_t near,
		const struct lfp_meta *meta);

/* Forgets a near end that is closed. */
void sources_drop(struct sources *sources, uint64_t near);

#endif
