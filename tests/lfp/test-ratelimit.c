/* SPDX-License-Identifier: Apache-2.0 */
/* test-ratelimit.c - messages that are logged rarely */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lfp/ratelimit.h"

static void says_how_many_it_left_out(void **state)
{
	struct lfp_ratelimit limit = {0};
	char more[LFP_RATELIMIT_TEXT] = "?";

	(void)state;
	assert_true(lfp_ratelimit_due(&limit, 5000, more));
	assert_string_equal(more, "");
	for (int i = 0; i < 3; i++)
		assert_false(lfp_ratelimit_due(&limit, 5000 + LFP_RATELIMIT_MS - 1, more));
	assert_true(lfp_ratelimit_due(&limit, 5000 + LFP_RATELIMIT_MS, more));
	assert_string_equal(more, " (3 more since the last such message)");
	assert_false(lfp_ratelimit_due(&limit, 5001 + LFP_RATELIMIT_MS, more));
	assert_true(lfp_ratelimit_due(&limit, 5000 + 2 * LFP_RATELIMIT_MS, more));
	assert_string_equal(more, " (1 more since the last such message)");
	assert_true(lfp_ratelimit_due(&limit, 5000 + 3 * LFP_RATELIMIT_MS, more));
	assert_string_equal(more, "");
}

static void a_clock_may_begin_at_zero(void **state)
{
	struct lfp_ratelimit limit = {0};
	char more[LFP_RATELIMIT_TEXT];

	(void)state;
	assert_true(lfp_ratelimit_due(&limit, 0, more));
	assert_false(lfp_ratelimit_due(&limit, 1, more));
}

static void the_largest_number_has_room(void **state)
{
	struct lfp_ratelimit limit = {.told = 1, .more = UINT32_MAX};
	char more[LFP_RATELIMIT_TEXT];

	(void)state;
	assert_true(lfp_ratelimit_due(&limit, 1 + LFP_RATELIMIT_MS, more));
	assert_string_equal(more, " (4294967295 more since the last such message)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_how_many_it_left_out),
		cmocka_unit_test(a_clock_may_begin_at_zero),
		cmocka_unit_test(the_largest_number_has_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
