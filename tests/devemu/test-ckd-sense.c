/* SPDX-License-Identifier: Apache-2.0 */
/* test-ckd-sense.c - each condition that a 3390 answers with unit check, and its sense bytes 0, 1
 * and 7
 *
 * IBM 3990/9390 Storage Control Reference, GA32-0274, "Sense Information"; byte 7 is format 0 with
 * the reason of a command reject.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lfp/bigend.h"
#include "tests/devemu/ckd-rig.h"
#include "tests/qemu-user.h"

#define ALL 0xc0 /* file mask: all writes */

static void run_check(struct ckd_rig *rig, uint8_t sense0, uint8_t sense1, uint8_t sense7)
{
	ckd_rig_run(rig);
	ckd_rig_check(rig, sense0, sense1, sense7);
	ckd_rig_begin(rig);
}

static void no_record_found(void **state)
{
	struct ckd_rig *rig = *state;

	ckd_rig_extent(rig, ALL, 0, 44);
	ckd_rig_locate(rig, 0x06, 1, 3, 13);
	ckd_rig_ccw(rig, 0x86, 0, 4096, CKD_RIG_DATA);
	run_check(rig, 0, SENSE1_NO_RECORD_FOUND, 0);
	/* A search that goes round: each CCW of the loop is good, the track is not endless. */
	ckd_rig_seek(rig, 3);
	ckd_rig_search_id(rig, 3, 13);
	ckd_rig_ccw(rig, 0x06, 0, 4096, CKD_RIG_DATA);
	run_check(rig, 0, SENSE1_NO_RECORD_FOUND, 0);
	/* An empty track, single and multi-track within a domain */
	ckd_rig_extent(rig, ALL, 0, 44);
	ckd_rig_locate(rig, 0x06, 2, 31, 0);
	ckd_rig_ccw(rig, 0x12, 0, 8, CKD_RIG_DATA);
	run_check(rig, 0, SENSE1_NO_RECORD_FOUND, 0);
	ckd_rig_extent(rig, ALL, 0, 44);
	ckd_rig_locate(rig, 0x06, 2, 31, 0);
	ckd_rig_ccw(rig, 0x92, 0, 8, CKD_RIG_DATA);
	run_check(rig, 0, SENSE1_NO_RECORD_FOUND, 0);
	/* The sense data say where */
	assert_int_equal(be16_get(rig->sense + 29), 2);
	/* A home address that is not the one that is searched for */
	ckd_rig_extent(rig, ALL, 0, 44);
	ckd_rig_locate(rig, 0x4c, 1, 3, 0);
	*ckd_rig_at(rig, rig->params - 16 + 11) = 9;
	ckd_rig_ccw(rig, 0xde, 0, 0xffff, CKD_RIG_DATA);
	run_check(rig, 0, SENSE1_NO_RECORD_FOUND, 0);
}

static void file_protected(void **state)
{
	static const struct {
		uint8_t mask, cmd;
		bool allowed;
	} seeks[] = {
		{0x00, 0x07, true},  {0x00, 0x0b, true},  {0x08, 0x07, false}, {0x08, 0x0b, true},
		{0x10, 0x07, false}, {0x10, 0x0b, false}, {0x18, 0x07, false}, {0x18, 0x0b, false},
	};
	struct ckd_rig *rig = *state;
	uint8_t seek[6] = {0};

	for (size_t i = 0; i < sizeof(seeks) / sizeof(seeks[0]); i++) {
		ckd_rig_command(rig, 0x1f, &seeks[i].mask, 1);
		ckd_rig_command(rig, seeks[i].cmd, seek, 6);
		if (!seeks[i].allowed) {
			run_check(rig, 0, SENSE1_FILE_PROTECTED, 0);
			continue;
		}
		ckd_rig_run(rig);
		ckd_rig_good(rig);
		ckd_rig_begin(rig);
	}
	/* Outside the extent: by Seek, by Locate Record */
	ckd_rig_extent(rig, ALL, 5, 10);
	ckd_rig_seek(rig, 11);
	run_check(rig, 0, SENSE1_FILE_PROTECTED, 0);
	ckd_rig_extent(rig, ALL, 5, 10);
	ckd_rig_locate(rig, 0x06, 1, 4, 1);
	run_check(rig, 0, SENSE1_FILE_PROTECTED, 0);
	/* Seek Head when the mask forbids it; multi-track too */
	ckd_rig_extent(rig, ALL | 0x18, 0, 44);
	ckd_rig_locate(rig, 0x00, 0, 0, 12);
	ckd_rig_command(rig, 0x1b, seek, 6);
	run_check(rig, 0, SENSE1_FILE_PROTECTED, 0);
	ckd_rig_extent(rig, ALL | 0x18, 0, 44);
	ckd_rig_locate(rig, 0x00, 0, 0, 12);
	ckd_rig_ccw(rig, 0x92, 0, 8, CKD_RIG_DATA);
	run_check(rig, 0, SENSE1_FILE_PROTECTED, 0);
}

