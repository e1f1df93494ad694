/* SPDX-License-Identifier: Apache-2.0 */
/* test-report.c - reports: times, whole words on narrow lines, and histories with nothing to divide
 * by */
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "json/json.h"
#include "lfpd-admin/history.h"
#include "lfpd-admin/report.h"
#include "lfpd-admin/when.h"
#include "lfpd-admin/wrap.h"

#define DAY  1795910400 /* 2026-11-29T00:00:00Z */
#define NOON (DAY + 12 * 3600)

static char *output;
static size_t output_len;

static FILE *out(void)
{
	FILE *stream = open_memstream(&output, &output_len);

	assert_non_null(stream);
	return stream;
}

static void is(FILE *stream, const char *expected)
{
	fclose(stream);
	assert_string_equal(output, expected);
	free(output);
}

static void test_times(void **state)
{
	static const struct {
		const char *text;
		uint64_t seconds;
	} good[] = {
		{"2026-11-29", DAY},
		{"2026-11-29T12:00", NOON},
		{"2026-11-29 12:00:05", NOON + 5},
		{"2026-11-29T12:00:05Z", NOON + 5},
		{"12:00", NOON},
		{"12:00:05Z", NOON + 5},
		{"00:00", DAY},
		{"2028-02-29", 1835395200},
		{"1970-01-01", 0},
	};
	static const char *const bad[] = {
		"",
		"12",
		"12:0",
		"24:00",
		"12:60",
		"12:00:60",
		"12:00:5",
		"2026-11-31",
		"2027-02-29",
		"2026-13-01",
		"2026-11-29T",
		"2026-11-29T12",
		"2026/11/29",
		"2026-11-29 12:00 x",
		"1969-12-31",
		"now",
		"-1:00",
		"2026-11-29TZ",
	};
	uint64_t us;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		char back[WHEN_TEXT];

		assert_int_equal(when_read(good[i].text, NOON + 77, &us), 0);
		assert_int_equal(us, good[i].seconds * 1000000);
		assert_int_equal(when_read(when_text(us, back), 0, &us), 0);
		assert_int_equal(us, good[i].seconds * 1000000);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (!when_read(bad[i], NOON, &us))
			fail_msg("'%s' is taken", bad[i]);
}

/* A line has at most so many columns, unless it is one word. */
static void test_wrap(void **state)
{
	static const char answer[] =
		"columns\tstate:s\tlocal:s\tpeer:s\tpid:n\n"
		"row\tnew\t[2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff]:65535\t[::1]:80\t17\n"
		"row\t\033[31m\t\t10.0.0.1:7000\t\n";
	struct wrap wrap = {.width = 40};
	struct rows rows;

	(void)state;
	assert_int_equal(rows_parse(answer, &rows), 0);
	wrap.out = out();
	wrap_row(&wrap, &rows, 0);
	wrap_row(&wrap, &rows, 1);
	is(wrap.out, "STATE new LOCAL\n"
		     "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff\n"
		     "port 65535 PEER [::1]:80 PID 17\n"
		     "STATE ?[31m PEER 10.0.0.1:7000\n");
	wrap = (struct wrap){.width = 80, .out = out()};
	wrap_row(&wrap, &rows, 0);
	is(wrap.out,
	   "STATE new LOCAL [2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff]:65535 PEER [::1]:80 PID\n"
	   "17\n");
	wrap = (struct wrap){.width = 1, .out = out()};
	wrap_row(&wrap, &rows, 1);
	is(wrap.out, "STATE\n?[31m\nPEER\n10.0.0.1:7000\n");
	rows_finish(&rows);
}

static uint64_t values[2][2];
static struct lfp_history_record records[2] = {
	{.serial = 1, .run = 1, .begin = 0, .end = 10000000, .values = values[0]},
	{.serial = 2, .run = 2, .begin = 10000000, .end = 30000000, .values = values[1]},
};
static struct lfp_history history = {
	.instance = "LINR02",
	.columns = 2,
	.column = {{LFP_HISTORY_COUNTER, "stream_bytes_to_vse"}, {LFP_HISTORY_COUNTER_US, "cpu"}},
	.nr = 2,
	.records = records,
};

