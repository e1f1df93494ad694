/* SPDX-License-Identifier: Apache-2.0 */
/* test-ckd-records.c - records with keys: written, searched, updated, read back by every command
 * that reads */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lfp/bigend.h"
#include "tests/devemu/ckd-rig.h"

#define ALL 0xc0
#define T   30u /* the track that is used: cylinder 2, head 0, empty */

static const struct {
	uint8_t number, key_len;
	uint16_t data_len;
} shape[] = {{1, 8, 100}, {2, 0, 1}, {3, 255, 2000}, {7, 44, 96}, {5, 3, 0}, {6, 1, 4096}};

#define SHAPES (sizeof(shape) / sizeof(shape[0]))

/* Count, key and data of a record as they should be; returns the length. */
static uint32_t record(uint8_t *p, size_t i)
{
	uint32_t len = shape[i].key_len + (uint32_t)shape[i].data_len;

	be16_put(p, T / 15);
	be16_put(p + 2, T % 15);
	p[4] = shape[i].number;
	p[5] = shape[i].key_len;
	be16_put(p + 6, shape[i].data_len);
	for (uint32_t j = 0; j < len; j++)
		p[8 + j] = (uint8_t)(shape[i].number * 17 + j * 3);
	return 8 + len;
}

static void good(struct ckd_rig *rig)
{
	ckd_rig_run(rig);
	ckd_rig_good(rig);
	ckd_rig_begin(rig);
}

/* All records of `shape` behind record 0, by one domain or by searches. */
static void write_all(struct ckd_rig *rig, bool domain)
{
	uint32_t at = CKD_RIG_DATA, len;

	if (domain) {
		ckd_rig_extent(rig, ALL, T, T);
		ckd_rig_locate(rig, 0x03, SHAPES, T, 0);
	} else {
		ckd_rig_seek(rig, T);
		ckd_rig_search_id(rig, T, 0);
	}
	for (size_t i = 0; i < SHAPES; i++) {
		len = record(ckd_rig_at(rig, at), i);
		ckd_rig_ccw(rig, 0x1d, 0, (uint16_t)len, at);
		at += len;
	}
	good(rig);
}

static void formats(void **state)
{
	struct ckd_rig *rig = *state;
	uint8_t want[8192], *got = ckd_rig_at(rig, CKD_RIG_OTHER);
	uint32_t len, at;

	for (int domain = 0; domain < 2; domain++) {
		write_all(rig, domain);
		/* Read CKD, in the order of the track */
		memset(got, 0, 16384);
		ckd_rig_extent(rig, ALL, T, T);
		ckd_rig_locate(rig, 0x06, SHAPES, T, 0);
		at = CKD_RIG_OTHER;
		for (size_t i = 0; i < SHAPES; i++) {
			len = record(want, i);
			ckd_rig_ccw(rig, 0x1e, 0, (uint16_t)len, at);
			at += len;
			if (!shape[i].data_len) {
				/* An end of file ends the chain: unit exception. */
				ckd_rig_run(rig);
				assert_int_equal(rig->scsw.unit_status, UNIT_END | UNIT_EXCEPTION);
				assert_int_equal(rig->scsw.count, 0);
				ckd_rig_begin(rig);
				ckd_rig_extent(rig, ALL, T, T);
				ckd_rig_locate(rig, 0x06, 1, T, shape[i].number);
			}
		}
		good(rig);
		at = 0;
		for (size_t i = 0; i < SHAPES; i++) {
			len = record(want, i);
			assert_memory_equal(got + at, want, len);
			at += len;
		}
	}
}

