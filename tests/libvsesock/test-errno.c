/* SPDX-License-Identifier: Apache-2.0 */
/* test-errno.c - the whole of errno-map.csv, in all number spaces, in both directions; LE/C's
 * errno.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libvsesock/vse/errno.h"

#define ROWS_MAX 256

/* The data, read by the test itself. */
static struct {
	char symbol[32];
	int number[VSE_SPACES]; /* 0: none */
} rows[ROWS_MAX];
static size_t nr_rows;

static int field(char **line)
{
	const char *text = strsep(line, ",\n");

	assert_non_null(text);
	return *text ? atoi(text) : 0;
}

static int read_data(void **state)
{
	FILE *file = fopen("libvsesock/vse/errno-map.csv", "r");
	char text[256];

	(void)state;
	assert_non_null(file);
	while (fgets(text, sizeof(text), file)) {
		char *line = text;

		if (*line != 'E')
			continue;
		assert_true(nr_rows < ROWS_MAX);
		snprintf(rows[nr_rows].symbol, sizeof(rows[0].symbol), "%s", strsep(&line, ","));
		rows[nr_rows].number[VSE_ZVSE] = field(&line);
		(void)strsep(&line, ",");
		rows[nr_rows].number[VSE_ZOS] = field(&line);
		rows[nr_rows].number[VSE_LINUX] = field(&line);
		nr_rows++;
	}
	fclose(file);
	return 0;
}

/* Linux has one number for two symbols: the library returns the other one. */
static const char *said_for(const char *symbol)
{
	if (!strcmp(symbol, "EWOULDBLOCK"))
		return "EAGAIN";
	return !strcmp(symbol, "ENOTSUP") ? "EOPNOTSUPP" : symbol;
}

static void every_row_both_ways(void **state)
{
	(void)state;
	assert_true(nr_rows > 100);
	for (size_t i = 0; i < nr_rows; i++) {
		const char *symbol = rows[i].symbol, *said = said_for(symbol);
		int error = vse_errno_of(symbol);

		assert_true(error > 0);
		assert_int_equal(vse_errno_row(i), error);
		assert_string_equal(vse_errno_symbol(error), said);
		if (rows[i].number[VSE_LINUX])
			assert_int_equal(error, rows[i].number[VSE_LINUX]);
		else
			assert_true(error >= VSE_EXTRA);
		for (int space = VSE_ZVSE; space < VSE_SPACES; space++) {
			int number = rows[i].number[space] ? rows[i].number[space]
							   : rows[i].number[VSE_ZVSE];

			assert_int_equal(vse_errno_back((enum vse_space)space, number), error);
			if (said == symbol)
				assert_int_equal(vse_errno((enum vse_space)space, error), number);
		}
	}
	assert_int_equal(vse_errno_row(nr_rows), 0);
}

static void numbers_that_programs_test(void **state)
{
	(void)state;
	assert_int_equal(vse_errno(VSE_ZVSE, EBADF), 113);
	assert_int_equal(vse_errno(VSE_ZVSE, ECONNREFUSED), 1128);
	assert_int_equal(vse_errno(VSE_ZOS, ECONNREFUSED), 61);
	assert_int_equal(vse_errno(VSE_LINUX, ECONNREFUSED), 111);
	assert_int_equal(vse_errno(VSE_ZVSE, EOPNOTSUPP), 1112);
	assert_int_equal(vse_errno(VSE_ZVSE, VSE_ELOAD), 83);
	assert_int_equal(vse_errno(VSE_ZVSE, VSE_ETRUE), 1190);
	/* EWOULDBLOCK is a number of its own. */
	assert_int_equal(vse_errno(VSE_ZVSE, EAGAIN), 112);
	assert_int_equal(vse_errno_io(VSE_ZVSE, EAGAIN), 1102);
	assert_int_equal(vse_errno_io(VSE_ZOS, EAGAIN), 35);
	assert_int_equal(vse_errno_io(VSE_LINUX, EAGAIN), 11);
	assert_int_equal(vse_errno_io(VSE_ZVSE, EPIPE), 140);
}

static void what_is_not_in_the_table(void **state)
{
	(void)state;
	assert_int_equal(vse_errno(VSE_ZVSE, 4000), vse_errno(VSE_ZVSE, EIO));
	assert_int_equal(vse_errno(VSE_ZVSE, VSE_EXTRA + 5000), vse_errno(VSE_ZVSE, EIO));
	assert_int_equal(vse_errno_back(VSE_ZVSE, 0), 0);
	assert_int_equal(vse_errno_back(VSE_ZVSE, 31999), 0);
	assert_int_equal(vse_errno_of("ENOSUCHTHING"), 0);
}

static void the_environment_chooses(void **state)
{
	(void)state;
	unsetenv("LFP_ERRNO");
	assert_int_equal(vse_space(), VSE_ZVSE);
	setenv("LFP_ERRNO", "zos", 1);
	assert_int_equal(vse_space(), VSE_ZOS);
	setenv("LFP_ERRNO", "linux", 1);
	assert_int_equal(vse_space(), VSE_LINUX);
	setenv("LFP_ERRNO", "other", 1);
	assert_int_equal(vse_space(), VSE_ZVSE);
	unsetenv("LFP_ERRNO");
}

static void les_header_says_the_same(void **state)
{
	FILE *file = fopen("include/lec/errno.h", "r");
	char text[256], symbol[32];
	size_t nr = 0;
	int number;

	(void)state;
	assert_non_null(file);
	while (fgets(text, sizeof(text), file)) {
		if (sscanf(text, "#define %31[A-Z0-9] %d", symbol, &number) != 2)
			continue;
		assert_int_equal(vse_errno_of(symbol), vse_errno_back(VSE_ZVSE, number));
		assert_string_equal(rows[nr++].symbol, symbol);
	}
	fclose(file);
	assert_int_equal(nr, nr_rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_both_ways),
		cmocka_unit_test(numbers_that_programs_test),
		cmocka_unit_test(what_is_not_in_the_table),
		cmocka_unit_test(the_environment_chooses),
		cmocka_unit_test(les_header_says_the_same),
	};

	return cmocka_run_group_tests(tests, read_data, NULL);
}
