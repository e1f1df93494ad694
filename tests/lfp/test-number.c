/* SPDX-License-Identifier: Apache-2.0 */
/* test-number.c - strict reading of numbers */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "lfp/number.h"

struct number_case {
	const char *text;
	unsigned long min, max;
	int rc;
	unsigned long value;
};

static void number_is_decimal_and_in_range(void **state)
{
	static const struct number_case cases[] = {
		{"0", 0, 10, 0, 0},
		{"10", 0, 10, 0, 10},
		{"010", 0, 10, 0, 10},
		{"00000000000000000000000000000007", 0, 10, 0, 7},
		{"11", 0, 10, -ERANGE, 0},
		{"4", 5, 10, -ERANGE, 0},
		{"99999999999999999999999999", 0, ULONG_MAX, -ERANGE, 0},
		{"18446744073709551616", 0, ULONG_MAX, -ERANGE, 0},
		{"", 0, 10, -EINVAL, 0},
		{" 1", 0, 10, -EINVAL, 0},
		{"1 ", 0, 10, -EINVAL, 0},
		{"+1", 0, 10, -EINVAL, 0},
		{"-1", 0, ULONG_MAX, -EINVAL, 0},
		{"0x1", 0, 10, -EINVAL, 0},
		{"1K", 0, ULONG_MAX, -EINVAL, 0},
		{"1.0", 0, 10, -EINVAL, 0},
		{"1,024", 0, ULONG_MAX, -EINVAL, 0},
		{"99999999999999999999999999x", 0, 10, -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned long value = 4711;
		int rc = lfp_number(cases[i].text, cases[i].min, cases[i].max, &value);

		if (rc != cases[i].rc)
			print_error("'%s' gives %d\n", cases[i].text, rc);
		assert_int_equal(rc, cases[i].rc);
		assert_true(value == (rc ? 4711 : cases[i].value));
	}
}

static void largest_number_is_read(void **state)
{
	unsigned long value;
	char text[32];

	(void)state;
	snprintf(text, sizeof(text), "%lu", ULONG_MAX);
	assert_int_equal(lfp_number(text, 0, ULONG_MAX, &value), 0);
	assert_true(value == ULONG_MAX);
}

static void size_takes_a_suffix(void **state)
{
	static const struct number_case cases[] = {
		{"512K", 0, UINT_MAX, 0, 524288}, {"512k", 0, UINT_MAX, 0, 524288},
		{"4M", 0, UINT_MAX, 0, 4194304},  {"4m", 0, UINT_MAX, 0, 4194304},
		{"4096", 0, UINT_MAX, 0, 4096},   {"0K", 0, UINT_MAX, 0, 0},
		{"4M", 0, 4194303, -ERANGE, 0},   {"18014398509481984K", 0, ULONG_MAX, -ERANGE, 0},
		{"K", 0, UINT_MAX, -EINVAL, 0},   {"4 M", 0, UINT_MAX, -EINVAL, 0},
		{"4MB", 0, UINT_MAX, -EINVAL, 0}, {"4KK", 0, UINT_MAX, -EINVAL, 0},
		{"4G", 0, UINT_MAX, -EINVAL, 0},  {"0.5M", 0, UINT_MAX, -EINVAL, 0},
		{"", 0, UINT_MAX, -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned long value = 4711;
		int rc = lfp_size(cases[i].text, cases[i].min, cases[i].max, &value);

		if (rc != cases[i].rc)
			print_error("'%s' gives %d\n", cases[i].text, rc);
		assert_int_equal(rc, cases[i].rc);
		assert_true(value == (rc ? 4711 : cases[i].value));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(number_is_decimal_and_in_range),
		cmocka_unit_test(largest_number_is_read),
		cmocka_unit_test(size_takes_a_suffix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