static void test_sums(void **state)
{
	(void)state;
	values[0][0] = 1000, values[1][0] = 2000;
	assert_int_equal(history_sum(&history, "stream_bytes_to_vse"), 3000);
	assert_int_equal(history_sum(&history, "packets_in"), 0);
	assert_true(history_seconds(&history) == 30);
}

/* The lines below the titles. */
static void last_lines(void (*print)(FILE *stream), const char *expected)
{
	FILE *stream = out();
	const char *at;

	print(stream);
	fclose(stream);
	at = strstr(output, "\n>>Mean>>");
	assert_non_null(at);
	assert_string_equal(at + 1, expected);
	free(output);
}

static void print_io(FILE *stream)
{
	report_io_text(&history, stream);
}

static void print_user(FILE *stream)
{
	report_user_text(&history, 1, stream);
}

static void test_tables(void **state)
{
	(void)state;
	values[0][0] = 1000, values[1][0] = 3000, values[0][1] = values[1][1] = 30000;
	last_lines(
		print_io,
		">>Mean>>             133      133      0.0   0.0   0.0    0.0    0.0     0    0\n"
		"01-01 00:00:10       100      100      0.0   0.0   0.0    0.0    0.0     0    0\n"
		"01-01 00:00:30*      150      150      0.0   0.0   0.0    0.0    0.0     0    0\n");
	/* 60 ms in 30 s; 15000 ms for a million bytes. There is no time in user mode. */
	last_lines(
		print_user,
		">>Mean>>   0.20    0.060    0.000   ....       0.0    0.0 15000.000  0.000 15000.000\n"
		"LINR02     0.20    0.060    0.000   ....       0.0    0.0 15000.000  0.000 15000.000\n");
	values[0][0] = values[1][0] = values[0][1] = values[1][1] = 0;
	records[1].end = records[1].begin = records[0].end = 0;
	last_lines(
		print_user,
		">>Mean>>   ....    0.000    0.000   ....      ....   ....    ....   ....   ....\n"
		"LINR02     ....    0.000    0.000   ....      ....   ....    ....   ....   ....\n");
}

static size_t json_bytes, json_most; /* of values that are there, and of those at one time */

static void *json_take(size_t size)
{
	void *place = malloc(size);

	json_bytes += malloc_usable_size(place);
	if (json_bytes > json_most)
		json_most = json_bytes;
	return place;
}

static void json_give(void *place)
{
	json_bytes -= malloc_usable_size(place);
	free(place);
}

/* Some 13 MB of history, whose JSON would be a tree of more than 100 MB: it is written interval by
 * interval. */
static void test_long_history(void **state)
{
	enum { COLUMNS = 80, NR = 20000 };
	static uint64_t zeros[COLUMNS];
	static struct lfp_history much = {.instance = "LINR02", .columns = COLUMNS, .nr = NR};
	FILE *null = fopen("/dev/null", "we"), *stream;
	json_t *whole;

	(void)state;
	assert_non_null(null);
	much.records = calloc(NR, sizeof(*much.records));
	assert_non_null(much.records);
	for (uint32_t c = 0; c < COLUMNS; c++) {
		much.column[c].kind = LFP_HISTORY_COUNTER;
		snprintf(much.column[c].name, sizeof(much.column[c].name), "c%u", c);
	}
	for (uint32_t i = 0; i < NR; i++)
		much.records[i] = (struct lfp_history_record){
			.serial = i + 1,
			.begin = (DAY + UINT64_C(60) * i) * 1000000,
			.end = (DAY + UINT64_C(60) * (i + 1)) * 1000000,
			.values = zeros,
		};
	much.nr = 3;
	stream = out();
	assert_int_equal(report_io_json(&much, stream), 0);
	fclose(stream);
	whole = json_loads(output, 0, NULL);
	assert_non_null(whole);
	assert_int_equal(json_array_size(json_object_get(whole, "intervals")), 3);
	assert_string_equal(json_string_value(json_object_get(whole, "instance")), "LINR02");
	json_decref(whole);
	free(output);
	much.nr = NR;
	json_most = 0;
	assert_int_equal(report_io_json(&much, null), 0);
	assert_in_range(json_most, 1, 256 * 1024);
	assert_int_equal(json_bytes, 0);
	fclose(null);
	free(much.records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),        cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_sums),         cmocka_unit_test(test_tables),
		cmocka_unit_test(test_long_history),
	};

	json_set_alloc_funcs(json_take, json_give);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
