/* SPDX-License-Identifier: Apache-2.0 */
/* shm-poll.c - is it worth while to look for packets a little before going to sleep? */
#include <sched.h>

#include "transport/shm-ring.h"

#define LEAST_NS 2000u /* a shorter poll counts as none */
#define LOOK_MS  100u  /* the affinity mask is looked at so often */

static bool has_one_cpu(void)
{
	cpu_set_t cpus;

	/* EINVAL: there are more CPUs than the set has room for. */
	return !sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) == 1;
}

bool shm_poll_pays(struct shm_poll *poll, uint64_t now_ms)
{
	if (!poll->most)
		return false;
	if (!poll->looked || now_ms - poll->looked >= LOOK_MS) {
		poll->looked = now_ms;
		poll->alone = has_one_cpu();
		if (poll->alone)
			poll->budget = poll->since = poll->slept = 0;
	}
	return !poll->alone;
}

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
