/* SPDX-License-Identifier: Apache-2.0 */
/* area.c - the data area of one CCW */
#include "lfp/bigend.h"
#include "devemu/channel/area.h"
#include "devemu/channel/status.h"

void area_begin(struct area *area, struct storage *storage, const struct orb *orb,
		const struct ccw *ccw, bool backward)
{
	*area = (struct area){
		.storage = storage,
		.kind = AREA_DIRECT,
		.key = orb->key,
		.backward = backward,
		.first = true,
		.count = ccw->count,
		.list = ccw->addr,
		.highest = orb->format1 ? STORAGE_31 : STORAGE_24,
		.addr = ccw->addr,
		.left = ccw->count,
	};
	if (ccw->flags & (CCW_IDA | CCW_MIDAW))
		area->left = 0;
	if (ccw->flags & CCW_MIDAW) {
		area->kind = AREA_MIDAW;
		area->highest = STORAGE_64;
	} else if (ccw->flags & CCW_IDA) {
		area->kind = orb->idaw64 ? AREA_IDAW2 : AREA_IDAW1;
		area->highest = orb->idaw64 ? STORAGE_64 : STORAGE_31;
		area->block = orb->idaw64 && !orb->idaw2k ? 4096 : 2048;
	}
}

static uint8_t status_of(int rc)
{
	return rc == -EACCES ? SCH_PROTECTION_CHECK : SCH_PROGRAM_CHECK;
}

/* The list itself is always below 2 GB: a CCW has no longer address. */
static uint8_t fetch_word(struct area *area, uint32_t len, uint8_t **at)
{
	int rc;

	if (area->list % len)
		return SCH_PROGRAM_CHECK;
	rc = storage_access(area->storage, area->list, len, STORAGE_31, area->key, false, at);
	if (rc)
		return status_of(rc);
	area->list += len;
	return 0;
}

static uint8_t next_idaw(struct area *area)
{
	uint8_t *word, status;
	uint64_t offset;

	status = fetch_word(area, area->kind == AREA_IDAW1 ? 4 : 8, &word);
	if (status)
		return status;
	area->addr = area->kind == AREA_IDAW1 ? be32_get(word) : be64_get(word);
	if (area->addr > area->highest)
		return SCH_PROGRAM_CHECK;
	offset = area->addr % area->block;
	if (area->backward) {
		if (!area->first && offset != area->block - 1)
			return SCH_PROGRAM_CHECK;
		area->left = offset + 1;
	} else {
		if (!area->first && offset)
			return SCH_PROGRAM_CHECK;
		area->left = area->block - offset;
	}
	area->first = false;
	return 0;
}

static uint8_t next_midaw(struct area *area)
{
	uint8_t *word, status;
	uint16_t count;
	uint64_t offset;

	/* Not beyond the last one, nor into the next page. */
	if (area->last || (!area->first && area->list % STORAGE_PAGE == 0))
		return SCH_PROGRAM_CHECK;
	status = fetch_word(area, MIDAW_LEN, &word);
	if (status)
		return status;
	count = be16_get(word + 6);
	if (be32_get(word) || word[4] || word[5] & ~(MIDAW_LAST | MIDAW_SKIP) || !count ||
	    count > area->count)
		return SCH_PROGRAM_CHECK;
	area->last = word[5] & MIDAW_LAST;
	if (area->last && count < area->count)
		return SCH_PROGRAM_CHECK;
	area->skip = word[5] & MIDAW_SKIP;
	area->addr = be64_get(word + 8);
	area->left = count;
	area->count -= count;
	area->first = false;
	offset = area->addr % STORAGE_PAGE;
	if (!area->skip && (area->backward ? count > offset + 1 : count > STORAGE_PAGE - offset))
		return SCH_PROGRAM_CHECK;
	return 0;
}

uint8_t area_span(struct area *area, size_t want, bool store, uint8_t **at, size_t *len)
{
	uint64_t n, start, size = area->storage->size;
	uint8_t status;
	int rc;

	if (!area->left) {
		status = area->kind == AREA_MIDAW ? next_midaw(area) : next_idaw(area);
		if (status)
			return status;
	}
	n = want < area->left ? want : area->left;
	*at = NULL;
	if (!area->skip) {
		if (area->addr >= size || area->addr > area->highest)
			return SCH_PROGRAM_CHECK;
		if (area->backward) {
			n = n > area->addr + 1 ? area->addr + 1 : n;
		} else {
			uint64_t there = (area->highest < size - 1 ? area->highest : size - 1) -
					 area->addr + 1;

			n = n > there ? there : n;
		}
		/* Page by page where keys matter, so that what comes before a protected page moves.
		 */
		if (area->key) {
			uint64_t offset = area->addr % STORAGE_PAGE;
			uint64_t page = area->backward ? offset + 1 : STORAGE_PAGE - offset;

			n = n > page ? page : n;
		}
		start = area->backward ? area->addr - n + 1 : area->addr;
		rc = storage_access(area->storage, start, n, area->highest, area->key, store, at);
		if (rc)
			return status_of(rc);
	}
	area->left -= n;
	area->addr = area->backward ? area->addr - n : area->addr + n;
	*len = n;
	return 0;
}
