/* SPDX-License-Identifier: Apache-2.0 */
/* key-store.c - keys for two ends each */
#include "devemu/fces/key-store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/rand.h>

void key_store_init(struct key_store *store, const struct key_file *keys)
{
	memset(store, 0, sizeof(*store));
	store->keys = keys;
}

void key_store_finish(struct key_store *store)
{
	if (store->pairs)
		OPENSSL_cleanse(store->pair, store->pairs * sizeof(*store->pair));
	free(store->pair);
	memset(store, 0, sizeof(*store));
}

static struct key_pair *more(struct key_store *store)
{
	if (store->pairs == KEY_PAIRS_MAX)
		return NULL;
	if (store->pairs == store->room) {
		const size_t room = store->room ? 2 * store->room : 16;
		struct key_pair *pair = calloc(room, sizeof(*pair));

		if (!pair)
			return NULL;
		if (store->pairs) {
			memcpy(pair, store->pair, store->pairs * sizeof(*pair));
			OPENSSL_cleanse(store->pair, store->pairs * sizeof(*pair));
		}
		free(store->pair);
		store->pair = pair;
		store->room = room;
	}
	return &store->pair[store->pairs];
}

/* Found, or made if the file says that they share one. NULL with @status. */
static struct key_pair *pair_of(struct key_store *store, const char *a, const char *b,
				enum key_status *status)
{
	const bool swap = strcmp(a, b) > 0;
	const char *first = swap ? b : a, *second = swap ? a : b;
	const struct key_share *share;
	struct key_pair *pair;

	for (size_t i = 0; i < store->pairs; i++)
		if (!strcmp(store->pair[i].name[0], first) &&
		    !strcmp(store->pair[i].name[1], second))
			return &store->pair[i];
	*status = KEY_NO_END;
	if (!key_file_end(store->keys, a) || !key_file_end(store->keys, b))
		return NULL;
	*status = KEY_NOT_SHARED;
	share = strcmp(a, b) ? key_file_share(store->keys, a, b) : NULL;
	if (!share)
		return NULL;
	*status = KEY_UNAVAILABLE;
	pair = more(store);
	if (!pair)
		return NULL;
	memset(pair, 0, sizeof(*pair));
	pair->fixed = share->fixed;
	if (share->fixed)
		memcpy(pair->now.key, share->key, FCES_KEY);
	else if (RAND_bytes(pair->now.key, FCES_KEY) != 1)
		return NULL;
	pair->now.id = 1;
	strcpy(pair->name[0], first);
	strcpy(pair->name[1], second);
	store->pairs++;
	return pair;
}

void key_store_get(struct key_store *store, const char *asker, const char *peer, uint32_t id,
		   struct key_answer *answer)
{
	const struct key_pair *pair = pair_of(store, asker, peer, &answer->status);

	if (!pair)
		return;
	answer->status = KEY_OK;
	if (!id || id == pair->now.id)
		answer->shared = pair->now;
	else if (id == pair->before.id)
		answer->shared = pair->before;
	else
		answer->status = KEY_NO_ID;
}

int key_store_renew(struct key_store *store)
{
	for (size_t i = 0; i < store->pairs; i++) {
		struct key_pair *pair = &store->pair[i];
		uint8_t key[FCES_KEY];

		if (pair->fixed)
			continue;
		if (RAND_bytes(key, FCES_KEY) != 1)
			return -EIO;
		pair->before = pair->now;
		pair->now.id = pair->now.id == UINT32_MAX ? 1 : pair->now.id + 1;
		memcpy(pair->now.key, key, FCES_KEY);
		OPENSSL_cleanse(key, sizeof(key));
	}
	return 0;
}
