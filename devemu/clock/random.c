/* SPDX-License-Identifier: Apache-2.0 */
/* random.c - xoshiro256** and distributions */
#include "devemu/clock/sim.h"

static uint64_t rotl(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

void random_seed(struct random *random, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += UINT64_C(0x9E3779B97F4A7C15);

		z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
		z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
		random->state[i] = z ^ z >> 31;
	}
}

uint64_t random_next(struct random *random)
{
	uint64_t *s = random->state;
	const uint64_t result = rotl(s[1] * 5, 7) * 9;
	const uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

__extension__ typedef unsigned __int128 wide;

uint64_t random_below(struct random *random, uint64_t bound)
{
	wide product;

	if (bound == 0)
		return 0;
	product = (wide)random_next(random) * bound;
	if ((uint64_t)product < bound) {
		const uint64_t unfair = -bound % bound;

		while ((uint64_t)product < unfair)
			product = (wide)random_next(random) * bound;
	}
	return (uint64_t)(product >> 64);
}

int64_t random_exponential(struct random *random, int64_t mean)
{
	uint64_t whole = 0;

	if (mean <= 0)
		return 0;
	for (;;) {
		const uint64_t first = random_next(random);
		uint64_t last = first, next;
		unsigned int falling = 1;

		while ((next = random_next(random)) < last) {
			last = next;
			falling++;
		}
		if (falling & 1) {
			const wide result = ((wide)whole << 64 | first) * (uint64_t)mean >> 64;

			return result > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)result;
		}
		whole++;
	}
}
