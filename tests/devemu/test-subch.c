/* SPDX-License-Identifier: Apache-2.0 */
/* test-subch.c - ORB, SCSW and SCHIB byte for byte; the instructions and their condition codes
 *
 * Layouts: z/Architecture Principles of Operation, SA22-7832, "Operation-Request Block",
 * "Subchannel-Information Block" and "Interruption-Response Block"; the same in Linux,
 * drivers/s390/cio/orb.h and arch/s390/include/asm/scsw.h.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lfp/bigend.h"
#include "tests/devemu/channel-rig.h"

static void orb_command(void **state)
{
	/* Key 5, suspend, format 1, prefetch, initial status, limit checking, suppress; 64-bit
	 * IDAWs of 2 KB; L, D, X. */
	static const uint8_t golden[ORB_LEN] = {0x00, 0xc0, 0xff, 0xee, 0x58, 0xfb, 0x81, 0xc1,
						0x00, 0x12, 0x34, 0x50, 0x07, 0x00, 0x09};
	struct orb orb = {
		.intparm = 0xc0ffee,
		.key = 0x50,
		.suspend = true,
		.format1 = true,
		.prefetch = true,
		.initial_status = true,
		.address_limit = true,
		.suppress_suspended = true,
		.idaw64 = true,
		.idaw2k = true,
		.lpm = 0x81,
		.length_suppression = true,
		.midaw = true,
		.extended = true,
		.program = 0x123450,
		.css_priority = 7,
		.cu_priority = 9,
	};
	uint8_t bytes[ORB_LEN];
	struct orb back;

	(void)state;
	orb_encode(&orb, bytes);
	assert_memory_equal(bytes, golden, ORB_LEN);
	assert_int_equal(orb_decode(golden, &back), 0);
	orb_encode(&back, bytes);
	assert_memory_equal(bytes, golden, ORB_LEN);
	/* Each reserved bit of word 1, and bit 0 of the address, is an operand exception. */
	for (int bit = 1; bit < 6; bit++) {
		memcpy(bytes, golden, ORB_LEN);
		bytes[7] |= (uint8_t)(1 << bit);
		assert_int_equal(orb_decode(bytes, &back), -EINVAL);
	}
	memcpy(bytes, golden, ORB_LEN);
	bytes[8] = 0x80;
	assert_int_equal(orb_decode(bytes, &back), -EINVAL);
}

static void orb_transport(void **state)
{
	/* Bit B is X'04' of the second byte of flags. */
	static const uint8_t golden[ORB_LEN] = {0x00, 0x00, 0x00, 0x01, 0x30, 0x04, 0xff,
						0x01, 0x00, 0x01, 0x00, 0x40, 0x02};
	struct orb orb = {.intparm = 1,
			  .key = 0x30,
			  .transport = true,
			  .lpm = 0xff,
			  .extended = true,
			  .program = 0x10040,
			  .css_priority = 2};
	uint8_t bytes[ORB_LEN];
	struct orb back;

	(void)state;
	orb_encode(&orb, bytes);
	assert_memory_equal(bytes, golden, ORB_LEN);
	assert_int_equal(orb_decode(golden, &back), 0);
	assert_true(back.transport);
	bytes[7] = 0; /* not extended */
	assert_int_equal(orb_decode(bytes, &back), -EINVAL);
	orb_encode(&orb, bytes);
	bytes[5] |= 0x80; /* format 1 means nothing there */
	assert_int_equal(orb_decode(bytes, &back), -EINVAL);
}

