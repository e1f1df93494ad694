/* SPDX-License-Identifier: Apache-2.0 */
/* area.h - the data area of one CCW: its address, or a list of IDAWs or MIDAWs
 *
 * z/Architecture Principles of Operation, "Indirect-data-address word" and
 * "Modified-CCW-Indirect-Data Addressing". A list is read only as far as data moves. Words and data
 * are checked when they are used:
 *
 *   - IDAW format 1: 4 bytes, bit 0 zero; blocks of 2 KB; list on a word boundary.
 *   - IDAW format 2: 8 bytes; blocks of 4 KB, or 2 KB if the ORB says so; list on a doubleword
 *     boundary.
 *   - MIDAW: 16 bytes (5 zero, flags, count (2), address (8)); list on a quadword boundary and
 * within one page; data within a page.
 *
 * Each IDAW but the first names the start of a block (its end, when reading backward).
 */
#ifndef DEVEMU_CHANNEL_AREA_H
#define DEVEMU_CHANNEL_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "devemu/bytes/storage.h"
#include "devemu/channel/ccw.h"
#include "devemu/channel/orb.h"

#define MIDAW_LEN  16
#define MIDAW_LAST 0x80u
#define MIDAW_SKIP 0x40u

enum area_kind {
	AREA_DIRECT,
	AREA_IDAW1,
	AREA_IDAW2,
	AREA_MIDAW,
};

struct area {
	struct storage *storage;
	enum area_kind kind;
	uint8_t key;
	bool backward;
	bool first;       /* the first word of the list is still to be read */
	bool last;        /* the last MIDAW has been read */
	bool skip;        /* contents of the present MIDAW */
	uint32_t block;   /* of IDAWs: 2048 or 4096 */
	uint32_t count;   /* of the CCW, that no MIDAW has taken yet */
	uint64_t list;    /* address of the next word of the list */
	uint64_t highest; /* address that data may have */
	uint64_t addr;    /* of the next byte */
	uint64_t left;    /* bytes there before the next word is needed */
};

/* The area of a CCW that has been checked; nothing is read yet. */
void area_begin(struct area *area, struct storage *storage, const struct orb *orb,
		const struct ccw *ccw, bool backward);

/**
 * area_span() - the next bytes of an area that lie together
 * @want:	maximum length, not 0
 * @store:	to be stored into, or only fetched
 * @at:		the lowest of them; NULL if a MIDAW says that they are skipped
 * @len:	how many, 1 to @want. When reading backward the first one is the highest
 *
 * Return: 0 and the area has moved on, or the subchannel status that ends the transfer.
 */
uint8_t area_span(struct area *area, size_t want, bool store, uint8_t **at, size_t *len);

#endif
