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

#include "lfpd-admin/rows.h"

static char *print(const struct rows *rows)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	rows_print(rows, out);
	fclose(out);
	return text;
}

static void json_is(const struct rows *rows, const char *expected)
{
	json_t *json = rows_json(rows);
	char *text = json_dumps(json, 0);

	assert_string_equal(text, expected);
	free(text);
	json_decref(json);
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
	text = print(&rows);
	assert_string_equal(text, "NAME    TO-HOST  LAST\n"
				  "a            12  x y\n"
				  "longer        -  -\n");
	free(text);
	json_is(&rows, "[{\"name\": \"a\", \"to_host\": 12, \"last\": \"x y\"}, "
		       "{\"name\": \"longer\", \"to_host\": null, \"last\": null}]");
	rows_finish(&rows);
	assert_int_equal(rows_parse("ok\ncolumns\ta:n\n", &rows), 0);
	json_is(&rows, "[]");
	rows_finish(&rows);
}

/* lfpd chooses titles, too. */
static void hostile_titles(void **state)
{
	struct rows rows;
	char *text;

	(void)state;
	assert_int_equal(rows_parse("ok\ncolumns\ta\x1b[31mb:s\tc\x7f:n\td\x9b:s\n"
				    "row\tx\t5\ty\n",
				    &rows),
			 0);
	text = print(&rows);
	assert_string_equal(text, "A?[31MB  C?  D?\n"
				  "x         5  y\n");
	free(text);
	rows_finish(&rows);
}

static void rate_columns(void **state)
{
	struct rows rows;
	char *text;

	(void)state;
	assert_int_equal(rows_parse("ok\ncolumns\ta:s\tto_host_rate:n\nrow\tx\t0.4\nrow\ty\t"
				    "999.4\nrow\tz\t999.6\nrow\tu\t99960\nrow\tv\t1.5\n"
				    "row\tw\t2500000000000\n",
				    &rows),
			 0);
	text = print(&rows);
	assert_string_equal(text, "A  TO-HOST/S\nx          0\ny        999\nz       1.0K\n"
				  "u       100K\nv          2\nw       2.5T\n");
	free(text);
	assert_int_equal(rows_find(&rows, "To-Host_RATE"), 1);
	assert_int_equal(rows_find(&rows, "tohostrate"), 1);
	assert_int_equal(rows_find(&rows, "to_host"), 2);
	assert_int_equal(rows_find(&rows, ""), 2);
	rows_finish(&rows);
}

static void amounts(void **state)
{
	static const struct {
		double amount;
		const char *plain, *bytes;
	} cases[] = {
		{0, "0", "0 B/s"},
		{999.4, "999", "999 B/s"},
		{999.6, "1.0K", "1.0 KB/s"},
		{99960, "100K", "100 KB/s"},
		{999600, "1.0M", "1.0 MB/s"},
		{2.5e12, "2.5T", "2.5 TB/s"},
	};
	char text[ROWS_VALUE];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(rows_amount(cases[i].amount, "", text), cases[i].plain);
		assert_string_equal(rows_amount(cases[i].amount, "B/s", text), cases[i].bytes);
	}
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),        cmocka_unit_test(hostile_titles),
		cmocka_unit_test(rate_columns), cmocka_unit_test(amounts),
		cmocka_unit_test(wrong_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
