/* SPDX-License-Identifier: Apache-2.0 */
/* key-store.h - the keys that a key server has
 *
 * A key for two ends is made when one of them asks first, and has an id. key_store_renew() makes
 * others; the ones before stay until the next time, so that an end that has got its key just before
 * and one that asks just after still find the same one by its id. Keys are in memory only: a server
 * that is started again has others, except those that its file gives.
 */
#ifndef DEVEMU_FCES_KEY_STORE_H
#define DEVEMU_FCES_KEY_STORE_H

#include "devemu/fces/key-file.h"
#include "devemu/fces/key-message.h"

enum { KEY_PAIRS_MAX = 4096 };

struct key_pair {
	char name[2][FCES_NAME]; /* in order */
	bool fixed;
	struct fces_shared now, before; /* @before.id 0: no previous key */
};

struct key_store {
	const struct key_file *keys;
	struct key_pair *pair;
	size_t pairs, room;
};

/* @keys outlives the store. */
void key_store_init(struct key_store *store, const struct key_file *keys);
void key_store_finish(struct key_store *store); /* wipes it */

/* The key of @asker and @peer of that id (0: the newest). */
void key_store_get(struct key_store *store, const char *asker, const char *peer, uint32_t id,
		   struct key_answer *answer);

/* Another key for each pair that has none from the file. 0 or -EIO. */
int key_store_renew(struct key_store *store);

#endif
