/* SPDX-License-Identifier: Apache-2.0 */
/* budget.c - how many records of each user the log takes */
#include "lfpd/log/budget.h"

#define ONE     1000u /* tokens of a record */
#define IDLE_MS 1000u /* by then a user has all its tokens again */

enum kind {
	WAITS, /* records that wait for their file */
	OWED,  /* 1 while records were left out and no record says so */
	BUSY,  /* 1 until the user was idle for IDLE_MS */
};

struct budget_user {
	struct lfp_share base; /* first member */
	uint64_t tokens;       /* thousandths of a record */
	uint64_t at;           /* ms, when they were counted */
	uint64_t left_out;
};

static struct budget_user *find(const struct budget *budget, uint32_t uid)
{
	return (struct budget_user *)lfp_share_find(&budget->users, uid);
}

void budget_init(struct budget *budget, unsigned int places)
{
	lfp_shares_init(&budget->users, sizeof(struct budget_user), NULL);
	budget->most = lfp_share_of(places);
	budget->last_look = 0;
}

static struct lfp_share *drop(struct budget *budget, struct lfp_share *share, enum kind kind)
{
	struct lfp_share *next = lfp_share_next(&budget->users, share);

	lfp_share_drop(&budget->users, share, kind);
	return next;
}

void budget_finish(struct budget *budget)
{
	struct lfp_share *share;

	while ((share = lfp_share_next(&budget->users, NULL))) {
		for (unsigned int i = 0; i < LFP_SHARE_KINDS; i++)
			share->used[i] = 0;
		share->used[BUSY] = 1;
		lfp_share_drop(&budget->users, share, BUSY);
	}
}

/* Once in IDLE_MS, so that it costs nothing with many users. */
static void forget_idle(struct budget *budget, uint64_t now)
{
	struct lfp_share *share = lfp_share_next(&budget->users, NULL);

	if (now - budget->last_look < IDLE_MS)
		return;
	budget->last_look = now;
	while (share) {
		const struct budget_user *user = (const struct budget_user *)share;

		if (share->used[BUSY] && now - user->at >= IDLE_MS)
			share = drop(budget, share, BUSY);
		else
			share = lfp_share_next(&budget->users, share);
	}
}

/* Returns the entry of a user that makes a record, or NULL without memory. */
static struct budget_user *busy(struct budget *budget, uint32_t uid, uint64_t most, uint64_t now)
{
	struct budget_user *user = find(budget, uid);

	if (user && user->base.used[BUSY])
		return user;
	user = (struct budget_user *)lfp_share_take(&budget->users, uid, BUSY);
	if (user) {
		user->tokens = most;
		user->at = now;
	}
	return user;
}

static void count(struct budget *budget, struct budget_user *user)
{
	user->left_out++;
	if (!user->base.used[OWED])
		(void)lfp_share_take(&budget->users, user->base.uid, OWED);
}

bool budget_take(struct budget *budget, uint32_t uid, unsigned int rate, uint64_t now)
{
	uint64_t most = (uint64_t)rate * ONE, passed;
	struct budget_user *user;

	forget_idle(budget, now);
	user = busy(budget, uid, most, now);
	/* Without memory for the entry the record is better than none. */
	if (!user)
		return true;
	passed = now - user->at;
	user->at = now;
	user->tokens += passed < IDLE_MS ? passed * rate : most;
	if (user->tokens > most)
		user->tokens = most;
	if (user->tokens < ONE || lfp_share_is_spent(uid, user->base.used[WAITS], budget->most)) {
		count(budget, user);
		return false;
	}
	user->tokens -= ONE;
	return true;
}

bool budget_leave_out(struct budget *budget, uint32_t uid)
{
	struct budget_user *user = find(budget, uid);

	if (user)
		count(budget, user);
	return user;
}

void budget_put(struct budget *budget, uint32_t uid)
{
	(void)lfp_share_take(&budget->users, uid, WAITS);
}

void budget_written(struct budget *budget, uint32_t uid)
{
	struct lfp_share *share = lfp_share_find(&budget->users, uid);

	/* There was no memory for the entry when the record was put. */
	if (share && share->used[WAITS])
		lfp_share_drop(&budget->users, share, WAITS);
}

uint64_t budget_left_out(const struct budget *budget, bool any, uint32_t *uid)
{
	struct lfp_share *share = NULL;

	while ((share = lfp_share_next(&budget->users, share))) {
		bool full = lfp_share_is_spent(share->uid, share->used[WAITS], budget->most);

		if (!share->used[OWED] || (full && !any))
			continue;
		*uid = share->uid;
		return ((const struct budget_user *)share)->left_out;
	}
	return 0;
}

void budget_told(struct budget *budget, uint32_t uid)
{
	struct budget_user *user = find(budget, uid);

	user->left_out = 0;
	lfp_share_drop(&budget->users, &user->base, OWED);
}
