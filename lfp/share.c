/* SPDX-License-Identifier: Apache-2.0 */
/* share.c - counts of things by user */
#include "lfp/share.h"

#include <stdlib.h>
#include <string.h>

static unsigned int bucket(uint32_t uid)
{
	return (uint32_t)(uid * UINT32_C(0x9E3779B1)) >> 24;
}

void lfp_shares_init(struct lfp_shares *shares, size_t size, void (*init)(struct lfp_share *share))
{
	memset(shares, 0, sizeof(*shares));
	shares->size = size;
	shares->init = init;
}

struct lfp_share *lfp_share_find(const struct lfp_shares *shares, uint32_t uid)
{
	struct lfp_share *share = shares->buckets[bucket(uid)];

	while (share && share->uid != uid)
		share = share->next;
	return share;
}

struct lfp_share *lfp_share_take(struct lfp_shares *shares, uint32_t uid, unsigned int kind)
{
	struct lfp_share *share = lfp_share_find(shares, uid);
	struct lfp_share **head = &shares->buckets[bucket(uid)];

	if (!share) {
		share = calloc(1, shares->size);
		if (!share)
			return NULL;
		share->uid = uid;
		if (shares->init)
			shares->init(share);
		share->next = *head;
		*head = share;
		shares->count++;
	}
	share->used[kind]++;
	return share;
}

void lfp_share_drop(struct lfp_shares *shares, struct lfp_share *share, unsigned int kind)
{
	struct lfp_share **at = &shares->buckets[bucket(share->uid)];

	share->used[kind]--;
	for (unsigned int i = 0; i < LFP_SHARE_KINDS; i++)
		if (share->used[i])
			return;
	while (*at != share)
		at = &(*at)->next;
	*at = share->next;
	shares->count--;
	free(share);
}

struct lfp_share *lfp_share_next(const struct lfp_shares *shares, const struct lfp_share *share)
{
	unsigned int at = share ? bucket(share->uid) + 1 : 0;

	if (share && share->next)
		return share->next;
	while (at < LFP_SHARE_BUCKETS && !shares->buckets[at])
		at++;
	return at < LFP_SHARE_BUCKETS ? shares->buckets[at] : NULL;
}

struct lfp_share *lfp_share_most(const struct lfp_shares *shares, unsigned int kind)
{
	struct lfp_share *most = NULL, *share = NULL;

	while ((share = lfp_share_next(shares, share)))
		if (share->used[kind] > (most ? most->used[kind] : 0))
			most = share;
	return most;
}