/* Twelve records are on a track; the thirteenth would be outside the extent. */
static void end_of_extent(void **state)
{
	struct ckd_rig *rig = *state;

	ckd_rig_extent(rig, ALL, 14, 14);
	ckd_rig_locate(rig, 0x06, 2, 14, 12);
	ckd_rig_ccw(rig, 0x86, 0, 4096, CKD_RIG_DATA);
	ckd_rig_ccw(rig, 0x86, 0, 4096, CKD_RIG_DATA + 4096);
	run_check(rig, 0, SENSE1_FILE_PROTECTED, 0);
	/* With one track more it goes on into the next cylinder. */
	ckd_rig_extent(rig, ALL, 14, 15);
	ckd_rig_locate(rig, 0x06, 2, 14, 12);
	ckd_rig_ccw(rig, 0x86, 0, 4096, CKD_RIG_DATA);
	ckd_rig_ccw(rig, 0x86, 0, 4096, CKD_RIG_DATA + 4096);
	ckd_rig_run(rig);
	ckd_rig_good(rig);
	ckd_rig_begin(rig);
	/* Writing stops there too, and whole tracks. */
	ckd_rig_extent(rig, ALL, 14, 14);
	ckd_rig_locate(rig, 0x01, 2, 14, 12);
	ckd_rig_ccw(rig, 0x85, 0, 4096, CKD_RIG_DATA);
	ckd_rig_ccw(rig, 0x85, 0, 4096, CKD_RIG_DATA);
	run_check(rig, 0, SENSE1_FILE_PROTECTED, 0);
	ckd_rig_extent(rig, ALL, 14, 14);
	ckd_rig_locate(rig, 0x0c, 2, 14, 0);
	ckd_rig_ccw(rig, 0xde, CCW_SLI, 0xffff, CKD_RIG_DATA);
	ckd_rig_ccw(rig, 0xde, CCW_SLI, 0xffff, CKD_RIG_DATA);
	run_check(rig, 0, SENSE1_FILE_PROTECTED, 0);
}

static void end_of_cylinder(void **state)
{
	struct ckd_rig *rig = *state;
	uint8_t argument[5] = {0, 0, 0, 14, 13};

	/* Outside a domain a multi-track command does not leave the cylinder. */
	ckd_rig_seek(rig, 14);
	ckd_rig_command(rig, 0xb1, argument, 5);
	ckd_rig_ccw(rig, 0x08, 0, 0, rig->at - 8);
	run_check(rig, 0, SENSE1_END_OF_CYLINDER, 0);
}

