/* SPDX-License-Identifier: Apache-2.0 */
/* test-summary.c - the log of connections, summed up by lfp-run */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "lfp-run/summary.h"

static char text[1 << 20];

static const char *sum(const char *const *lines)
{
	struct summary *summary = summary_create();
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(summary);
	for (; *lines; lines++)
		summary_add(summary, *lines);
	summary_print(summary, out);
	fclose(out);
	summary_destroy(summary);
	return text;
}

#define CURL                                                                                       \
	"{\"time\":\"2026\",\"program\":\"/usr/bin/curl\",\"protocol\":\"tcp\",\"direction\":\"out\","
#define PEER "\"name\":\"www.example.org\",\"address\":\"203.0.113.5\",\"port\":443,"

static void test_table(void **state)
{
	static const char *const lines[] = {
		CURL PEER "\"event\":\"connect\",\"result\":\"OK\"}",
		CURL PEER "\"event\":\"connect\",\"result\":\"OK\"}",
		CURL PEER "\"event\":\"connect\",\"result\":\"ETIMEDOUT\"}",
		CURL PEER "\"event\":\"end\",\"result\":\"OK\",\"bytes_out\":10,\"bytes_in\":2000}",
		CURL PEER
		"\"event\":\"connect\",\"rule\":3,\"refused_by\":\"rule\",\"result\":\"EACCES\"}",
		"{\"event\":\"bind\",\"program\":\"web\",\"local_address\":\"::\",\"local_port\":80,\"result\":\"OK\"}",
		"{\"event\":\"listen\",\"program\":\"web\",\"local_address\":\"::\",\"local_port\":80,\"result\":\"OK\"}",
		"{\"event\":\"accept\",\"program\":\"web\",\"direction\":\"in\",\"address\":\"192.0.2.1\",\"port\":5000,"
		"\"local_address\":\"192.0.2.9\",\"local_port\":80,\"result\":\"OK\"}",
		"{\"event\":\"end\",\"program\":\"web\",\"direction\":\"in\",\"address\":\"192.0.2.1\",\"port\":5000,"
		"\"local_address\":\"192.0.2.9\",\"local_port\":80,\"result\":\"OK\",\"bytes_out\":7,\"bytes_in\":8}",
		CURL
		"\"name\":\"in.example.org\",\"address\":\"10.0.0.1\",\"port\":8000,\"event\":\"connect\",\"rule\":2,"
		"\"refused_by\":\"rule\",\"by_default\":1,\"passed_over\":1,\"result\":\"ECONNREFUSED\"}",
		CURL
		"\"address\":\"192.0.2.7\",\"port\":1,\"event\":\"connect\",\"refused_by\":\"limit\",\"result\":\"EMFILE\"}",
		"{\"event\":\"left_out\",\"count\":4}",
		NULL,
	};

	(void)state;
	assert_string_equal(
		sum(lines),
		"PROGRAM  ACT     PEER                   TIMES   FAILED  REFUSED     BYTES OUT      BYTES IN\n"
		"curl     tcp     www.example.org:443        2        1        1            10          2000  "
		"refused by rule 3\n"
		"web      listen  [::]:80                    1        0        0             0             0\n"
		"web      accept  192.0.2.9:80               1        0        0             7             8\n"
		"curl     tcp     in.example.org:8000        0        0        1             0             0  "
		"refused by the default; line 1 does not allow the private address 10.0.0.1\n"
		"curl     tcp     192.0.2.7:1                0        0        1             0             0  "
		"refused by limit\n"
		"4 records are missing.\n");
}

/* Names come from programs, and stay one cell of the table. */
static void test_hostile(void **state)
{
	static const char *const lines[] = {
		"{\"event\":\"lookup\",\"program\":\"a\\nb\",\"name\":\"x\\\",\\\"event\\\":\\\"end\\u001b[2J\\\\\","
		"\"result\":\"EAI_NONAME\"}",
		"",
		"{",
		"{}",
		"{\"event\":}",
		"{\"event\":\"connect\"",
		"{\"event\":\"\\u00",
		"{\"a\\",
		"no JSON",
		NULL,
	};

	(void)state;
	sum(lines);
	assert_non_null(strstr(text, "lookup  x\",\"event\":\"end?[2J\\  "));
	assert_null(strchr(text, '\x1b'));
	assert_non_null(strstr(text, "\n8 records are missing.\n"));
}

/* Peers without end take no memory without end. */
static void test_many(void **state)
{
	struct summary *summary = summary_create();
	FILE *out = fmemopen(text, sizeof(text), "w");
	char line[256];
	size_t lines = 0;

	(void)state;
	for (int i = 0; i < 6000; i++) {
		snprintf(
			line, sizeof(line),
			CURL
			"\"address\":\"10.0.0.1\",\"port\":%d,\"event\":\"connect\",\"result\":\"OK\"}",
			i);
		summary_add(summary, line);
	}
	summary_print(summary, out);
	fclose(out);
	summary_destroy(summary);
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 1 + 4096 + 1);
	assert_non_null(strstr(text, "(others)"));
	assert_non_null(strstr(text, " 1904 "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
