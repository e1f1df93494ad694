/* SPDX-License-Identifier: Apache-2.0 */
/* budget.c - how many records of each user the log takes */
#include "lfpd/log/budget.h"

#include <string.h>
#include <sys/random.h>

#define ONE 1000u /* tokens of a record */

void budget_init(struct budget *budget)
{
	memset(budget, 0, sizeof(*budget));
	/* Users that share an entry must be no choice of theirs. */
	if (getrandom(&budget->seed, sizeof(budget->seed), GRND_NONBLOCK) != sizeof(budget->seed))
		budget->seed = (uintptr_t)budget;
}

static struct budget_user *find(struct budget *budget, uint32_t uid, uint64_t most, uint64_t now)
{
	uint64_t h = (uid ^ budget->seed) * 0x9e3779b97f4a7c15u;
	struct budget_user *user = &budget->of[(h >> 32) % BUDGET_USERS];
	bool idle = !user->used || (now - user->at >= 1000 && !user->left_out);

	/* The entry of an idle user is as a new one. */
	if (user->uid != uid && !idle)
		return user;
	if (!user->used || user->uid != uid)
		*user = (struct budget_user){.uid = uid, .used = true, .tokens = most, .at = now};
	return user;
}

bool budget_take(struct budget *budget, uint32_t uid, unsigned int rate, uint64_t now)
{
	uint64_t most = (uint64_t)rate * ONE, passed;
	struct budget_user *user = find(budget, uid, most, now);

	passed = now - user->at;
	user->at = now;
	user->tokens += passed < 1000 ? passed * rate : most;
	if (user->tokens > most)
		user->tokens = most;
	if (user->tokens < ONE) {
		user->left_out++;
		return false;
	}
	user->tokens -= ONE;
	return true;
}

const struct budget_user *budget_take_left_out(struct budget *budget, uint64_t *count)
{
	for (size_t i = 0; i < BUDGET_USERS; i++) {
		if (!budget->of[i].left_out)
			continue;
		*count = budget->of[i].left_out;
		budget->of[i].left_out = 0;
		return &budget->of[i];
	}
	return NULL;
}