static void reads(void **state)
{
	struct ckd_rig *rig = *state;
	uint8_t want[16384], *got = ckd_rig_at(rig, CKD_RIG_OTHER);
	uint32_t all = 16;

	write_all(rig, true);
	/* Read Track: record 0, all others, eight times X'FF' */
	memset(want, 0, 16);
	be16_put(want, T / 15);
	want[7] = 8;
	for (size_t i = 0; i < SHAPES; i++)
		all += record(want + all, i);
	memset(want + all, 0xff, 8);
	ckd_rig_extent(rig, ALL, T, T);
	ckd_rig_locate(rig, 0x0c, 1, T, 0);
	ckd_rig_ccw(rig, 0xde, 0, (uint16_t)(all + 8), CKD_RIG_OTHER);
	good(rig);
	assert_memory_equal(got, want, all + 8);
	/* Read Multiple CKD: all but record 0, from where the track begins */
	memset(got, 0, all);
	ckd_rig_seek(rig, T);
	ckd_rig_ccw(rig, 0x5e, 0, (uint16_t)(all - 16), CKD_RIG_OTHER);
	good(rig);
	assert_memory_equal(got, want + 16, all - 16);
	/* Home address, record 0 */
	ckd_rig_seek(rig, T);
	ckd_rig_ccw(rig, 0x1a, 0, 5, CKD_RIG_OTHER);
	ckd_rig_ccw(rig, 0x16, 0, 16, CKD_RIG_OTHER + 5);
	good(rig);
	assert_memory_equal(got, "\0\0\2\0\0\0\2\0\0\0\0\0\x08", 13);
	/* Counts */
	ckd_rig_seek(rig, T);
	for (uint32_t i = 0; i < SHAPES; i++)
		ckd_rig_ccw(rig, 0x12, 0, 8, CKD_RIG_OTHER + 8 * i);
	good(rig);
	for (uint32_t i = 0; i < SHAPES; i++) {
		record(want, i);
		assert_memory_equal(got + 8 * i, want, 8);
	}
	/* Key and data after a search; data alone; a part of it with SLI, and the rest is not
	 * touched */
	record(want, 2);
	ckd_rig_seek(rig, T);
	ckd_rig_search_id(rig, T, 3);
	ckd_rig_ccw(rig, 0x0e, 0, 2255, CKD_RIG_OTHER);
	good(rig);
	assert_memory_equal(got, want + 8, 2255);
	memset(got, 0xee, 100);
	ckd_rig_seek(rig, T);
	ckd_rig_search_id(rig, T, 3);
	ckd_rig_ccw(rig, 0x06, CCW_SLI, 50, CKD_RIG_OTHER);
	good(rig);
	assert_memory_equal(got, want + 8 + 255, 50);
	assert_int_equal(got[50], 0xee);
}

/* Search Key Equal, High, Equal or High; then data of that record. */
static void keys(void **state)
{
	static const struct {
		uint8_t cmd;
		int add; /* to the last byte of the key of record 3 */
		bool found;
	} rows[] = {
		{0x29, 0, true}, {0x29, 1, false}, {0x49, 0, false}, {0x49, -1, true},
		{0x69, 0, true}, {0x69, -1, true}, {0x69, 1, false},
	};
	struct ckd_rig *rig = *state;
	uint8_t want[8192], key[255];

	write_all(rig, true);
	record(want, 2);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memcpy(key, want + 8, 255);
		key[254] = (uint8_t)(key[254] + rows[i].add);
		ckd_rig_seek(rig, T);
		ckd_rig_search_id(rig, T, 2);
		ckd_rig_ccw(rig, 0x06, 0, 1, CKD_RIG_OTHER);
		ckd_rig_command(rig, rows[i].cmd, key, 255);
		ckd_rig_ccw(rig, 0x03, CCW_SLI, 1,
			    0); /* only if it is not found: passed over else */
		ckd_rig_ccw(rig, 0x06, 0, 2000, CKD_RIG_OTHER);
		ckd_rig_run(rig);
		/* Found or not, the data of that record come next; commands tell the difference. */
		assert_int_equal(rig->scsw.unit_status, UNIT_END);
		assert_memory_equal(ckd_rig_at(rig, CKD_RIG_OTHER), want + 8 + 255, 2000);
		assert_int_equal(rig->subch->ccw.commands, rows[i].found ? 7 : 8);
		ckd_rig_begin(rig);
	}
	/* Search ID, high */
	ckd_rig_seek(rig, T);
	ckd_rig_command(rig, 0x51, "\0\2\0\0\4", 5);
	ckd_rig_ccw(rig, 0x08, 0, 0, rig->at - 8);
	ckd_rig_ccw(rig, 0x06, 0, 96, CKD_RIG_OTHER);
	good(rig);
	record(want, 3);
	assert_memory_equal(ckd_rig_at(rig, CKD_RIG_OTHER), want + 8 + 44, 96);
	/* Home address */
	ckd_rig_seek(rig, T);
	ckd_rig_command(rig, 0x39, "\0\2\0\0", 4);
	ckd_rig_ccw(rig, 0x08, 0, 0, rig->at - 8);
	ckd_rig_ccw(rig, 0x16, 0, 16, CKD_RIG_OTHER);
	good(rig);
}

