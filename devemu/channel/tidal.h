/* SPDX-License-Identifier: Apache-2.0 */
/* tidal.h - the data area of a TCW: one area, or a list of TIDAWs
 *
 * A TIDAW may name any number of bytes from 1 on. The list may go into another page only by a TIDAW
 * with TTIC, which may not name another of the kind.
 */
#ifndef DEVEMU_CHANNEL_TIDAL_H
#define DEVEMU_CHANNEL_TIDAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "devemu/bytes/storage.h"

struct tidal {
	struct storage *storage;
	uint8_t key;
	bool store; /* input: bytes are stored. Output may not be skipped, input has no CBC */
	bool indirect;
	bool first, last, skip, insert_cbc;
	bool interrupt; /* set by a TIDAW that asks for an interruption; the reader clears it */
	uint64_t list;
	uint64_t addr;
	uint64_t left;
};

/* @addr is that of @count bytes, or if @indirect of the list; nothing is read yet. */
void tidal_begin(struct tidal *tidal, struct storage *storage, uint8_t key, bool store,
		 bool indirect, uint64_t addr, uint64_t count);

/* The next bytes that lie together, 1 to @want; *at is NULL if they are skipped. Returns 0 or the
 * subchannel status. */
uint8_t tidal_span(struct tidal *tidal, size_t want, uint8_t **at, size_t *len);

/**
 * tidal_cbc() - number of check bytes that an output list inserts between its @data bytes
 * @cbc:	their number: after each TIDAW that says so, what is missing to a multiple of 4, and
 * 4
 *
 * Return: 0 or the subchannel status.
 */
uint8_t tidal_cbc(const struct tidal *tidal, uint64_t data, uint32_t *cbc);

#endif