static void scsw_golden(void **state)
{
	/* Key 5, format 1, prefetch; E; start; alert, primary, secondary, pending. */
	static const uint8_t command[SCSW_LEN] = {0x50, 0xc2, 0x40, 0x17, 0x00, 0x00,
						  0x10, 0x10, 0x0e, 0x40, 0x0f, 0xff};
	/* X, and FCX status with SESQ instead of a count. */
	static const uint8_t transport[SCSW_LEN] = {0x00, 0x10, 0x40, 0x07, 0x00, 0x00,
						    0x20, 0x40, 0x0c, 0x00, 0x01, 0x04};
	struct scsw scsw = {
		.key = 0x50,
		.format1 = true,
		.prefetch = true,
		.extended_control = true,
		.fctl = FCTL_START,
		.stctl = STCTL_ALERT | STCTL_PRIMARY | STCTL_SECONDARY | STCTL_PENDING,
		.address = 0x1010,
		.unit_status = UNIT_END | UNIT_CHECK,
		.sch_status = SCH_INCORRECT_LENGTH,
		.count = 0xfff,
	};
	uint8_t bytes[SCSW_LEN];

	(void)state;
	scsw_encode(&scsw, bytes);
	assert_memory_equal(bytes, command, SCSW_LEN);
	scsw_decode(command, &scsw);
	scsw_encode(&scsw, bytes);
	assert_memory_equal(bytes, command, SCSW_LEN);
	scsw = (struct scsw){.transport = true,
			     .fctl = FCTL_START,
			     .stctl = STCTL_PRIMARY | STCTL_SECONDARY | STCTL_PENDING,
			     .address = 0x2040,
			     .unit_status = UNIT_END,
			     .fcx_status = TCW_FCXS_TSB_VALID,
			     .extended_status = TCW_SESQ_PATH};
	scsw_encode(&scsw, bytes);
	assert_memory_equal(bytes, transport, SCSW_LEN);
}

static void schib(void **state)
{
	/* ISC 3, enabled, valid; one path; concurrent sense. */
	static const uint8_t golden[28] = {
		0x00, 0x00, 0x00, 0x07, 0x18, 0x81, 0x12, 0x34, 0x80, 0x00, 0x00, 0x80, 0x00, 0x00,
		0xff, 0x80, 0x50, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01};
	struct rig *rig = *state;
	uint8_t bytes[SCHIB_LEN];

	rig->subch->pmcw.chpid[0] = 0x50;
	rig->subch->pmcw.isc = 3;
	rig->subch->pmcw.intparm = 7;
	assert_int_equal(subch_store(rig->subch, bytes), 0);
	assert_memory_equal(bytes, golden, 28);
	/* MSCH changes only the modifiable fields, not the number or the installed paths.
	 */
	bytes[3] = 9;
	bytes[6] = 0x99;
	bytes[11] = 0xff;
	assert_int_equal(subch_modify(rig->subch, bytes), 0);
	assert_int_equal(rig->subch->pmcw.intparm, 9);
	assert_int_equal(rig->subch->pmcw.devno, 0x1234);
	assert_int_equal(rig->subch->pmcw.pim, 0x80);
	bytes[4] |= 0x80;
	assert_int_equal(subch_modify(rig->subch, bytes), -EINVAL);
	/* Not enabled is not operational. */
	subch_store(rig->subch, bytes);
	bytes[5] &= 0x7f;
	assert_int_equal(subch_modify(rig->subch, bytes), 0);
	rig_ccw(rig, 0x03, CCW_SLI, 1, 0);
	assert_int_equal(rig_start(rig), 3);
	assert_int_equal(rig_test(rig), 3);
	assert_int_equal(subch_halt(rig->subch), 3);
	assert_int_equal(subch_clear(rig->subch), 3);
	assert_int_equal(subch_resume(rig->subch), 3);
}

static void codes(void **state)
{
	struct rig *rig = *state;
	uint8_t bytes[SCHIB_LEN];

	assert_int_equal(rig_test(rig), 1);
	rig_ccw(rig, 0x03, CCW_SLI, 1, 0);
	assert_int_equal(rig_start(rig), 0);
	/* Status is pending: only TSCH, CSCH and STSCH do anything. */
	assert_int_equal(rig_start(rig), 1);
	assert_int_equal(subch_halt(rig->subch), 1);
	assert_int_equal(subch_resume(rig->subch), 1);
	assert_int_equal(subch_cancel(rig->subch), 1);
	assert_int_equal(subch_store(rig->subch, bytes), 0);
	assert_int_equal(subch_modify(rig->subch, bytes), 1);
	assert_int_equal(rig_test(rig), 0);
	assert_int_equal(rig->scsw.fctl, FCTL_START);
	assert_int_equal(rig->irb[IRB_ESW + 1], 0x80); /* the path that was used */
	assert_int_equal(rig_test(rig), 1);
	assert_int_equal(rig->scsw.fctl, 0);
	assert_int_equal(rig->subch->pmcw.intparm, 0xcafe);
	/* No path of those that the ORB allows */
	rig->orb.lpm = 0x40;
	assert_int_equal(rig_start(rig), 3);
}

