/* SPDX-License-Identifier: Apache-2.0 */
/* random.h - reproducible random numbers, in integers only */
#ifndef DEVEMU_RANDOM_H
#define DEVEMU_RANDOM_H

#include <stdint.h>

/* xoshiro256** 1.0 (Blackman and Vigna), its state filled from the seed by splitmix64. No floating
 * point anywhere, so that a seed means the same on every machine and with every compiler. */
struct random {
	uint64_t state[4];
};

void random_seed(struct random *random, uint64_t seed);

uint64_t random_next(struct random *random);

/* Evenly from 0 .. @bound - 1 (Lemire's multiplication, without bias); 0 for @bound 0. */
uint64_t random_below(struct random *random, uint64_t bound);

/* Exponentially distributed with the mean @mean (>= 0), by von Neumann's comparisons (1951), which
 * need no logarithm; for times between arrivals. At most INT64_MAX / 2. */
int64_t random_exponential(struct random *random, int64_t mean);

#endif