/* Key and data, and data alone, are written over; the records around stay as they are. */
static void updates(void **state)
{
	struct ckd_rig *rig = *state;
	uint8_t want[8192], *data = ckd_rig_at(rig, CKD_RIG_DATA);

	write_all(rig, true);
	memset(data, 0x5a, 140);
	ckd_rig_seek(rig, T);
	ckd_rig_search_id(rig, T, 7);
	ckd_rig_ccw(rig, 0x0d, 0, 140, CKD_RIG_DATA);
	good(rig);
	/* Too little is filled up with zeros. */
	ckd_rig_extent(rig, 0x80, T, T);
	ckd_rig_locate(rig, 0x01, 1, T, 1);
	ckd_rig_ccw(rig, 0x05, CCW_SLI, 60, CKD_RIG_DATA);
	good(rig);
	ckd_rig_reopen(rig, true);
	for (size_t i = 0; i < SHAPES; i++) {
		uint32_t len = record(want, i);

		if (shape[i].number == 7)
			memset(want + 8, 0x5a, 140);
		if (shape[i].number == 1) {
			memset(want + 16, 0x5a, 60);
			memset(want + 76, 0, 40);
		}
		memset(ckd_rig_at(rig, CKD_RIG_OTHER), 0, 8192);
		ckd_rig_seek(rig, T);
		if (i) {
			ckd_rig_search_id(rig, T, shape[i - 1].number);
		}
		ckd_rig_ccw(rig, 0x1e, 0, (uint16_t)len, CKD_RIG_OTHER);
		ckd_rig_run(rig);
		assert_int_equal(rig->scsw.unit_status & UNIT_CHECK, 0);
		assert_int_equal(rig->scsw.sch_status, 0);
		assert_memory_equal(ckd_rig_at(rig, CKD_RIG_OTHER), want, len);
		ckd_rig_begin(rig);
	}
}

/* A program check while data move: the record stays as it was. */
static void broken_off(void **state)
{
	struct ckd_rig *rig = *state;
	uint8_t want[8192];

	write_all(rig, true);
	ckd_rig_seek(rig, T);
	ckd_rig_search_id(rig, T, 6);
	ckd_rig_ccw(rig, 0x05, 0, 4096, CKD_RIG_STORAGE - 1000);
	ckd_rig_run(rig);
	assert_int_equal(rig->scsw.sch_status, SCH_PROGRAM_CHECK);
	ckd_rig_begin(rig);
	record(want, 5);
	ckd_rig_seek(rig, T);
	ckd_rig_search_id(rig, T, 6);
	ckd_rig_ccw(rig, 0x0e, 0, 4097, CKD_RIG_OTHER);
	good(rig);
	assert_memory_equal(ckd_rig_at(rig, CKD_RIG_OTHER), want + 8, 4097);
}

static void erases(void **state)
{
	struct ckd_rig *rig = *state;
	uint8_t want[64], count[8] = {0, 2, 0, 0, 9};

	write_all(rig, true);
	ckd_rig_seek(rig, T);
	ckd_rig_search_id(rig, T, 2);
	ckd_rig_command(rig, 0x11, count, 8);
	good(rig);
	ckd_rig_seek(rig, T);
	ckd_rig_ccw(rig, 0x5e, CCW_SLI, 4096, CKD_RIG_OTHER);
	ckd_rig_run(rig);
	assert_int_equal(rig->scsw.count, 4096 - 116 - 9);
	ckd_rig_begin(rig);
	/* A new record 0, longer than before */
	memset(want, 0, sizeof(want));
	want[1] = 2;
	want[7] = 32;
	memset(want + 8, 0x77, 32);
	memcpy(ckd_rig_at(rig, CKD_RIG_DATA), want, 40);
	ckd_rig_extent(rig, ALL, T, T);
	ckd_rig_locate(rig, 0x43, 1, T, 0);
	ckd_rig_ccw(rig, 0x15, 0, 40, CKD_RIG_DATA);
	good(rig);
	ckd_rig_seek(rig, T);
	ckd_rig_ccw(rig, 0x16, 0, 40, CKD_RIG_OTHER);
	good(rig);
	assert_memory_equal(ckd_rig_at(rig, CKD_RIG_OTHER), want, 40);
}

