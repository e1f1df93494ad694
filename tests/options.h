/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - every socket option of tests/data/options.tsv, set and read back by one interface,
 * for the program options.c of each */
#ifndef TESTS_OPTIONS_H
#define TESTS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTION_MAX 32 /* bytes of a value */

enum {
	OPTION_EACCES = 111,
	OPTION_EINVAL = 121,
	OPTION_ENOPROTOOPT = 1109,
	OPTION_EADDRNOTAVAIL = 1116
};

struct option_row {
	char name[32];
	unsigned int number;
	char kind[12], lengths[12], socket[12], value[48];
};

/* The interface. set() and get() return 0 or z/VSE's number of the error. */
struct option_calls {
	bool big;       /* fullwords in values are big-endian */
	bool timevals;  /* a time is the C library's struct timeval */
	bool truncates; /* a value that is too long for OPTLEN is cut off when it is read */
	void (*open)(const char *socket);
	void (*close)(void);
	int (*set)(const struct option_row *row, const void *value, unsigned int len);
	int (*get)(const struct option_row *row, void *value, unsigned int *len);
};

static const struct option_calls *option_calls;
static const struct option_row *option_row;

#define OPTION_CHECK(condition)                                                                    \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			printf("FAILED: %s, %u bytes: %s\n", option_row->name, len, #condition);   \
			failures++;                                                                \
		}                                                                                  \
	} while (0)

static void option_word(unsigned char *at, uint32_t word)
{
	const unsigned char bytes[4] = {(unsigned char)(word >> 24), (unsigned char)(word >> 16),
					(unsigned char)(word >> 8), (unsigned char)word};

	memcpy(at, option_calls->big ? (const void *)bytes : (const void *)&word, 4);
}

/* Makes the value that the row says, with @number in the place of one. Returns its length. */
static unsigned int option_value(unsigned char *value, unsigned int len, uint32_t number)
{
	const char *kind = option_row->kind, *hex = option_row->value;
	long parts[2] = {1, 500000};

	memset(value, 0, OPTION_MAX);
	if (!strcmp(kind, "time") && option_calls->timevals) {
		memcpy(value, parts, sizeof(parts));
		return sizeof(parts);
	}
	if (!strcmp(kind, "time")) {
		option_word(value, 1);
		option_word(value + 4, 500000);
		return 8;
	}
	if (!strcmp(kind, "bytes")) {
		for (int i = 0; i < 2; i++)
			option_word(value + 4 * i,
				    (uint32_t)strtoul((char[9]){hex[8 * i], hex[8 * i + 1],
								hex[8 * i + 2], hex[8 * i + 3],
								hex[8 * i + 4], hex[8 * i + 5],
								hex[8 * i + 6], hex[8 * i + 7]},
						      NULL, 16));
		return 8;
	}
	if (strlen(hex) >= 8) {
		for (unsigned int i = 0; i < strlen(hex) / 2; i++)
			value[i] = (unsigned char)strtoul((char[3]){hex[2 * i], hex[2 * i + 1]},
							  NULL, 16);
		/* The interface of a group of IPv6 */
		if (strlen(hex) == 32)
			option_word(value + 16, 1);
		return (unsigned int)strlen(hex) == 32 ? 20 : (unsigned int)strlen(hex) / 2;
	}
	if (len == 1)
		value[0] = (unsigned char)number;
	else
		option_word(value, number);
	return len;
}

/* Reads the value, and compares it. */
static void option_reads(unsigned int len, uint32_t number)
{
	unsigned char want[OPTION_MAX], got[OPTION_MAX];
	unsigned int size = option_value(want, len, number), room = len > size ? len : size;

	memset(got, 0xEE, sizeof(got));
	OPTION_CHECK(option_calls->get(option_row, got, &room) == 0);
	OPTION_CHECK(room == size && !memcmp(got, want, size));
	OPTION_CHECK(got[size] == 0xEE);
}

static void option_sets(unsigned int len, uint32_t number)
{
	unsigned char value[OPTION_MAX];
	unsigned int size = option_value(value, len, number);

	OPTION_CHECK(option_calls->set(option_row, value, len > size ? len : size) == 0);
	option_reads(len, number);
}

