/* SPDX-License-Identifier: Apache-2.0 */
/* share.c - each z/VSE user's part of the instance, and its limits */
#include "lfpd/users/share.h"

#include "lfpd/users/meter.h"

static void init(struct lfp_share *base)
{
	struct share *share = (struct share *)base;

	lfp_list_init(&share->paused);
	lfp_list_init(&share->jobs);
	lfp_list_init(&share->turn);
	lfp_list_init(&share->meters);
}

static void finish(struct lfp_share *base)
{
	meters_end(&((struct share *)base)->meters);
}

void shares_init(struct instance *inst)
{
	lfp_shares_init(&inst->shares, sizeof(struct share), init);
	inst->shares.finish = finish;
	lfp_list_init(&inst->turns);
}

unsigned int share_most(const struct instance *inst, enum share_kind kind)
{
	switch (kind) {
	case SHARE_SOCKETS:
		return lfpd_sockets_user(&inst->config);
	case SHARE_TASKS:
		return lfpd_tasks_user(&inst->config);
	case SHARE_LOOKUPS:
		return lfp_share_of(inst->config.max_lookups);
	case SHARE_THREADS:
		break;
	}
	return UINT32_MAX;
}

bool share_is_spent(const struct instance *inst, uint32_t uid, enum share_kind kind)
{
	const struct lfp_share *share = lfp_share_find(&inst->shares, uid);

	return share && lfp_share_is_spent(uid, share->used[kind], share_most(inst, kind));
}

struct share *share_take(struct instance *inst, uint32_t uid, enum share_kind kind)
{
	return (struct share *)lfp_share_take(&inst->shares, uid, kind);
}

void share_drop(struct instance *inst, struct share *share, enum share_kind kind)
{
	/* A listener that waits is a socket of the user itself, so the entry stays for it. */
	bool stays = !lfp_list_empty(&share->paused);

	lfp_share_drop(&inst->shares, &share->base, kind);
	if (stays && kind == SHARE_SOCKETS)
		inst->share_freed(inst, share);
}
