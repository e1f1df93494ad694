/* SPDX-License-Identifier: Apache-2.0 */
/* test-ccw-checks.c - program and protection checks, and the IUs that a program is made of
 *
 * z/Architecture Principles of Operation, SA22-7832, "Program Check" and "Protection Check"; FICON
 * Express32S paper for the IUs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/devemu/channel-rig.h"

static const uint8_t *data(struct rig *rig, uint32_t offset)
{
	return rig->storage->bytes + RIG_DATA + offset;
}

/* The program ended with exactly this. */
static void ends(struct rig *rig, uint8_t unit, uint8_t sch, uint16_t count, uint32_t last)
{
	assert_int_equal(rig->scsw.unit_status, unit);
	assert_int_equal(rig->scsw.sch_status, sch);
	assert_int_equal(rig->scsw.count, count);
	assert_int_equal(rig->scsw.address, last + CCW_LEN);
}

struct bad {
	const char *name;
	bool format0;
	uint8_t cmd, flags;
	uint16_t count;
	uint32_t addr;
	uint8_t sch;
	uint16_t residual;
};

static void program_checks(void **state)
{
	static const struct bad rows[] = {
		{"command X'00'", false, 0x00, 0, 16, RIG_DATA, SCH_PROGRAM_CHECK, 0},
		{"command X'10'", true, 0x10, 0, 16, RIG_DATA, SCH_PROGRAM_CHECK, 0},
		{"count 0 in format 0", true, 0x02, 0, 0, RIG_DATA, SCH_PROGRAM_CHECK, 0},
		{"count 0 with CD", false, 0x02, CCW_CD, 0, RIG_DATA, SCH_PROGRAM_CHECK, 0},
		{"address bit 0", false, 0x02, 0, 16, 0x80020000, SCH_PROGRAM_CHECK, 0},
		{"IDA and MIDAW", false, 0x02, CCW_IDA | CCW_MIDAW, 16, RIG_DATA, SCH_PROGRAM_CHECK,
		 0},
		{"MIDAW that the ORB forbids", false, 0x02, CCW_MIDAW, 16, RIG_DATA,
		 SCH_PROGRAM_CHECK, 0},
		{"IDAWs not on a word", false, 0x02, CCW_IDA, 16, RIG_DATA + 2, SCH_PROGRAM_CHECK,
		 0},
		{"data behind storage", false, 0x02, 0, 16, RIG_STORAGE, SCH_PROGRAM_CHECK, 16},
		{"data over the end", false, 0x02, 0, 16, RIG_STORAGE - 6, SCH_PROGRAM_CHECK, 10},
		{"written from over the end", false, 0x01, 0, 16, RIG_STORAGE - 6,
		 SCH_PROGRAM_CHECK, 10},
		{"IDAWs behind storage", false, 0x02, CCW_IDA, 16, RIG_STORAGE, SCH_PROGRAM_CHECK,
		 16},
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct bad *row = &rows[i];

		print_message("%s\n", row->name);
		rig_clear(rig);
		rig->orb.format1 = !row->format0;
		rig_ccw(rig, row->cmd, row->flags, row->count, row->addr);
		assert_int_equal(rig_run(rig), 0);
		ends(rig, rig->dev.count ? UNIT_END : 0, row->sch, row->residual, RIG_PROGRAM);
	}
	/* The program itself: not there, not aligned, above 16 MB in format 0 */
	rig_clear(rig);
	rig->orb.program = RIG_STORAGE;
	assert_int_equal(rig_run(rig), 0);
	ends(rig, 0, SCH_PROGRAM_CHECK, 0, RIG_STORAGE);
	rig->orb.program = RIG_PROGRAM + 4;
	assert_int_equal(rig_run(rig), 0);
	ends(rig, 0, SCH_PROGRAM_CHECK, 0, RIG_PROGRAM + 4);
	rig->orb.format1 = false;
	rig->orb.program = 0x1000000;
	assert_int_equal(rig_run(rig), 0);
	ends(rig, 0, SCH_PROGRAM_CHECK, 0, 0x1000000);
	assert_int_equal(rig->dev.count, 0);
	/* A chain that runs out of storage */
	rig_clear(rig);
	rig->orb.program = rig->at = RIG_STORAGE - 8;
	rig_ccw(rig, 0x02, CCW_CC, 16, RIG_DATA);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, 0, SCH_PROGRAM_CHECK, 0, RIG_STORAGE);
	assert_int_equal(rig->dev.count, 1);
}