static void invalid_track_format(void **state)
{
	struct ckd_rig *rig = *state;
	uint8_t count[8] = {0, 2, 0, 0, 1, 0, 0xdd, 0x58};

	/* An update of another length than the domain is about (transfer length 4095) */
	ckd_rig_extent(rig, ALL, 0, 44);
	ckd_rig_locate(rig, 0x01, 1, 0, 1);
	*ckd_rig_at(rig, rig->params - 16 + 1) = 0x80;
	be16_put(ckd_rig_at(rig, rig->params - 2), 4095);
	ckd_rig_ccw(rig, 0x85, 0, 4095, CKD_RIG_DATA);
	run_check(rig, 0, SENSE1_INVALID_TRACK_FORMAT, 0);
	/* More than a track holds: 56664 is the longest, and one of that length leaves no room */
	for (uint32_t len = 56664; len <= 56665; len++) {
		be16_put(count + 6, (uint16_t)len);
		memcpy(ckd_rig_at(rig, CKD_RIG_DATA), count, 8);
		ckd_rig_extent(rig, ALL, 0, 44);
		ckd_rig_locate(rig, 0x03, 1, 30, 0);
		ckd_rig_ccw(rig, 0x1d, CCW_SLI, (uint16_t)(8 + len), CKD_RIG_DATA);
		if (len > 56664) {
			run_check(rig, 0, SENSE1_INVALID_TRACK_FORMAT, 0);
			continue;
		}
		ckd_rig_run(rig);
		ckd_rig_good(rig);
		ckd_rig_begin(rig);
	}
	/* The track is full: not even an end-of-file record fits. */
	memset(count + 4, 0, 4);
	count[4] = 2;
	ckd_rig_extent(rig, ALL, 0, 44);
	ckd_rig_locate(rig, 0x03, 1, 30, 1);
	ckd_rig_command(rig, 0x1d, count, 8);
	run_check(rig, 0, SENSE1_INVALID_TRACK_FORMAT, 0);
}

/* Commands by themselves, in a program that begins with Seek 0; with reason. */
static void command_reject(void **state)
{
	static const struct {
		const char *name;
		uint8_t cmd, len, params[16];
		uint8_t why;
	} rows[] = {
		{"no such command", 0x7f, 1, {0}, REJECT_COMMAND},
		{"write special", 0x01, 1, {0}, REJECT_COMMAND},
		{"seek too short", 0x07, 5, {0}, REJECT_COUNT},
		{"seek to a bin", 0x07, 6, {0, 1}, REJECT_PARAMETER},
		{"seek beyond the volume", 0x07, 6, {0, 0, 0, 3}, REJECT_PARAMETER},
		{"seek beyond the cylinder", 0x07, 6, {0, 0, 0, 0, 0, 15}, REJECT_PARAMETER},
		{"extent too short", 0x63, 15, {ALL, 0xc0}, REJECT_COUNT},
		{"extent not ECKD", 0x63, 16, {ALL, 0x00}, REJECT_PARAMETER},
		{"reserved bit in the mask", 0x63, 16, {ALL | 0x20, 0xc0}, REJECT_PARAMETER},
		{"block size over all records",
		 0x63,
		 16,
		 {ALL, 0xc0, 0xff, 0xff},
		 REJECT_PARAMETER},
		{"extent backward",
		 0x63,
		 16,
		 {ALL, 0xc0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0},
		 REJECT_PARAMETER},
		{"extent beyond the volume",
		 0x63,
		 16,
		 {ALL, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0},
		 REJECT_PARAMETER},
		{"locate without extent", 0x47, 16, {0x06, 0, 0, 1}, REJECT_SEQUENCE},
		{"file mask with a reserved bit", 0x1f, 1, {0x20}, REJECT_PARAMETER},
		{"prefix behind something", 0xe7, 16, {0}, REJECT_SEQUENCE},
		{"sector beyond the track", 0x23, 1, {224}, REJECT_PARAMETER},
		{"write without a search", 0x05, 16, {0}, REJECT_SEQUENCE},
		{"format without a search", 0x1d, 16, {0}, REJECT_SEQUENCE},
		{"next track without a domain", 0x9d, 16, {0}, REJECT_SEQUENCE},
		{"read track without a domain", 0xde, 16, {0}, REJECT_SEQUENCE},
		{"subsystem data that nobody prepared", 0x3e, 16, {0}, REJECT_SEQUENCE},
		{"unknown subsystem function", 0x27, 12, {0x99}, REJECT_PARAMETER},
	};
	struct ckd_rig *rig = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		ckd_rig_seek(rig, 0);
		ckd_rig_command(rig, rows[i].cmd, rows[i].params, rows[i].len);
		run_check(rig, SENSE_COMMAND_REJECT, 0, rows[i].why);
	}
	/* Data commands want to know the track. */
	ckd_rig_ccw(rig, 0x06, CCW_SLI, 4096, CKD_RIG_DATA);
	run_check(rig, SENSE_COMMAND_REJECT, 0, REJECT_SEQUENCE);
}

