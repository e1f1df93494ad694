/* SPDX-License-Identifier: Apache-2.0 */
/* tidal.c - the data area of a TCW */
#include "devemu/channel/status.h"
#include "devemu/channel/tcw.h"
#include "devemu/channel/tidal.h"

void tidal_begin(struct tidal *tidal, struct storage *storage, uint8_t key, bool store,
		 bool indirect, uint64_t addr, uint64_t count)
{
	*tidal = (struct tidal){
		.storage = storage,
		.key = key,
		.store = store,
		.indirect = indirect,
		.first = true,
		.list = addr,
		.addr = addr,
		.left = indirect ? 0 : count,
	};
}

static uint8_t status_of(int rc)
{
	return rc == -EACCES ? SCH_PROTECTION_CHECK : SCH_PROGRAM_CHECK;
}

static uint8_t fetch(struct tidal *tidal, struct tidaw *tidaw)
{
	uint8_t *at;
	int rc;

	if (tidal->list % TIDAW_LEN)
		return SCH_PROGRAM_CHECK;
	rc = storage_access(tidal->storage, tidal->list, TIDAW_LEN, STORAGE_64, tidal->key, false,
			    &at);
	if (rc)
		return status_of(rc);
	if (tidaw_decode(at, tidaw))
		return SCH_PROGRAM_CHECK;
	tidal->list += TIDAW_LEN;
	return 0;
}

static uint8_t next_tidaw(struct tidal *tidal)
{
	struct tidaw tidaw;
	uint8_t status, bad;

	if (!tidal->indirect || tidal->last)
		return SCH_PROGRAM_CHECK;
	if (!tidal->first && tidal->list % STORAGE_PAGE == 0) {
		/* Only a TTIC at the end of the page would have led there. */
		return SCH_PROGRAM_CHECK;
	}
	status = fetch(tidal, &tidaw);
	if (status)
		return status;
	if (tidaw.flags & TIDAW_TTIC) {
		if (tidaw.flags != TIDAW_TTIC || tidaw.count)
			return SCH_PROGRAM_CHECK;
		tidal->list = tidaw.addr;
		status = fetch(tidal, &tidaw);
		if (status)
			return status;
		if (tidaw.flags & TIDAW_TTIC)
			return SCH_PROGRAM_CHECK;
	}
	bad = tidal->store ? TIDAW_INSERT_CBC : TIDAW_SKIP;
	if (tidaw.flags & bad || !tidaw.count)
		return SCH_PROGRAM_CHECK;
	tidal->first = false;
	tidal->last = tidaw.flags & TIDAW_LAST;
	tidal->skip = tidaw.flags & TIDAW_SKIP;
	tidal->insert_cbc = tidaw.flags & TIDAW_INSERT_CBC;
	tidal->interrupt |= (tidaw.flags & TIDAW_DATA_INT) != 0;
	tidal->addr = tidaw.addr;
	tidal->left = tidaw.count;
	return 0;
}

uint8_t tidal_span(struct tidal *tidal, size_t want, uint8_t **at, size_t *len)
{
	uint64_t n, there, page;
	uint8_t status;
	int rc;

	if (!tidal->left) {
		status = next_tidaw(tidal);
		if (status)
			return status;
	}
	n = want < tidal->left ? want : tidal->left;
	*at = NULL;
	if (!tidal->skip) {
		if (tidal->addr >= tidal->storage->size)
			return SCH_PROGRAM_CHECK;
		there = tidal->storage->size - tidal->addr;
		n = n > there ? there : n;
		if (tidal->key) {
			page = STORAGE_PAGE - tidal->addr % STORAGE_PAGE;
			n = n > page ? page : n;
		}
		rc = storage_access(tidal->storage, tidal->addr, n, STORAGE_64, tidal->key,
				    tidal->store, at);
		if (rc)
			return status_of(rc);
	}
	tidal->addr += n;
	tidal->left -= n;
	*len = n;
	return 0;
}

uint8_t tidal_cbc(const struct tidal *tidal, uint64_t data, uint32_t *cbc)
{
	struct tidal walk = *tidal;
	uint64_t sum = 0, sent = 0;
	uint8_t status;

	*cbc = 0;
	if (!walk.indirect)
		return 0;
	while (sum < data) {
		status = next_tidaw(&walk);
		if (status)
			return status;
		sum += walk.left;
		sent += walk.left;
		if (walk.insert_cbc && !walk.last) {
			uint32_t add = (uint32_t)(4 + (4 - sent % 4) % 4);

			*cbc += add;
			sent += add;
		}
	}
	return 0;
}
