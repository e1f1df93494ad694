/* SPDX-License-Identifier: Apache-2.0 */
/* bucket.c - a token bucket: how many bytes may pass now */
#include "lfpd/base/bucket.h"

#define FULL_MS 100u
#define LONG_MS 1000000u /* the product with the highest rate fits 63 bits */

/* Returns what comes in so many ms, but at least one byte, in thousandths of a byte. */
static int64_t comes_in(const struct bucket *bucket, unsigned int ms)
{
	uint64_t comes = bucket->rate * ms;

	return (int64_t)(comes < 1000 ? 1000 : comes);
}

void bucket_init(struct bucket *bucket, uint64_t rate, uint64_t now)
{
	*bucket = (struct bucket){.rate = rate, .at = now};
	bucket->level = comes_in(bucket, FULL_MS);
}

static void fill(struct bucket *bucket, uint64_t now)
{
	int64_t full = comes_in(bucket, FULL_MS);
	uint64_t passed = now - bucket->at;

	bucket->level += (int64_t)(bucket->rate * (passed < LONG_MS ? passed : LONG_MS));
	bucket->at = now;
	if (bucket->level > full)
		bucket->level = full;
}

size_t bucket_has(struct bucket *bucket, uint64_t now)
{
	fill(bucket, now);
	return bucket->level < comes_in(bucket, BUCKET_LEAST_MS) ? 0 : (size_t)bucket->level / 1000;
}

uint64_t bucket_fills_in(struct bucket *bucket, uint64_t now)
{
	fill(bucket, now);
	return ((uint64_t)(comes_in(bucket, FULL_MS) - bucket->level) + bucket->rate - 1) /
	       bucket->rate;
}

void bucket_take(struct bucket *bucket, size_t bytes)
{
	bucket->level -= (int64_t)bytes * 1000;
}
