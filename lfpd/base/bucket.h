/* SPDX-License-Identifier: Apache-2.0 */
/* bucket.h - a token bucket: how many bytes may pass now */
#ifndef LFPD_BASE_BUCKET_H
#define LFPD_BASE_BUCKET_H

#include <stddef.h>
#include <stdint.h>

/*
 * A bucket fills at its rate, up to the bytes of 100 ms. Bytes that pass are taken out of it. It
 * may owe bytes, for a datagram cannot pass in part. With less than the bytes of BUCKET_LEAST_MS it
 * lets nothing pass, so that bytes do not pass one at a time.
 */
#define BUCKET_LEAST_MS 20u
#define BUCKET_RATE_MAX (UINT64_C(1) << 40) /* bytes a second */

struct bucket {
	uint64_t rate;
	int64_t level; /* in thousandths of a byte; negative: owed */
	uint64_t at;   /* when the level was right, in ms */
};

/* Makes a full bucket. @rate: 1 to BUCKET_RATE_MAX bytes a second; @now: in ms. */
void bucket_init(struct bucket *bucket, uint64_t rate, uint64_t now);

/* Returns the bytes that may pass now; 0: none. */
size_t bucket_has(struct bucket *bucket, uint64_t now);

/* Returns the ms until it is full; 0: it is. */
uint64_t bucket_fills_in(struct bucket *bucket, uint64_t now);

/* Bytes have passed, maybe more than bucket_has() has told. */
void bucket_take(struct bucket *bucket, size_t bytes);

#endif
