/* SPDX-License-Identifier: Apache-2.0 */
/* test-deadline.c - the timeout of recvmmsg() */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "libvsesock/core/deadline.h"

static void refuses_what_the_kernel_refuses(void **state)
{
	static const struct timespec wrong[] = {{-1, 0}, {0, -1}, {0, 1000000000}, {-1, 999999999}};
	struct timespec end;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(deadline_set(&end, &wrong[i]), -EINVAL);
}

static void none_has_passed_at_once(void **state)
{
	struct timespec end, left = {1, 1};

	(void)state;
	assert_int_equal(deadline_set(&end, &(struct timespec){0}), 0);
	assert_true(deadline_passed(&end, &left));
	assert_int_equal(left.tv_sec, 0);
	assert_int_equal(left.tv_nsec, 0);
}

static void the_rest_is_less(void **state)
{
	const struct timespec timeout = {.tv_sec = 100000, .tv_nsec = 999999999};
	struct timespec end, before = timeout, left;

	(void)state;
	assert_int_equal(deadline_set(&end, &timeout), 0);
	assert_in_range(end.tv_nsec, 0, 999999999);
	for (int i = 0; i < 1000; i++) {
		assert_false(deadline_passed(&end, &left));
		assert_in_range(left.tv_nsec, 0, 999999999);
		assert_true(left.tv_sec < before.tv_sec ||
			    (left.tv_sec == before.tv_sec && left.tv_nsec <= before.tv_nsec));
		before = left;
	}
	assert_true(left.tv_sec > 99000);
}

static void the_longest_ends_with_time(void **state)
{
	const struct timespec timeout = {.tv_sec = INT64_MAX, .tv_nsec = 999999999};
	struct timespec end, left;

	(void)state;
	assert_int_equal(deadline_set(&end, &timeout), 0);
	assert_true(end.tv_sec == INT64_MAX);
	assert_false(deadline_passed(&end, &left));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_the_kernel_refuses),
		cmocka_unit_test(none_has_passed_at_once),
		cmocka_unit_test(the_rest_is_less),
		cmocka_unit_test(the_longest_ends_with_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
