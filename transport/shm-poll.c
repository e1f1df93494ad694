/* SPDX-License-Identifier: Apache-2.0 */
/* shm-poll.c - is it worth while to look for packets a little before going to sleep? */
#include "transport/shm-ring.h"

#define LEAST_NS 2000u /* a shorter poll counts as none */

static void grow(struct shm_poll *poll)
{
	poll->budget = poll->budget ? poll->budget * 2 : LEAST_NS * 2;
	if (poll->budget > poll->most)
		poll->budget = poll->most;
}

static void shrink(struct shm_poll *poll)
{
	poll->budget /= 2;
	if (poll->budget < LEAST_NS)
		poll->budget = 0;
}

bool shm_poll_goes_on(struct shm_poll *poll, uint64_t now, uint64_t *missed)
{
	if (!poll->most)
		return false;
	if (poll->budget) {
		if (!poll->since)
			poll->since = now;
		if (now - poll->since < poll->budget)
			return true;
		shrink(poll);
		++*missed;
	}
	poll->since = 0;
	poll->slept = now;
	return false;
}

void shm_poll_hit(struct shm_poll *poll, uint64_t now, uint64_t *hit)
{
	if (poll->since) {
		grow(poll);
		++*hit;
	} else if (poll->slept) {
		if (now - poll->slept < poll->most)
			grow(poll);
		else
			shrink(poll);
	}
	poll->since = poll->slept = 0;
}
