/* SPDX-License-Identifier: Apache-2.0 */
/* test-layout.c - which columns a screen shows, and rows in order */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lfpd-admin/layout.h"

static const char table[] = "ok\ncolumns\tkind:s\tstate:s\tlocal:s\tbytes:n\tpid:n\n"
			    "row\ttcp\tlistening\t10.0.0.10:7000\t5\t17\n"
			    "row\ttcp\testablished\t[2001:db8:1111:2222::1]:443\t\t4\n"
			    "row\tudp\topen\t10.0.0.9:7000\t1000\t\n";
static const char *const important[] = {"state", "local", "none", "bytes", NULL};
static const struct order none;

static struct rows rows_of(const struct order *order)
{
	struct rows rows;

	assert_int_equal(rows_parse(table, &rows), 0);
	assert_int_equal(order_apply(order, &rows), 0);
	return rows;
}

/* Checks the title and the rows on a screen. */
static void screen_is(size_t columns, size_t first, const struct order *order, const char *expected)
{
	struct rows rows = rows_of(order);
	struct layout layout;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	layout_make(&layout, &rows, important, columns, first);
	layout_title(&layout, &rows, order, out);
	putc('\n', out);
	for (size_t r = 0; r < rows.nr; r++) {
		layout_row(&layout, &rows, r, out);
		putc('\n', out);
	}
	fclose(out);
	assert_string_equal(text, expected);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		assert_int_equal(strcspn(line, "\n"), columns);
	free(text);
	rows_finish(&rows);
}

static void wide(void **state)
{
	(void)state;
	screen_is(64, 0, &none,
		  "STATE        LOCAL                        BYTES  KIND  PID      \n"
		  "listening    10.0.0.10:7000                   5  tcp    17      \n"
		  "established  [2001:db8:1111:2222::1]:443      -  tcp     4      \n"
		  "open         10.0.0.9:7000                 1000  udp     -      \n");
	/* Nothing to the right: the first column is there, whatever was asked for. */
	screen_is(64, 3, &none,
		  "STATE        LOCAL                        BYTES  KIND  PID      \n"
		  "listening    10.0.0.10:7000                   5  tcp    17      \n"
		  "established  [2001:db8:1111:2222::1]:443      -  tcp     4      \n"
		  "open         10.0.0.9:7000                 1000  udp     -      \n");
	/* An address is cut before a column is left out. */
	screen_is(50, 0, &none,
		  "STATE        LOCAL               BYTES  KIND  PID \n"
		  "listening    10.0.0.10:7000          5  tcp    17 \n"
		  "established  <1111:2222::1]:443      -  tcp     4 \n"
		  "open         10.0.0.9:7000        1000  udp     - \n");
}

static void narrow(void **state)
{
	(void)state;
	screen_is(40, 0, &none,
		  " STATE        LOCAL              BYTES >\n"
		  " listening    10.0.0.10:7000         5 >\n"
		  " established  <111:2222::1]:443      - >\n"
		  " open         10.0.0.9:7000       1000 >\n");
	screen_is(24, 1, &none,
		  "<LOCAL                 >\n"
		  "<10.0.0.10:7000        >\n"
		  "<<b8:1111:2222::1]:443 >\n"
		  "<10.0.0.9:7000         >\n");
	/* As far to the right as there are columns. */
	screen_is(24, 9, &none,
		  "<BYTES  KIND  PID       \n"
		  "<    5  tcp    17       \n"
		  "<    -  tcp     4       \n"
		  "< 1000  udp     -       \n");
	screen_is(8, 0, &none,
		  " STATE >\n"
		  " list> >\n"
		  " esta> >\n"
		  " open  >\n");
	screen_is(1, 0, &none, " \n \n \n \n");
}

static void sorted(void **state)
{
	struct order order = {.column = "bytes"};

	(void)state;
	screen_is(40, 0, &order,
		  " STATE        LOCAL              BYTES^>\n"
		  " listening    10.0.0.10:7000         5 >\n"
		  " open         10.0.0.9:7000       1000 >\n"
		  " established  <111:2222::1]:443      - >\n");
	/* Unknown values come last in both directions. */
	order.descending = true;
	screen_is(40, 0, &order,
		  " STATE        LOCAL              BYTESv>\n"
		  " open         10.0.0.9:7000       1000 >\n"
		  " listening    10.0.0.10:7000         5 >\n"
		  " established  <111:2222::1]:443      - >\n");
	assert_int_equal(order_set(&order, "LOCAL"), 0);
	assert_int_equal(order_set_filter(&order, "7000"), 0);
	screen_is(40, 0, &order,
		  " STATE      LOCAL^          BYTES      >\n"
		  " open       10.0.0.9:7000    1000      >\n"
		  " listening  10.0.0.10:7000      5      >\n");
	/* Equal rows stay in their order. */
	assert_int_equal(order_set(&order, "-kind"), 0);
	assert_int_equal(order_set_filter(&order, "TCP"), 0);
	screen_is(40, 0, &order,
		  " STATE        LOCAL              BYTES >\n"
		  " listening    10.0.0.10:7000         5 >\n"
		  " established  <111:2222::1]:443      - >\n");
}

static void orders(void **state)
{
	struct order order = {.descending = false};
	struct rows rows;
	char text[80];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(order_set(&order, ""), -EINVAL);
	assert_int_equal(order_set(&order, "-"), -EINVAL);
	assert_int_equal(order_set(&order, text), -EINVAL);
	assert_int_equal(order_set_filter(&order, text), -EINVAL);
	assert_int_equal(order_set(&order, "colour"), 0);
	assert_int_equal(rows_parse(table, &rows), 0);
	assert_int_equal(order_apply(&order, &rows), -ENOENT);
	/* Process ids are searched, other numbers are not. */
	order.column[0] = '\0';
	assert_int_equal(order_set_filter(&order, "17"), 0);
	assert_int_equal(order_apply(&order, &rows), 0);
	assert_int_equal(rows.nr, 1);
	assert_int_equal(order_set_filter(&order, "5"), 0);
	assert_int_equal(order_apply(&order, &rows), 0);
	assert_int_equal(rows.nr, 0);
	rows_finish(&rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide),
		cmocka_unit_test(narrow),
		cmocka_unit_test(sorted),
		cmocka_unit_test(orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
