/* SPDX-License-Identifier: Apache-2.0 */
/* test-ezacic.c - the helper routines of EZASOKET as a C program calls them: all 256 bytes of each
 * translation table (tests/data/ezacic.tsv), and EZACIC06 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/ezasoket.h"

#define ROW 16

static const struct {
	int number;
	int (*routine)(void *first, ...);
} routines[] = {{4, EZACIC04}, {5, EZACIC05}, {14, EZACIC14}, {15, EZACIC15}};

#define ROUTINES (sizeof(routines) / sizeof(routines[0]))

static int (*routine_of(unsigned int number))(void *first, ...)
{
	for (size_t i = 0; i < ROUTINES; i++)
		if (routines[i].number == (int)number)
			return routines[i].routine;
	return NULL;
}

/* Takes the 16 bytes of a row. */
static void read_bytes(uint8_t want[ROW], const char *text)
{
	char *end;

	for (int i = 0; i < ROW; i++, text = end)
		want[i] = (uint8_t)strtoul(text, &end, 16);
}

static void check_row(char *line)
{
	unsigned int number = (unsigned int)strtoul(strsep(&line, "\t"), NULL, 10);
	unsigned int row = (unsigned int)strtoul(strsep(&line, "\t"), NULL, 16);
	uint8_t want[ROW], area[ROW];
	int len = ROW;

	read_bytes(want, strsep(&line, "\t"));
	/* No row is without a source. */
	assert_true(line && strlen(line) > 1);
	for (unsigned int i = 0; i < ROW; i++)
		area[i] = (uint8_t)(row * ROW + i);
	assert_non_null(routine_of(number));
	assert_int_equal(routine_of(number)(area, &len), 0);
	assert_memory_equal(area, want, ROW);
}

static void test_tables(void **state)
{
	FILE *file = fopen("tests/data/ezacic.tsv", "r");
	char line[256];
	size_t rows = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (*line == '#')
			continue;
		check_row(line);
		rows++;
	}
	fclose(file);
	assert_int_equal(rows, ROUTINES * ROW);
}

/* Converts characters to bits, and compares them; converts them back to the same characters. */
static void both_ways(const char *text, const uint32_t *want, size_t words)
{
	uint32_t bits[8];
	char command[] = "CTOB", back[] = "BTOC", chars[256];
	int len = (int)strlen(text), rc = 5;

	memset(bits, 0xEE, sizeof(bits));
	memcpy(chars, text, (size_t)len);
	assert_int_equal(EZACIC06(command, bits, chars, &len, &rc), 0);
	assert_int_equal(rc, 0);
	assert_memory_equal(bits, want, words * sizeof(*want));
	assert_int_equal(bits[words], 0xEEEEEEEE);
	memset(chars, '#', sizeof(chars));
	rc = 5;
	assert_int_equal(EZACIC06(back, bits, chars, &len, &rc), 0);
	assert_int_equal(rc, 0);
	assert_memory_equal(chars, text, (size_t)len);
	assert_int_equal(chars[len], '#');
}

/* The first character is descriptor 0. */
static void test_masks(void **state)
{
	char chars[61];

	(void)state;
	memset(chars, '0', sizeof(chars));
	chars[60] = '\0';
	/* Characters 1, 6 and 10 of 60: X'0000022100000000' on z/VSE */
	chars[0] = chars[5] = chars[9] = '1';
	both_ways(chars, (uint32_t[]){0x221, 0}, 2);
	chars[59] = '1';
	both_ways(chars, (uint32_t[]){0x221, UINT32_C(1) << 27}, 2);
	both_ways("1", (uint32_t[]){1}, 1);
	both_ways("0", (uint32_t[]){0}, 1);
	both_ways("01000000000000000000000000000001", (uint32_t[]){0x80000002}, 1);
	both_ways("000000000000000000000000000000001", (uint32_t[]){0, 1}, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_masks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
