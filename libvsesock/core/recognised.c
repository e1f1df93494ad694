/* SPDX-License-Identifier: Apache-2.0 */
/* recognised.c - stream near ends of this process that need no recognition */
#include "libvsesock/core/recognised.h"

/* A word is 0, or a cookie and the two digits of an instance. */
#define NN_BITS    16
#define COOKIE_MAX (UINT64_C(1) << (64 - NN_BITS))
#define NR_WORDS   1024u /* the kernel counts cookies up, so neighbours do not meet */

static uint64_t words[NR_WORDS];

void recognised_put(uint64_t cookie, const char nn[static 2])
{
	uint64_t digits = (uint64_t)(uint8_t)nn[0] << 8 | (uint8_t)nn[1];

	if (cookie && cookie < COOKIE_MAX)
		__atomic_store_n(&words[cookie % NR_WORDS], cookie << NN_BITS | digits,
				 __ATOMIC_RELAXED);
}

bool recognised_get(uint64_t cookie, char nn[static 3])
{
	uint64_t word = __atomic_load_n(&words[cookie % NR_WORDS], __ATOMIC_RELAXED);

	if (!cookie || word >> NN_BITS != cookie)
		return false;
	nn[0] = (char)(word >> 8 & 0xff);
	nn[1] = (char)(word & 0xff);
	nn[2] = '\0';
	return true;
}