static void protection(void **state)
{
	struct rig *rig = *state;

	rig->orb.key = 0x20;
	storage_key_set(rig->storage, RIG_PROGRAM, 0x20);
	storage_key_set(rig->storage, RIG_DATA, 0x20);
	storage_key_set(rig->storage, RIG_DATA + 4096, 0x30);
	/* Up to the page with another key, and not one byte of that. */
	rig->dev.wants = 32;
	rig->dev.first = 1;
	rig_ccw(rig, 0x02, 0, 32, RIG_DATA + 4096 - 10);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, SCH_PROTECTION_CHECK, 22, RIG_PROGRAM);
	assert_int_equal(*data(rig, 4095), 10);
	assert_int_equal(*data(rig, 4096), 0);
	/* To be fetched it needs no key, unless fetch protection is on. */
	rig->at = RIG_PROGRAM;
	rig_ccw(rig, 0x01, 0, 32, RIG_DATA + 4096);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, 0, 0, RIG_PROGRAM);
	storage_key_set(rig->storage, RIG_DATA + 4096, 0x30 | STORAGE_KEY_FETCH);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, SCH_PROTECTION_CHECK, 32, RIG_PROGRAM);
	/* Nor can the program be fetched. */
	storage_key_set(rig->storage, RIG_PROGRAM, 0x30 | STORAGE_KEY_FETCH);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, 0, SCH_PROTECTION_CHECK, 0, RIG_PROGRAM);
	/* Key 0 may do all. */
	rig->orb.key = 0;
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, 0, 0, RIG_PROGRAM);
}

/* The paper's counts: three CCWs are three IUs to the control unit, and three come back. */
static void information_units(void **state)
{
	struct rig *rig = *state;

	rig->dev.wants = 16;
	rig_ccw(rig, 0x63, CCW_CC, 16, RIG_DATA);
	rig_ccw(rig, 0x47, CCW_CC, 16, RIG_DATA);
	rig_ccw(rig, 0x06, 0, 16, RIG_DATA + 4096);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, 0, 0, RIG_PROGRAM + 16);
	assert_int_equal(rig->iu_out, 3);
	assert_int_equal(rig->iu_in, 3);
	assert_int_equal(rig->kinds[IU_COMMAND_DATA], 2);
	assert_int_equal(rig->kinds[IU_COMMAND], 1);
	assert_int_equal(rig->kinds[IU_COMMAND_RESPONSE], 1);
	assert_int_equal(rig->kinds[IU_DATA], 1);
	assert_int_equal(rig->kinds[IU_STATUS], 1);
	assert_int_equal(rig->bytes_out, 32);
	assert_int_equal(rig->bytes_in, 16);

	/* 20,000 bytes are three data IUs, each way. */
	for (uint8_t cmd = 1; cmd <= 2; cmd++) {
		rig_clear(rig);
		rig->dev.wants = 20000;
		rig_ccw(rig, cmd, 0, 20000, RIG_DATA);
		assert_int_equal(rig_run(rig), 0);
		assert_int_equal(rig->kinds[IU_DATA] + rig->kinds[IU_COMMAND_DATA], 3);
		assert_int_equal(cmd == 1 ? rig->bytes_out : rig->bytes_in, 20000);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		TEST(program_checks),
		TEST(protection),
		TEST(information_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
