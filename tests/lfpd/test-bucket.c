/* SPDX-License-Identifier: Apache-2.0 */
/* test-bucket.c - a token bucket: what passes in which time */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lfpd/base/bucket.h"

static void fills_at_its_rate(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, 1000, 5000);
	assert_int_equal(bucket_has(&bucket, 5000), 100);
	bucket_take(&bucket, 100);
	assert_int_equal(bucket_has(&bucket, 5000), 0);
	assert_int_equal(bucket_has(&bucket, 5019), 0);
	assert_int_equal(bucket_has(&bucket, 5020), 20);
	assert_int_equal(bucket_has(&bucket, 5090), 90);
	/* Not more than 100 ms are kept. */
	assert_int_equal(bucket_has(&bucket, 9000), 100);
}

static void owes(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, 1000, 0);
	bucket_take(&bucket, 600);
	assert_int_equal(bucket_has(&bucket, 500), 0);
	assert_int_equal(bucket_has(&bucket, 519), 0);
	assert_int_equal(bucket_has(&bucket, 520), 20);
}

static void fills(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, 1000, 0);
	assert_int_equal(bucket_fills_in(&bucket, 0), 0);
	bucket_take(&bucket, 600);
	assert_int_equal(bucket_fills_in(&bucket, 0), 600);
	assert_int_equal(bucket_fills_in(&bucket, 599), 1);
	assert_int_equal(bucket_fills_in(&bucket, 600), 0);
	bucket_init(&bucket, 1, 0);
	bucket_take(&bucket, 1);
	assert_int_equal(bucket_fills_in(&bucket, 0), 1000);
}

static void extremes(void **state)
{
	struct bucket bucket;

	(void)state;
	bucket_init(&bucket, 1, 0);
	assert_int_equal(bucket_has(&bucket, 0), 1);
	bucket_take(&bucket, 1);
	assert_int_equal(bucket_has(&bucket, 999), 0);
	assert_int_equal(bucket_has(&bucket, 1000), 1);
	bucket_init(&bucket, BUCKET_RATE_MAX, 0);
	bucket_take(&bucket, 1u << 30);
	assert_int_equal(bucket_has(&bucket, UINT64_C(1) << 60), BUCKET_RATE_MAX / 10);
}

/* Whoever asks, and how often: never more than the rate and the first 100 ms, and hardly less. */
static void keeps_the_rate(void **state)
{
	const uint64_t rate = 123457;
	struct bucket bucket;
	uint64_t now = 77, passed = 0;

	(void)state;
	bucket_init(&bucket, rate, now);
	srandom(1);
	for (int i = 0; i < 20000; i++) {
		size_t has = bucket_has(&bucket, now);

		if (has) {
			has = 1 + (size_t)random() % has;
			bucket_take(&bucket, has);
			passed += has;
		}
		assert_true(passed * 1000 <= rate * (now - 77 + 100));
		now += (uint64_t)random() % 20;
	}
	assert_true(passed * 1000 >= rate * (now - 77) * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_at_its_rate),
		cmocka_unit_test(owes),
		cmocka_unit_test(fills),
		cmocka_unit_test(extremes),
		cmocka_unit_test(keeps_the_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
