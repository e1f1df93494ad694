/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.c - checks that free numbers suffice for all descriptors of one message */
#include "transport/passed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/resource.h>

#include "lfp/clock.h"

/*
 * Theory of operation
 *
 * The kernel gives the lowest unused number. So a number near the limit shows that nearly all are
 * used, or were at that moment. A low number does not show that the high ones are unused. From the
 * moment when a high number is seen, numbers count as short until a look finds none of the high
 * ones in use.
 */

#define LOOK_MS 100u

static atomic_uint floor_number; /* the lowest that is kept; 0: the limit is not known yet */
static atomic_bool suspected;
static unsigned int limit;
static uint64_t looked;

void numbers_start(void)
{
	struct rlimit now;

	limit = getrlimit(RLIMIT_NOFILE, &now) || now.rlim_cur > INT_MAX
			? INT_MAX
			: (unsigned int)now.rlim_cur;
	looked = 0;
	atomic_store(&suspected, true);
	atomic_store(&floor_number, limit > NUMBERS_KEPT ? limit - NUMBERS_KEPT : 1);
}

void numbers_note(int fd)
{
	unsigned int lowest = atomic_load_explicit(&floor_number, memory_order_relaxed);

	if (!lowest)
		numbers_start();
	else if (fd >= 0 && (unsigned int)fd >= lowest)
		atomic_store_explicit(&suspected, true, memory_order_relaxed);
}

/* F_GETFD does not ask the file, which may be a program's. */
static bool is_one_used(void)
{
	for (unsigned int i = limit - NUMBERS_KEPT; i < limit; i++)
		if (fcntl((int)i, F_GETFD) >= 0 || errno != EBADF)
			return true;
	return false;
}

bool numbers_are_short(void)
{
	uint64_t now;

	if (!atomic_load_explicit(&floor_number, memory_order_relaxed))
		numbers_start();
	if (!atomic_load_explicit(&suspected, memory_order_relaxed))
		return false;
	if (limit <= NUMBERS_KEPT)
		return true;
	now = lfp_now_ms();
	if (looked && now - looked < LOOK_MS)
		return true;
	looked = now;
	/* One that is noted from now on counts again. */
	atomic_store(&suspected, false);
	if (is_one_used())
		atomic_store(&suspected, true);
	return atomic_load(&suspected);
}
