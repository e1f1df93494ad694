/* SPDX-License-Identifier: Apache-2.0 */
/* test-rates.c - rates of sockets between two looks */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lfpd-admin/rates.h"

#define HEAD "ok\ncolumns\tsocket:s\tpid:n\tto_host:n\tto_vse:n\n"

static struct rows parse(const char *text)
{
	struct rows rows;

	assert_int_equal(rows_parse(text, &rows), 0);
	return rows;
}

static void row_is(const struct rows *rows, size_t row, const char *to_host, const char *to_vse)
{
	assert_string_equal(rows_cell(rows, row, rows_find(rows, "to_host_rate")), to_host);
	assert_string_equal(rows_cell(rows, row, rows_find(rows, "to_vse_rate")), to_vse);
}

static void rates(void **state)
{
	struct rows before = parse(HEAD "row\t0x9\t1\t1000\t0\nrow\t0x1\t2\t50\t70\n"
					"row\t0x2\t3\t5\t5\nrow\t0x3\t4\t9\t9\n");
	struct rows now = parse(HEAD "row\t0x1\t2\t51\t70\nrow\t0x2\t7\t6\t6\nrow\t0x3\t4\t8\t9\n"
				     "row\t0x4\t5\t1\t1\nrow\t0x9\t1\t5000\t\n");
	struct rows out;

	(void)state;
	assert_int_equal(rates_add(&before, &now, 2, &out), 0);
	assert_int_equal(out.nr, 5);
	row_is(&out, 0, "0.5", "0.0");
	row_is(&out, 1, "", "");    /* the number has another process now */
	row_is(&out, 2, "", "0.0"); /* fewer bytes than before */
	row_is(&out, 3, "", "");    /* new */
	row_is(&out, 4, "2000", "");
	rows_finish(&out);
	assert_int_equal(rates_add(NULL, &now, 2, &out), 0);
	row_is(&out, 0, "", "");
	rows_finish(&out);
	assert_int_equal(rates_add(&before, &now, 0, &out), 0);
	row_is(&out, 0, "", "");
	rows_finish(&out);
	rows_finish(&now);
	now = parse(HEAD);
	assert_int_equal(rates_add(&before, &now, 1, &out), 0);
	assert_int_equal(out.nr, 0);
	rows_finish(&out);
	assert_int_equal(rates_add(&now, &before, 1, &out), 0);
	row_is(&out, 3, "", "");
	rows_finish(&out);
	rows_finish(&now);
	now = parse("columns\tsocket:s\n");
	assert_int_equal(rates_add(&before, &now, 1, &out), -EPROTO);
	rows_finish(&now);
	rows_finish(&before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
