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

static void order(void **state)
{
	static const char *const names[] = {"c", "missing", "a", NULL};
	struct rows rows;
	char *text;

	(void)state;
	assert_int_equal(
		rows_parse("ok\ncolumns\ta:n\tb:s\tc:s\td:s\nrow\t1\t2\t3\t4\nrow\t5\t6\t7\t8\n",
			   &rows),
		0);
	rows_put_first(&rows, names);
	text = print(&rows, rows_print);
	assert_string_equal(text, "C  A  B  D\n3  1  2  4\n7  5  6  8\n");
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(order),
		cmocka_unit_test(wrong_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