/* A length that is too short, and the interface's own EINVAL. */
static void option_short(unsigned int len)
{
	unsigned char value[OPTION_MAX];
	unsigned int room = option_value(value, len, 1) > 4 ? 7 : 2;

	OPTION_CHECK(option_calls->set(option_row, value, room) == OPTION_EINVAL);
	if (!option_calls->truncates)
		OPTION_CHECK(option_calls->get(option_row, value, &room) == OPTION_EINVAL);
}

static void option_of_length(unsigned int len)
{
	static const uint32_t sizes[] = {512, 1024, 0, 20000, 1000000};
	const char *kind = option_row->kind;
	uint32_t number = (uint32_t)strtoul(option_row->value, NULL, 10);
	unsigned char value[OPTION_MAX];
	unsigned int room = len;

	if (!strcmp(kind, "flag")) {
		option_sets(len, 1);
		option_sets(len, 0);
		option_sets(len, 1);
	} else if (!strcmp(kind, "byte")) {
		option_sets(len, 7);
		option_sets(len, 255);
	} else if (!strcmp(kind, "buffer")) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			option_sets(len, sizes[i]);
		option_value(value, len, (uint32_t)-1);
		OPTION_CHECK(option_calls->set(option_row, value, len) == OPTION_EINVAL);
		option_reads(len, 1000000);
	} else if (!strcmp(kind, "told")) {
		option_reads(len, number);
		option_value(value, len, number);
		OPTION_CHECK(option_calls->set(option_row, value, len) == OPTION_ENOPROTOOPT);
	} else if (!strcmp(kind, "none")) {
		option_value(value, len, 1);
		OPTION_CHECK(option_calls->set(option_row, value, len) == OPTION_ENOPROTOOPT);
		OPTION_CHECK(option_calls->get(option_row, value, &room) == OPTION_ENOPROTOOPT);
	} else if (!strcmp(kind, "refused")) {
		option_reads(len, number);
		option_value(value, len, 1);
		OPTION_CHECK(option_calls->set(option_row, value, len) == OPTION_EACCES);
	} else if (!strncmp(kind, "join", 4) || !strncmp(kind, "leave", 5)) {
		option_value(value, len, 0);
		OPTION_CHECK(option_calls->set(option_row, value, len) ==
			     (*kind == 'j' ? 0 : OPTION_EADDRNOTAVAIL));
		OPTION_CHECK(option_calls->get(option_row, value, &room) != 0);
	} else {
		option_sets(len, number);
	}
	if (strcmp(kind, "told") != 0 && strcmp(kind, "refused") != 0 && strcmp(kind, "none") != 0)
		option_short(len);
}

static void option_check(const struct option_row *row)
{
	char *at = (char *)(uintptr_t)row->lengths, *end;

	option_row = row;
	for (; *at; at = end) {
		option_calls->open(row->socket);
		option_of_length((unsigned int)strtoul(at, &end, 10));
		option_calls->close();
	}
}

/* Checks each row of @file; without those of IPv6 if @six is false. Returns the number of rows. */
static int option_all(const struct option_calls *calls, const char *path, bool six)
{
	FILE *file = fopen(path, "r");
	static struct option_row row; /* option_row points to it */
	char line[256], source[80];
	int rows = 0;

	option_calls = calls;
	while (file && fgets(line, sizeof(line), file)) {
		if (*line == '#')
			continue;
		memset(&row, 0, sizeof(row));
		/* No row is without a source. */
		if (sscanf(line, "%31[^\t]\t%X\t%11[^\t]\t%11[^\t]\t%11[^\t]\t%47[^\t]\t%79[^\n]",
			   row.name, &row.number, row.kind, row.lengths, row.socket, row.value,
			   source) != 7) {
			printf("FAILED: %s", line);
			return 0;
		}
		rows++;
		if (six || row.socket[strlen(row.socket) - 1] == '4')
			option_check(&row);
	}
	if (file)
		fclose(file);
	return rows;
}

#endif
