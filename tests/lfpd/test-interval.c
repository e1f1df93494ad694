/* SPDX-License-Identifier: Apache-2.0 */
/* test-interval.c - the times of an interval of HISTORY */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lfpd/watch/interval.h"

#define S UINT64_C(1000000)

static void test_due(void **state)
{
	(void)state;
	assert_int_equal(interval_due(120 * S, 60), 180 * S);
	assert_int_equal(interval_due(120 * S + 1, 60), 180 * S);
	assert_int_equal(interval_due(180 * S - 1, 60), 180 * S);
	assert_int_equal(interval_due(0, 3600), 3600 * S);
}

/* The clock of a machine without a battery begins at 1970: the interval has no end before its
 * begin, which would be a damaged record. */
static void test_begin(void **state)
{
	(void)state;
	assert_int_equal(interval_begin(180 * S, 60 * S), 120 * S);
	assert_int_equal(interval_begin(60 * S, 60 * S), 0);
	assert_int_equal(interval_begin(5 * S, 60 * S), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_due),
		cmocka_unit_test(test_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
