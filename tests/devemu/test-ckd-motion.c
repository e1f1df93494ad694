/* SPDX-License-Identifier: Apache-2.0 */
/* test-ckd-motion.c - positions of a 3390: orientations of Locate Record, seeks, multi-track
 * commands, IPL */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lfp/bigend.h"
#include "tests/devemu/ckd-rig.h"

#define ALL 0xc0

static void good(struct ckd_rig *rig)
{
	ckd_rig_run(rig);
	ckd_rig_good(rig);
	ckd_rig_begin(rig);
}

static void rejected(struct ckd_rig *rig, uint8_t why)
{
	ckd_rig_run(rig);
	ckd_rig_check(rig, SENSE_COMMAND_REJECT, 0, why);
	ckd_rig_begin(rig);
}

/* A count was read: track and record. */
static void at(struct ckd_rig *rig, uint32_t offset, uint32_t track, uint8_t record)
{
	const uint8_t *p = ckd_rig_at(rig, CKD_RIG_OTHER + offset);

	assert_int_equal(be16_get(p) * 15 + be16_get(p + 2), track);
	assert_int_equal(p[4], record);
}

/* The record read next after the count, the index, the data. */
static void orientations(void **state)
{
	static const struct {
		uint8_t operation, record, next;
	} rows[] = {{0x16, 5, 6}, {0x96, 5, 6}, {0xd6, 5, 1},
		    {0x56, 5, 1}, {0x06, 0, 1}, {0x86, 12, 1}};
	struct ckd_rig *rig = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ckd_rig_extent(rig, ALL, 0, 29);
		ckd_rig_locate(rig, rows[i].operation, 1, 4, rows[i].record);
		ckd_rig_ccw(rig, 0x12, 0, 8, CKD_RIG_OTHER);
		good(rig);
		at(rig, 0, 4, rows[i].next);
	}
	/* Behind the count Read Data takes that very record; behind the data the next one. */
	for (int behind = 0; behind < 2; behind++) {
		memset(ckd_rig_at(rig, CKD_RIG_DATA), 0x31, 4096);
		ckd_rig_4k(rig, false, true, 4 * 12 + 4 + (uint64_t)behind, 1, CKD_RIG_DATA);
		ckd_rig_begin(rig);
		ckd_rig_extent(rig, ALL, 0, 29);
		ckd_rig_locate(rig, behind ? 0x86 : 0x06, 1, 4, 5);
		ckd_rig_ccw(rig, 0x06, 0, 4096, CKD_RIG_OTHER);
		good(rig);
		assert_int_equal(*ckd_rig_at(rig, CKD_RIG_OTHER), 0x31);
		memset(ckd_rig_at(rig, CKD_RIG_DATA), 0, 4096);
		ckd_rig_4k(rig, false, true, 4 * 12 + 4 + (uint64_t)behind, 1, CKD_RIG_DATA);
		ckd_rig_begin(rig);
	}
}

static void tracks(void **state)
{
	struct ckd_rig *rig = *state;
	uint8_t head[6] = {0, 0, 0, 9, 0, 7};

	/* Seek Head stays on the cylinder, and needs one. */
	ckd_rig_seek(rig, 15);
	ckd_rig_command(rig, 0x1b, head, 6);
	ckd_rig_ccw(rig, 0x12, 0, 8, CKD_RIG_OTHER);
	good(rig);
	at(rig, 0, 22, 1);
	ckd_rig_command(rig, 0x1b, head, 6);
	rejected(rig, REJECT_SEQUENCE);
	/* Multi-track: home address and record 0 of the next tracks, then its first count */
	ckd_rig_seek(rig, 3);
	ckd_rig_ccw(rig, 0x9a, 0, 5, CKD_RIG_OTHER);
	ckd_rig_ccw(rig, 0x96, 0, 16, CKD_RIG_OTHER + 8);
	ckd_rig_ccw(rig, 0x92, 0, 8, CKD_RIG_OTHER + 24);
	good(rig);
	assert_memory_equal(ckd_rig_at(rig, CKD_RIG_OTHER), "\0\0\0\0\4", 5);
	at(rig, 8, 5, 0);
	at(rig, 24, 5, 1);
	/* A search over tracks finds the record, and its data */
	ckd_rig_seek(rig, 3);
	ckd_rig_command(rig, 0xb1, "\0\0\0\12\3", 5);
	ckd_rig_ccw(rig, 0x08, 0, 0, rig->at - 8);
	ckd_rig_ccw(rig, 0x06, 0, 4096, CKD_RIG_OTHER);
	good(rig);
	assert_int_equal(be16_get(rig->subch->device->sense + 29), 0);
	assert_true(rig->device->work.tracks >= 8);
	/* Read Count goes round its track, once */
	ckd_rig_seek(rig, 3);
	for (uint32_t i = 0; i < 13; i++)
		ckd_rig_ccw(rig, 0x12, 0, 8, CKD_RIG_OTHER + 8 * i);
	good(rig);
	at(rig, 8 * 11, 3, 12);
	at(rig, 8 * 12, 3, 1);
}