/* Locate Record by itself, behind an extent of all. */
static void locate_reject(void **state)
{
	static const struct {
		const char *name;
		uint8_t params[16];
	} rows[] = {
		{"unknown operation", {0x3e, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff}},
		{"write data at home", {0x41, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff}},
		{"format behind data", {0x83, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff}},
		{"reserved auxiliary bit", {0x06, 0x40, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff}},
		{"byte 2", {0x06, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff}},
		{"count 0", {0x06, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff}},
		{"orient with a count", {0x00, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff}},
		{"suffix with count 1", {0x06, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff}},
		{"track beyond the volume", {0x06, 0, 0, 1, 0, 3, 0, 0, 0, 0, 0, 0, 1, 0xff}},
		{"sector", {0x06, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 224}},
		{"length that is not valid",
		 {0x06, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 1}},
		{"valid length of 0", {0x06, 0x80, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0}},
	};
	struct ckd_rig *rig = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		ckd_rig_extent(rig, ALL, 0, 44);
		ckd_rig_command(rig, 0x47, rows[i].params, 16);
		run_check(rig, SENSE_COMMAND_REJECT, 0, REJECT_PARAMETER);
	}
	/* A second one within the domain; a command that does not fit the operation; an extent
	 * twice */
	ckd_rig_extent(rig, ALL, 0, 44);
	ckd_rig_locate(rig, 0x06, 2, 0, 1);
	ckd_rig_locate(rig, 0x06, 2, 0, 1);
	run_check(rig, SENSE_COMMAND_REJECT, 0, REJECT_SEQUENCE);
	ckd_rig_extent(rig, ALL, 0, 44);
	ckd_rig_locate(rig, 0x06, 2, 0, 1);
	ckd_rig_ccw(rig, 0x85, 0, 4096, CKD_RIG_DATA);
	run_check(rig, SENSE_COMMAND_REJECT, 0, REJECT_SEQUENCE);
	ckd_rig_extent(rig, ALL, 0, 44);
	ckd_rig_extent(rig, ALL, 0, 44);
	run_check(rig, SENSE_COMMAND_REJECT, 0, REJECT_SEQUENCE);
}

/* Writes that the file mask forbids; none may reach the volume. */
static void write_mask(void **state)
{
	static const struct {
		uint8_t mask, operation, cmd;
		bool allowed;
	} rows[] = {
		{0x00, 0x01, 0x85, true},  {0x40, 0x01, 0x85, false}, {0x80, 0x01, 0x85, true},
		{0xc0, 0x01, 0x85, true},  {0x00, 0x03, 0x1d, true},  {0x40, 0x03, 0x1d, false},
		{0x80, 0x03, 0x1d, false}, {0xc0, 0x03, 0x1d, true},  {0x00, 0x43, 0x15, false},
		{0xc0, 0x43, 0x15, true},
	};
	struct ckd_rig *rig = *state;
	uint8_t bytes[4096] = {0, 0, 0, 5, 0, 0, 0, 8};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t before[4096];

		ckd_rig_begin(rig);
		assert_int_equal(ckd_4k_format(rig->image, 5, 5), 0);
		memcpy(before, ckd_track(rig->image, 0, 5), sizeof(before));
		bytes[4] = rows[i].cmd == 0x15 ? 0 : 2;
		memcpy(ckd_rig_at(rig, CKD_RIG_DATA), bytes, sizeof(bytes));
		ckd_rig_extent(rig, rows[i].mask, 0, 44);
		ckd_rig_locate(rig, rows[i].operation, 1, 5, 1);
		ckd_rig_ccw(rig, rows[i].cmd, 0, rows[i].cmd == 0x85 ? 4096 : 16, CKD_RIG_DATA);
		ckd_rig_run(rig);
		print_message("%02x %02x\n", rows[i].mask, rows[i].cmd);
		if (rows[i].allowed) {
			ckd_rig_good(rig);
			continue;
		}
		ckd_rig_check(rig, SENSE_COMMAND_REJECT, 0, REJECT_MASK);
		assert_memory_equal(ckd_track(rig->image, 0, 5), before, sizeof(before));
	}
}