/* A device that waits: the subchannel is busy, and can be halted and cleared. */
static void waits(void **state)
{
	struct rig *rig = *state;

	rig->dev.later = 2;
	rig_ccw(rig, 0x02, 0, 16, RIG_DATA);
	assert_int_equal(rig_start(rig), 0);
	assert_true(subch_waits(rig->subch));
	assert_int_equal(rig_test(rig), 1);
	assert_int_equal(rig->scsw.actl, ACTL_SUBCHANNEL | ACTL_DEVICE);
	assert_int_equal(rig_start(rig), 2);
	assert_int_equal(subch_resume(rig->subch), 2);
	subch_continue(rig->subch);
	assert_true(subch_waits(rig->subch));
	assert_int_equal(rig->interrupts, 0);
	subch_continue(rig->subch);
	assert_false(subch_waits(rig->subch));
	assert_int_equal(rig->interrupts, 1);
	assert_int_equal(rig_test(rig), 0);
	assert_int_equal(rig->scsw.unit_status, UNIT_END);
	assert_int_equal(rig->dev.count, 1);

	rig->dev.later = 1;
	assert_int_equal(rig_start(rig), 0);
	assert_int_equal(subch_halt(rig->subch), 0);
	assert_int_equal(rig->dev.resets, 1);
	assert_int_equal(rig_test(rig), 0);
	assert_int_equal(rig->scsw.fctl, FCTL_START | FCTL_HALT);
	assert_int_equal(rig->scsw.count, 16);
	subch_continue(rig->subch); /* too late: no program waits */
	assert_int_equal(rig_test(rig), 1);

	rig->dev.later = 1;
	assert_int_equal(rig_start(rig), 0);
	assert_int_equal(subch_clear(rig->subch), 0);
	assert_int_equal(rig->dev.resets, 2);
	assert_int_equal(subch_halt(rig->subch), 1);
	assert_int_equal(rig_test(rig), 0);
	assert_int_equal(rig->scsw.fctl, FCTL_CLEAR);
	assert_int_equal(rig->scsw.stctl, STCTL_PENDING);
	rig->dev.later = 0;
	assert_int_equal(rig_run(rig), 0);
	assert_int_equal(rig->scsw.unit_status, UNIT_END);
	/* Halt with nothing to halt */
	assert_int_equal(subch_halt(rig->subch), 0);
	assert_int_equal(rig_test(rig), 0);
	assert_int_equal(rig->scsw.fctl, FCTL_HALT);
}

static void attention(void **state)
{
	struct rig *rig = *state;

	subch_attention(rig->subch, UNIT_ATTENTION);
	assert_int_equal(rig->interrupts, 1);
	rig_ccw(rig, 0x03, CCW_SLI, 1, 0);
	assert_int_equal(rig_start(rig), 1);
	assert_int_equal(rig_test(rig), 0);
	assert_int_equal(rig->scsw.stctl, STCTL_ALERT | STCTL_PENDING);
	assert_int_equal(rig->scsw.fctl, 0);
	assert_int_equal(rig->scsw.unit_status, UNIT_ATTENTION);
	/* While a program is under way it waits for the program's end to be taken. */
	assert_int_equal(rig_start(rig), 0);
	subch_attention(rig->subch, UNIT_ATTENTION);
	assert_int_equal(rig_test(rig), 0);
	assert_int_equal(rig->scsw.unit_status, UNIT_END);
	assert_int_equal(rig_test(rig), 0);
	assert_int_equal(rig->scsw.unit_status, UNIT_ATTENTION);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		TEST(orb_command), TEST(orb_transport), TEST(scsw_golden), TEST(schib),
		TEST(codes),       TEST(waits),         TEST(attention),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