/* Record 1 of track 0, and what may come before and after. */
static void ipl(void **state)
{
	struct ckd_rig *rig = *state;

	memset(ckd_rig_at(rig, CKD_RIG_DATA), 0x42, 4096);
	ckd_rig_4k(rig, true, true, 0, 1, CKD_RIG_DATA);
	ckd_rig_begin(rig);
	ckd_rig_ccw(rig, 0x02, CCW_SLI, 24, CKD_RIG_OTHER);
	ckd_rig_ccw(rig, 0x12, 0, 8, CKD_RIG_OTHER + 32);
	good(rig);
	assert_int_equal(*ckd_rig_at(rig, CKD_RIG_OTHER + 23), 0x42);
	assert_int_equal(*ckd_rig_at(rig, CKD_RIG_OTHER + 24), 0);
	at(rig, 32, 0, 2);
	ckd_rig_extent(rig, ALL, 0, 29);
	ckd_rig_ccw(rig, 0x02, CCW_SLI, 24, CKD_RIG_OTHER);
	rejected(rig, REJECT_SEQUENCE);
	ckd_rig_ccw(rig, 0x02, CCW_SLI, 24, CKD_RIG_OTHER);
	ckd_rig_extent(rig, ALL, 0, 29);
	rejected(rig, REJECT_SEQUENCE);
}

static void home_address(void **state)
{
	struct ckd_rig *rig = *state;

	/* The existing record may be written, no other one. */
	for (int other = 0; other < 2; other++) {
		ckd_rig_extent(rig, ALL, 0, 44);
		ckd_rig_locate(rig, 0x43, 2, 31, 0);
		ckd_rig_command(rig, 0x19, other ? "\0\0\2\0\2" : "\0\0\2\0\1", 5);
		ckd_rig_command(rig, 0x15, "\0\2\0\1\0\0\0\10ABCDEFGH", 16);
		if (other)
			rejected(rig, REJECT_PARAMETER);
		else
			good(rig);
	}
	ckd_rig_seek(rig, 31);
	ckd_rig_ccw(rig, 0x16, 0, 16, CKD_RIG_OTHER);
	good(rig);
	assert_memory_equal(ckd_rig_at(rig, CKD_RIG_OTHER + 8), "ABCDEFGH", 8);
	/* Record 0 only right behind the home address */
	ckd_rig_seek(rig, 31);
	ckd_rig_search_id(rig, 31, 0);
	ckd_rig_command(rig, 0x15, "\0\2\0\1\0\0\0\10ABCDEFGH", 16);
	rejected(rig, REJECT_SEQUENCE);
}

/* Nothing can be written into an end of file: unit exception, and the chain ends. */
static void into_end_of_file(void **state)
{
	static const uint8_t writes[] = {0x05, 0x0d};
	struct ckd_rig *rig = *state;
	uint8_t count[8] = {0, 2, 0, 0, 1};

	ckd_rig_extent(rig, ALL, 30, 30);
	ckd_rig_locate(rig, 0x03, 1, 30, 0);
	ckd_rig_command(rig, 0x1d, count, 8);
	good(rig);
	for (int i = 0; i < 2; i++) {
		ckd_rig_seek(rig, 30);
		ckd_rig_search_id(rig, 30, 1);
		ckd_rig_ccw(rig, writes[i], CCW_SLI, 100, CKD_RIG_DATA);
		ckd_rig_ccw(rig, 0x03, 0, 0, 0);
		ckd_rig_run(rig);
		assert_int_equal(rig->scsw.unit_status, UNIT_END | UNIT_EXCEPTION);
		assert_int_equal(rig->scsw.count, 100);
		ckd_rig_begin(rig);
	}
}

/* Two tracks by Read Track, one command each; then the domain is over. */
static void whole_tracks(void **state)
{
	struct ckd_rig *rig = *state;
	const uint16_t len = 16 + 12 * 4104 + 8;

	ckd_rig_extent(rig, ALL, 14, 15);
	ckd_rig_locate(rig, 0x0c, 2, 14, 0);
	ckd_rig_ccw(rig, 0xde, 0, len, CKD_RIG_OTHER);
	ckd_rig_ccw(rig, 0xde, 0, len, CKD_RIG_OTHER + len);
	good(rig);
	at(rig, 0, 14, 0);
	at(rig, 16, 14, 1);
	at(rig, len, 15, 0);
	at(rig, len + 16u + 11 * 4104, 15, 12);
	assert_int_equal(be32_get(ckd_rig_at(rig, CKD_RIG_OTHER + 2u * len - 8)), UINT32_MAX);
	ckd_rig_extent(rig, ALL, 14, 15);
	ckd_rig_locate(rig, 0x0c, 1, 14, 0);
	ckd_rig_ccw(rig, 0xde, 0, len, CKD_RIG_OTHER);
	ckd_rig_ccw(rig, 0xde, 0, len, CKD_RIG_OTHER);
	rejected(rig, REJECT_SEQUENCE);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, ckd_rig_setup, ckd_rig_teardown)
	const struct CMUnitTest tests[] = {
		TEST(orientations), TEST(tracks),           TEST(ipl),
		TEST(home_address), TEST(into_end_of_file), TEST(whole_tracks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