static void read_only(void **state)
{
	struct ckd_rig *rig = *state;

	ckd_rig_reopen(rig, true);
	ckd_rig_extent(rig, ALL, 0, 44);
	ckd_rig_locate(rig, 0x01, 1, 0, 1);
	run_check(rig, SENSE_EQUIPMENT_CHECK, SENSE1_WRITE_INHIBITED, 0);
	ckd_rig_seek(rig, 0);
	ckd_rig_search_id(rig, 0, 1);
	ckd_rig_ccw(rig, 0x05, 0, 4096, CKD_RIG_DATA);
	run_check(rig, SENSE_EQUIPMENT_CHECK, SENSE1_WRITE_INHIBITED, 0);
}

static void damage(struct ckd_rig *rig, uint32_t track, uint32_t offset, uint8_t value)
{
	assert_int_equal(ckd_write(rig->image, track / 15, track % 15, offset, &value, 1), 0);
}

/* Damaged tracks end in a unit check, and no byte outside the record is transferred. */
static void damaged(void **state)
{
	struct ckd_rig *rig = *state;

	damage(rig, 2, 4, 7); /* another home address */
	ckd_rig_4k(rig, false, false, 24, 1, CKD_RIG_DATA);
	ckd_rig_check(rig, SENSE_DATA_CHECK, SENSE1_INVALID_TRACK_FORMAT, 0);
	/* A record that runs over the end of its track */
	damage(rig, 3, CKD_HOME + 16 + 11 * (8 + 4096) + 6, 0xff);
	ckd_rig_4k(rig, true, false, 47, 1, CKD_RIG_DATA);
	ckd_rig_check(rig, SENSE_DATA_CHECK, SENSE1_INVALID_TRACK_FORMAT, 0);
	ckd_rig_4k(rig, true, false, 46, 1, CKD_RIG_DATA);
	ckd_rig_good(rig);
	/* No end of track: what follows is not read as a record */
	for (uint32_t i = 0; i < 8; i++)
		damage(rig, 4, CKD_HOME + 16 + 12 * (8 + 4096) + i, 0xfe);
	ckd_rig_begin(rig);
	ckd_rig_extent(rig, ALL, 0, 44);
	ckd_rig_locate(rig, 0x06, 1, 4, 200);
	run_check(rig, SENSE_DATA_CHECK, SENSE1_INVALID_TRACK_FORMAT, 0);
	/* The file gets shorter under our hands. */
	assert_int_equal(truncate(rig->path, 100000), 0);
	ckd_rig_4k(rig, false, false, 200, 1, CKD_RIG_DATA);
	ckd_rig_check(rig, SENSE_INTERVENTION, 0, 0);
}

/* The file gets shorter behind the look at its size that a program begins with. */
static void shortened_under_a_program(void **state)
{
	struct ckd_rig *rig = *state;

	QEMU_USER_LACKS("the address of a SIGBUS");
	/* cmocka takes the signal before each test; opening takes it back. */
	ckd_rig_reopen(rig, false);
	ckd_rig_4k(rig, false, false, 0, 1, CKD_RIG_DATA);
	ckd_rig_good(rig);
	rig->image->unshared = true; /* a program without a look at the size makes the moment
				      * certain */
	assert_int_equal(truncate(rig->path, 28 * 56832), 0);
	for (int transport = 0; transport < 2; transport++) {
		ckd_rig_begin(rig);
		ckd_rig_4k(rig, transport, false, 359, 1, CKD_RIG_DATA);
		ckd_rig_check(rig, SENSE_INTERVENTION, 0, 0);
	}
	/* A file that was shortened once stays unusable, even for tracks that still exist. */
	ckd_rig_4k(rig, false, false, 0, 1, CKD_RIG_DATA);
	ckd_rig_check(rig, SENSE_INTERVENTION, 0, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, ckd_rig_setup, ckd_rig_teardown)
	const struct CMUnitTest tests[] = {
		TEST(no_record_found),
		TEST(file_protected),
		TEST(end_of_extent),
		TEST(end_of_cylinder),
		TEST(invalid_track_format),
		TEST(command_reject),
		TEST(locate_reject),
		TEST(write_mask),
		TEST(read_only),
		TEST(damaged),
		TEST(shortened_under_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
