/* SPDX-License-Identifier: Apache-2.0 */
/* test-json.c - values of JSON: numbers, and texts that are no UTF-8 or no good for a terminal */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json/json.h"

static void line_is(json_t *value, const char *expected)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	json_t *array = json_array();

	json_array_append_new(array, value);
	assert_int_equal(json_line(array, 0, out), 0);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void texts(void **state)
{
	(void)state;
	line_is(json_text(""), "[\"\"]\n");
	line_is(json_text("a\"b\\c"), "[\"a\\\"b\\\\c\"]\n");
	line_is(json_text("\x1b\x7f"), "[\"\\u001B\\u007f\"]\n");
	line_is(json_text("\xc3\xa4\xc2\x9b\xe2\x80\xae"), "[\"\\u00E4\\u009B\\u202E\"]\n");
	line_is(json_text("\xf0\x9f\x98\x80"), "[\"\\uD83D\\uDE00\"]\n");
	/* alone, overlong, a surrogate, beyond U+10FFFF, cut */
	line_is(json_text("a\x80z"), "[\"a\\uFFFDz\"]\n");
	line_is(json_text("\xc0\x80"), "[\"\\uFFFD\\uFFFD\"]\n");
	line_is(json_text("\xed\xa0\x80"), "[\"\\uFFFD\\uFFFD\\uFFFD\"]\n");
	line_is(json_text("\xf4\x90\x80\x80"), "[\"\\uFFFD\\uFFFD\\uFFFD\\uFFFD\"]\n");
	line_is(json_text("\xc3\xa4\xe2\x82"), "[\"\\u00E4\\uFFFD\\uFFFD\"]\n");
}

static void numbers(void **state)
{
	(void)state;
	assert_true(json_is_numeral("0"));
	assert_true(json_is_numeral("18446744073709551615"));
	assert_true(json_is_numeral("0.000001"));
	assert_false(json_is_numeral(""));
	assert_false(json_is_numeral("01"));
	assert_false(json_is_numeral("1."));
	assert_false(json_is_numeral(".5"));
	assert_false(json_is_numeral("-1"));
	assert_false(json_is_numeral("1 "));
	line_is(json_numeral("0"), "[0]\n");
	line_is(json_numeral("9223372036854775807"), "[9223372036854775807]\n");
	line_is(json_numeral("0.1"), "[0.1]\n");
	line_is(json_numeral("12.5"), "[12.5]\n");
	line_is(json_numeral("18446744073709551615"), "[1.84467440737096e19]\n");
}

static void decimals(void **state)
{
	char digits[401];

	(void)state;
	line_is(json_decimal(0.12345678), "[0.123457]\n");
	line_is(json_decimal(-2.5), "[-2.5]\n");
	line_is(json_decimal(1e308), "[1e308]\n");
	line_is(json_decimal(NAN), "[null]\n");
	line_is(json_decimal(INFINITY), "[null]\n");
	line_is(json_decimal(-INFINITY), "[null]\n");
	memset(digits, '9', sizeof(digits) - 1);
	digits[sizeof(digits) - 1] = '\0';
	line_is(json_numeral(digits), "[null]\n");
}

static void failures(void **state)
{
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_int_equal(json_line(NULL, 0, stderr), -1);
	if (!full)
		return;
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(json_line(json_array(), 0, full), -1);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(numbers),
		cmocka_unit_test(decimals),
		cmocka_unit_test(failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
