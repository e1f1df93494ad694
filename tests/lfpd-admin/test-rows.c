/* SPDX-License-Identifier: Apache-2.0 */
/* test-rows.c - tables of lfpd's answers, as text and as JSON */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lfpd-admin/json.h"
#include "lfpd-admin/rows.h"

static char *print(const struct rows *rows, void (*how)(const struct rows *rows, FILE *out))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	how(rows, out);
	fclose(out);
	return text;
}

static void table(void **state)
{
	static const char answer[] = "ok\ntime_us\t5\ncolumns\tname:s\tto_host:n\tlast:s\n"
				     "row\ta\t12\tx y\nrow\tlonger\t\t\n";
	struct rows rows;
	char *text;

	(void)state;
	assert_int_equal(rows_parse(answer, &rows), 0);
	assert_int_equal(rows.nr, 2);
	text = print(&rows, rows_print);
	assert_string_equal(text, "NAME    TO-HOST  LAST\n"
				  "a            12  x y\n"
				  "longer        -  -\n");
	free(text);
	text = print(&rows, rows_json);
	assert_string_equal(text, "[{\"name\": \"a\", \"to_host\": 12, \"last\": \"x y\"}, "
				  "{\"name\": \"longer\", \"to_host\": null, \"last\": null}]");
	free(text);
	rows_finish(&rows);
	assert_int_equal(rows_parse("ok\ncolumns\ta:n\n", &rows), 0);
	text = print(&rows, rows_json);
	assert_string_equal(text, "[]");
	free(text);
	rows_finish(&rows);
}

static void wrong_tables(void **state)
{
	static const char *const answers[] = {
		"ok\n",
		"ok\ncolumns\n",
		"ok\ncolumns\ta\n",
		"ok\ncolumns\t:s\n",
		"ok\ncolumns\ta:x\n",
		"ok\ncolumns\ta:s\ncolumns\tb:s\n",
		"ok\nrow\t1\n",
		"ok\ncolumns\ta:s\tb:s\nrow\t1\n",
		"ok\ncolumns\ta:s\nrow\t1\t2\n",
		"ok\ncolumns\ta:s\nrow\n",
		"ok\ncolumns\ta:n\nrow\t1x\n",
		"ok\ncolumns\ta:n\nrow\t007\n",
	};
	struct rows rows;

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (rows_parse(answers[i], &rows) != -EPROTO)
			fail_msg("taken: %s", answers[i]);
}

static void string_is(const char *text, const char *expected)
{
	char *json = NULL;
	size_t len;
	FILE *out = open_memstream(&json, &len);

	json_string(text, out);
	fclose(out);
	assert_string_equal(json, expected);
	free(json);
}

static void strings(void **state)
{
	(void)state;
	string_is("", "\"\"");
	string_is("a\"b\\c", "\"a\\\"b\\\\c\"");
	string_is("\t\x1b\x7f", "\"\\u0009\\u001b\\u007f\"");
	string_is("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		  "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
	/* alone, overlong, a surrogate, beyond U+10FFFF, cut */
	string_is("\x80", "\"\\ufffd\"");
	string_is("\xc0\x80", "\"\\ufffd\\ufffd\"");
	string_is("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
	string_is("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
	string_is("\xe2\x82", "\"\\ufffd\\ufffd\"");
}

static void numbers(void **state)
{
	(void)state;
	assert_true(json_is_number("0"));
	assert_true(json_is_number("18446744073709551615"));
	assert_true(json_is_number("0.000001"));
	assert_false(json_is_number(""));
	assert_false(json_is_number("01"));
	assert_false(json_is_number("1."));
	assert_false(json_is_number(".5"));
	assert_false(json_is_number("-1"));
	assert_false(json_is_number("1 "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(wrong_tables),
		cmocka_unit_test(strings),
		cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