/* As many as the capacity formula says, and not one more; then on to the next track. */
static void capacity(void **state)
{
	static const uint16_t rows[][2] = {{4096, 12}, {56664, 1}, {27998, 2},
					   {27999, 1}, {512, 49},  {80, 78}};
	struct ckd_rig *rig = *state;
	uint8_t count[8] = {0, 2, 0, 0};

	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		print_message("%u\n", rows[r][0]);
		assert_int_equal(ckd_records_per_track(0, rows[r][0]), rows[r][1]);
		be16_put(count + 6, rows[r][0]);
		ckd_rig_extent(rig, ALL, T, T + 1);
		ckd_rig_locate(rig, 0x03, 255, T, 0);
		for (uint8_t i = 1; i <= rows[r][1]; i++) {
			count[4] = i;
			ckd_rig_command(rig, 0x1d, count, 8);
			*ckd_rig_at(rig, rig->at - 7) |= CCW_SLI;
		}
		count[4] = 1;
		ckd_rig_command(rig, 0x9d, count, 8);
		*ckd_rig_at(rig, rig->at - 7) |= CCW_SLI;
		good(rig);
		ckd_rig_seek(rig, T);
		ckd_rig_search_id(rig, T, (uint8_t)rows[r][1]);
		ckd_rig_command(rig, 0x1d, count, 8);
		*ckd_rig_at(rig, rig->at - 7) |= CCW_SLI;
		ckd_rig_run(rig);
		ckd_rig_check(rig, 0, SENSE1_INVALID_TRACK_FORMAT, 0);
		ckd_rig_begin(rig);
	}
}

static void identity(void **state)
{
	static const uint8_t id[8] = {0xff, 0x21, 0x07, 0xe8, 0x33, 0x90, 0x02, 0x00};
	struct ckd_rig *rig = *state;
	uint8_t *got = ckd_rig_at(rig, CKD_RIG_OTHER);

	ckd_rig_ccw(rig, 0xe4, 0, 24, CKD_RIG_OTHER);
	ckd_rig_ccw(rig, 0x64, 0, 64, CKD_RIG_OTHER + 100);
	ckd_rig_ccw(rig, 0xfa, 0, 256, CKD_RIG_OTHER + 200);
	ckd_rig_ccw(rig, 0x03, 0, 0, 0);
	good(rig);
	assert_memory_equal(got, id, 8);
	assert_int_equal(be32_get(got + 8),
			 0x40fa0100); /* X'FA' reads 256 bytes of configuration */
	assert_int_equal(be16_get(got + 100), 0x2107);
	assert_int_equal(be16_get(got + 103), 0x3390);
	assert_int_equal(be16_get(got + 112), CKD_RIG_CYLINDERS);
	assert_int_equal(be16_get(got + 114), 15);
	assert_int_equal(be32_get(got + 160), CKD_RIG_CYLINDERS);
	assert_int_equal(got[200], 0xdc);
	assert_memory_equal(got + 204, "\x40\x40\xf3\xf3\xf9\xf0\xf0\xf0\xc3\xe9\xc4\xe5", 12);
	/* A path group is what was set. */
	ckd_rig_command(rig, 0xaf, "\x80JOHNDOE1234", 12);
	ckd_rig_ccw(rig, 0x34, 0, 12, CKD_RIG_OTHER);
	good(rig);
	assert_memory_equal(got, "\xa0JOHNDOE1234", 12);
	/* Reading pending sense data clears them. */
	ckd_rig_ccw(rig, 0x04, 0, 32, CKD_RIG_OTHER);
	good(rig);
	assert_int_equal(got[27], 0);
	/* Subsystem data come only right behind the function that prepares them. */
	ckd_rig_command(rig, 0x27, "\x18\0\0\0\0\0\0\0\0\0\0\0", 12);
	ckd_rig_ccw(rig, 0x3e, 0, 16, CKD_RIG_OTHER);
	good(rig);
	ckd_rig_command(rig, 0x27, "\x18\0\0\0\0\0\0\0\0\0\0\0", 12);
	ckd_rig_ccw(rig, 0x03, 0, 0, 0);
	ckd_rig_run(rig);
	ckd_rig_check(rig, SENSE_COMMAND_REJECT, 0, REJECT_SEQUENCE);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, ckd_rig_setup, ckd_rig_teardown)
	const struct CMUnitTest tests[] = {
		TEST(formats),    TEST(reads),  TEST(keys),     TEST(updates),
		TEST(broken_off), TEST(erases), TEST(capacity), TEST(identity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
