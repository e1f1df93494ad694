/* SPDX-License-Identifier: Apache-2.0 */
/* share.c - counts of things by user */
#include "lfp/share.h"

#include <stdlib.h>
#include <string.h>

static struct lfp_share *share_of(struct lfp_table_link *link)
{
	return lfp_table_entry(link, struct lfp_share, link);
}

void lfp_shares_init(struct lfp_shares *shares, size_t size, void (*init)(struct lfp_share *share))
{
	memset(shares, 0, sizeof(*shares));
	shares->users.keys = LFP_KEYS_SPARSE;
	shares->size = size;
	shares->init = init;
}

struct lfp_share *lfp_share_find(const struct lfp_shares *shares, uint32_t uid)
{
	return share_of(lfp_table_find(&shares->users, uid));
}

struct lfp_share *lfp_share_take(struct lfp_shares *shares, uint32_t uid, unsigned int kind)
{
	struct lfp_share *share = lfp_share_find(shares, uid);

	if (!share) {
		share = calloc(1, shares->size);
		if (!share)
			return NULL;
		share->uid = uid;
		if (shares->init)
			shares->init(share);
		lfp_table_add(&shares->users, &share->link, uid);
	}
	share->used[kind]++;
	return share;
}

void lfp_share_drop(struct lfp_shares *shares, struct lfp_share *share, unsigned int kind)
{
	share->used[kind]--;
	for (unsigned int i = 0; i < LFP_SHARE_KINDS; i++)
		if (share->used[i])
			return;
	lfp_table_remove(&shares->users, &share->link);
	if (shares->finish)
		shares->finish(share);
	free(share);
}

struct lfp_share *lfp_share_next(const struct lfp_shares *shares, const struct lfp_share *share)
{
	return share_of(lfp_table_next(&shares->users, share ? &share->link : NULL));
}

struct lfp_share *lfp_share_most(const struct lfp_shares *shares, unsigned int kind)
{
	struct lfp_share *most = NULL, *share = NULL;

	while ((share = lfp_share_next(shares, share)))
		if (share->used[kind] > (most ? most->used[kind] : 0))
			most = share;
	return most;
}
