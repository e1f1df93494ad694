/* SPDX-License-Identifier: Apache-2.0 */
/* test-ccw.c - each flag of a CCW, and each way to end a chain
 *
 * Layouts and the incorrect-length table: z/Architecture Principles of Operation, SA22-7832,
 * chapter "Basic I/O Functions" (CCW, ORB) and "I/O Interruptions" (subchannel status).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lfp/bigend.h"
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

static void golden(void **state)
{
	static const uint8_t format0[8] = {0x02, 0x12, 0x34, 0x56, 0x60, 0x00, 0x10, 0x00};
	static const uint8_t format1[8] = {0x02, 0x64, 0x10, 0x00, 0x12, 0x34, 0x56, 0x78};
	struct ccw ccw = {.cmd = 2, .flags = CCW_CC | CCW_SLI, .count = 0x1000, .addr = 0x123456};
	uint8_t bytes[8];

	(void)state;
	ccw_encode(&ccw, false, bytes);
	assert_memory_equal(bytes, format0, 8);
	ccw.flags |= CCW_IDA;
	ccw.addr = 0x12345678;
	ccw_encode(&ccw, true, bytes);
	assert_memory_equal(bytes, format1, 8);
	ccw_decode(format0, false, &ccw);
	assert_int_equal(ccw.addr, 0x123456);
	assert_int_equal(ccw.flags, 0x60);
	assert_int_equal(ccw.count, 0x1000);
	ccw_decode(format1, true, &ccw);
	assert_int_equal(ccw.addr, 0x12345678);
	assert_int_equal(ccw.flags, 0x64);
}

/* Principles of Operation, "Channel-subsystem actions when the count and what the device moves
 * differ". */
static void lengths(void **state)
{
	static const struct {
		const char *name;
		uint8_t flags; /* of the first CCW, which a NOP follows */
		uint16_t count;
		uint32_t wants;
		uint8_t sch;
		uint16_t residual;
		bool chains;
	} rows[] = {
		{"equal", 0, 16, 16, 0, 0, false},
		{"equal, chained", CCW_CC, 16, 16, 0, 0, true},
		{"short", 0, 16, 10, SCH_INCORRECT_LENGTH, 6, false},
		{"short, SLI", CCW_SLI, 16, 10, 0, 6, false},
		{"short, CC", CCW_CC, 16, 10, SCH_INCORRECT_LENGTH, 6, false},
		{"short, CC and SLI", CCW_CC | CCW_SLI, 16, 10, 0, 0, true},
		{"long", 0, 16, 20, SCH_INCORRECT_LENGTH, 0, false},
		{"long, SLI", CCW_SLI, 16, 20, 0, 0, false},
		{"long, CC", CCW_CC, 16, 20, SCH_INCORRECT_LENGTH, 0, false},
		{"long, CC and SLI", CCW_CC | CCW_SLI, 16, 20, 0, 0, true},
		{"CD, ends early: SLI does not help", CCW_CD | CCW_SLI, 16, 10,
		 SCH_INCORRECT_LENGTH, 6, false},
		{"CD, ends just there", CCW_CD, 16, 16, SCH_INCORRECT_LENGTH, 0, false},
		{"nothing moved", 0, 16, 0, SCH_INCORRECT_LENGTH, 16, false},
		{"nothing moved, SLI", CCW_SLI, 16, 0, 0, 16, false},
	};
	struct rig *rig = *state;

	for (int cmd = 1; cmd <= 2; cmd++) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			uint32_t first, last;

			rig_clear(rig);
			rig->dev.wants = rows[i].wants;
			first = rig_ccw(rig, (uint8_t)cmd, rows[i].flags, rows[i].count, RIG_DATA);
			last = rig_ccw(rig, 0x03, CCW_SLI, 1, 0);
			assert_int_equal(rig_run(rig), 0);
			print_message("%d %s\n", cmd, rows[i].name);
			if (rows[i].chains)
				ends(rig, UNIT_END, 0, 1, last);
			else
				ends(rig, UNIT_END, rows[i].sch, rows[i].residual, first);
			assert_int_equal(rig->dev.count, rows[i].chains ? 2 : 1);
			assert_int_equal(rig->dev.begins, 1);
			assert_int_equal(rig->dev.ends, 1);
		}
	}
}

/* Immediate operations: format 1 may show the count, unless the ORB suppresses that; format 0 never
 * does. */
static void immediate(void **state)
{
	static const struct {
		bool format1, suppress;
		uint16_t count;
		uint8_t flags, sch;
	} rows[] = {
		{false, false, 1, 0, 0},
		{true, true, 1, 0, 0},
		{true, false, 1, 0, SCH_INCORRECT_LENGTH},
		{true, false, 1, CCW_SLI, 0},
		{true, false, 0, 0, 0},
	};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t first;

		rig_clear(rig);
		rig->orb.format1 = rows[i].format1;
		rig->orb.length_suppression = rows[i].suppress;
		first = rig_ccw(rig, 0x03, rows[i].flags, rows[i].count, 0);
		assert_int_equal(rig_run(rig), 0);
		ends(rig, UNIT_END, rows[i].sch, rows[i].count, first);
	}
}

static void data_chaining(void **state)
{
	struct rig *rig = *state;
	uint32_t last;

	rig->dev.wants = 30;
	rig->dev.first = 1;
	rig_ccw(rig, 0x02, CCW_CD, 7, RIG_DATA);
	rig_ccw(rig, 0x08, 0, 0, rig->at + 16); /* over one that would be wrong */
	rig_ccw(rig, 0x00, 0, 0, 0);
	rig_ccw(rig, 0x00, CCW_CD, 11, RIG_DATA + 100); /* no command is needed */
	last = rig_ccw(rig, 0xff, 0, 12, RIG_DATA + 200);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, 0, 0, last);
	assert_int_equal(rig->dev.count, 1);
	for (int i = 0; i < 30; i++) {
		uint32_t at = i < 7    ? (uint32_t)i
			      : i < 18 ? 100 + (uint32_t)i - 7
				       : 200 + (uint32_t)i - 18;

		assert_int_equal(*data(rig, at), 1 + i);
	}
	assert_int_equal(*data(rig, 7), 0);
	assert_int_equal(*data(rig, 212), 0);

	/* And the other way. */
	rig_clear(rig);
	rig->dev.wants = 5;
	memcpy(rig->storage->bytes + RIG_DATA, "ABCDE", 5);
	rig_ccw(rig, 0x01, CCW_CD, 2, RIG_DATA);
	last = rig_ccw(rig, 0x01, 0, 3, RIG_DATA + 2);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, 0, 0, last);
	assert_int_equal(rig->dev.got_len, 5);
	assert_memory_equal(rig->dev.got, "ABCDE", 5);
}

static void skipping(void **state)
{
	struct rig *rig = *state;
	uint32_t last;

	/* Skipped bytes need no storage: the address is far outside. */
	rig->dev.wants = 12;
	rig->dev.first = 1;
	rig_ccw(rig, 0x02, CCW_CD | CCW_SKIP, 8, 0x7fffff00);
	last = rig_ccw(rig, 0x02, 0, 4, RIG_DATA);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, 0, 0, last);
	assert_memory_equal(data(rig, 0), "\x09\x0a\x0b\x0c\x00", 5);

	/* Skip has no effect on a write. */
	rig_clear(rig);
	rig->dev.wants = 3;
	memcpy(rig->storage->bytes + RIG_DATA, "xyz", 3);
	last = rig_ccw(rig, 0x01, CCW_SKIP, 3, RIG_DATA);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, 0, 0, last);
	assert_memory_equal(rig->dev.got, "xyz", 3);
}

static void backward(void **state)
{
	struct rig *rig = *state;
	uint32_t last;

	rig->dev.wants = 4;
	rig->dev.first = 1;
	last = rig_ccw(rig, 0x0c, 0, 4, RIG_DATA + 3);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, 0, 0, last);
	assert_memory_equal(data(rig, 0), "\x04\x03\x02\x01", 4);

	/* Down to address 0 and no further. */
	rig_clear(rig);
	rig->dev.wants = 4;
	last = rig_ccw(rig, 0x0c, 0, 4, 1);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, SCH_PROGRAM_CHECK, 2, last);
}

static void on_pci_interrupt(void *ctx, struct subch *subch)
{
	struct rig *rig = ctx;

	rig->interrupts++;
	/* The program takes the intermediate status at once. */
	if (subch->scsw.actl & ACTL_SUBCHANNEL) {
		assert_int_equal(rig_test(rig), 0);
		assert_int_equal(rig->scsw.stctl, STCTL_INTERMEDIATE | STCTL_PENDING);
		assert_int_equal(rig->scsw.sch_status, SCH_PCI);
		assert_int_equal(rig->scsw.fctl, FCTL_START);
	}
}

static void pci(void **state)
{
	struct rig *rig = *state;
	uint32_t last;

	/* Not taken: it comes with the end. */
	rig_ccw(rig, 0x02, CCW_CC | CCW_PCI, 16, RIG_DATA);
	last = rig_ccw(rig, 0x02, 0, 16, RIG_DATA);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, SCH_PCI, 0, last);
	assert_int_equal(rig->scsw.stctl,
			 STCTL_INTERMEDIATE | STCTL_PRIMARY | STCTL_SECONDARY | STCTL_PENDING);
	assert_int_equal(rig->interrupts, 2);

	rig_clear(rig);
	rig->subch->interrupt = on_pci_interrupt;
	rig_ccw(rig, 0x02, CCW_CC | CCW_PCI, 16, RIG_DATA);
	last = rig_ccw(rig, 0x02, 0, 16, RIG_DATA);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, 0, 0, last);
	assert_int_equal(rig->scsw.stctl, STCTL_PRIMARY | STCTL_SECONDARY | STCTL_PENDING);

	/* Held back, it comes with the end too. */
	rig_clear(rig);
	rig->subch->hold = true;
	last = rig_ccw(rig, 0x02, CCW_PCI, 16, RIG_DATA);
	assert_int_equal(rig_start(rig), 0);
	assert_int_equal(rig->interrupts, 0);
	assert_int_equal(rig_test(rig), 1);
	subch_release(rig->subch);
	assert_int_equal(rig->interrupts, 1);
	assert_int_equal(rig_test(rig), 0);
	ends(rig, UNIT_END, SCH_PCI, 0, last);
}

static void transfer_in_channel(void **state)
{
	struct rig *rig = *state;
	uint32_t at, last;

	rig_ccw(rig, 0x02, CCW_CC, 16, RIG_DATA);
	rig_ccw(rig, 0x08, 0, 0, RIG_PROGRAM + 32);
	rig_ccw(rig, 0x03, 0, 1, 0);
	rig_ccw(rig, 0x03, 0, 1, 0);
	last = rig_ccw(rig, 0x02, 0, 16, RIG_DATA + 16);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, 0, 0, last);

	/* First of all */
	rig_clear(rig);
	at = rig_ccw(rig, 0x08, 0, 0, RIG_PROGRAM + 8);
	rig_ccw(rig, 0x03, CCW_SLI, 1, 0);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, 0, SCH_PROGRAM_CHECK, 0, at);
	assert_int_equal(rig->dev.count, 0);

	/* To another one */
	rig_clear(rig);
	rig_ccw(rig, 0x03, CCW_CC | CCW_SLI, 1, 0);
	rig_ccw(rig, 0x08, 0, 0, RIG_PROGRAM + 16);
	at = rig_ccw(rig, 0x08, 0, 0, RIG_PROGRAM);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, 0, SCH_PROGRAM_CHECK, 0, at);

	/* To an address that no CCW can have */
	rig_clear(rig);
	rig_ccw(rig, 0x03, CCW_CC | CCW_SLI, 1, 0);
	at = rig_ccw(rig, 0x08, 0, 0, RIG_PROGRAM + 4);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, 0, SCH_PROGRAM_CHECK, 0, at);

	/* Format 1 wants zeros in it, and X'08' exactly; format 0 looks at four bits only */
	rig_clear(rig);
	rig_ccw(rig, 0x03, CCW_CC | CCW_SLI, 1, 0);
	at = rig_ccw(rig, 0x08, 0, 1, RIG_PROGRAM + 16);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, 0, SCH_PROGRAM_CHECK, 0, at);
	rig_clear(rig);
	rig_ccw(rig, 0x03, CCW_CC | CCW_SLI, 1, 0);
	at = rig_ccw(rig, 0x18, 0, 0, RIG_PROGRAM + 16);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, 0, SCH_PROGRAM_CHECK, 0, at);
	rig_clear(rig);
	rig->orb.format1 = false;
	rig_ccw(rig, 0x03, CCW_CC, 1, 0);
	rig_ccw(rig, 0xf8, 0xff, 7, RIG_PROGRAM + 16);
	last = rig_ccw(rig, 0x02, 0, 16, RIG_DATA);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, 0, 0, last);
}

static void endless(void **state)
{
	struct rig *rig = *state;

	rig->subch->ccw.limit = 1000;
	rig_ccw(rig, 0x03, CCW_CC | CCW_SLI, 1, 0);
	rig_ccw(rig, 0x08, 0, 0, RIG_PROGRAM);
	assert_int_equal(rig_run(rig), 0);
	assert_int_equal(rig->scsw.unit_status, 0);
	assert_int_equal(rig->scsw.sch_status, SCH_PROGRAM_CHECK);
	assert_int_equal(rig->dev.ends, 1);
}

static void suspend(void **state)
{
	struct rig *rig = *state;
	uint32_t at, last;

	rig->orb.suspend = true;
	rig_ccw(rig, 0x02, CCW_CC, 16, RIG_DATA);
	at = rig_ccw(rig, 0x02, CCW_SUSPEND | CCW_CC, 16, RIG_DATA + 16);
	last = rig_ccw(rig, 0x02, 0, 16, RIG_DATA + 32);
	assert_int_equal(rig_start(rig), 0);
	assert_int_equal(rig->interrupts, 1);
	assert_int_equal(rig_test(rig), 0);
	assert_int_equal(rig->scsw.actl, ACTL_SUSPENDED);
	assert_int_equal(rig->scsw.stctl, STCTL_INTERMEDIATE | STCTL_PENDING);
	assert_int_equal(rig->scsw.address, at + 8);
	assert_int_equal(rig->dev.count, 1);
	assert_int_equal(rig_start(rig), 2);

	/* The flag is still on: suspended again, with nothing done. */
	assert_int_equal(subch_resume(rig->subch), 0);
	assert_int_equal(subch_resume(rig->subch), 1);
	assert_int_equal(rig_test(rig), 0);
	assert_int_equal(rig->scsw.actl, ACTL_SUSPENDED);
	assert_int_equal(rig->dev.count, 1);

	rig->storage->bytes[at + 1] = CCW_CC;
	assert_int_equal(subch_resume(rig->subch), 0);
	assert_int_equal(rig_test(rig), 0);
	ends(rig, UNIT_END, 0, 0, last);
	assert_int_equal(rig->dev.count, 3);
	assert_int_equal(subch_resume(rig->subch), 2);

	/* It may have become a TIC. */
	rig_clear(rig);
	rig->orb.suspend = rig->orb.suppress_suspended = true;
	rig_ccw(rig, 0x02, CCW_CC, 16, RIG_DATA);
	at = rig_ccw(rig, 0x02, CCW_SUSPEND, 16, RIG_DATA);
	last = rig_ccw(rig, 0x02, 0, 16, RIG_DATA);
	assert_int_equal(rig_start(rig), 0);
	assert_int_equal(rig->interrupts, 0); /* suppressed */
	rig->at = at;
	rig_ccw(rig, 0x08, 0, 0, last);
	assert_int_equal(subch_resume(rig->subch), 0);
	assert_int_equal(rig_test(rig), 0);
	ends(rig, UNIT_END, 0, 0, last);

	/* Without S in the ORB, or with CD, it is a program check. */
	rig_clear(rig);
	at = rig_ccw(rig, 0x02, CCW_SUSPEND, 16, RIG_DATA);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, 0, SCH_PROGRAM_CHECK, 0, at);
	rig_clear(rig);
	rig->orb.suspend = true;
	at = rig_ccw(rig, 0x02, CCW_SUSPEND | CCW_CD, 16, RIG_DATA);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, 0, SCH_PROGRAM_CHECK, 0, at);

	/* A suspended program can be cancelled. */
	rig_clear(rig);
	rig->orb.suspend = rig->orb.suppress_suspended = true;
	rig_ccw(rig, 0x02, CCW_SUSPEND, 16, RIG_DATA);
	assert_int_equal(rig_start(rig), 0);
	assert_int_equal(subch_cancel(rig->subch), 0);
	assert_int_equal(rig_test(rig), 1);
	rig->storage->bytes[RIG_PROGRAM + 1] = 0;
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, 0, 0, RIG_PROGRAM);
}

static void status_modifier(void **state)
{
	struct rig *rig = *state;
	uint32_t last;

	rig->dev.status = UNIT_END | UNIT_MODIFIER;
	rig_ccw(rig, 0x02, CCW_CC, 16, RIG_DATA);
	rig_ccw(rig, 0x00, 0, 0, 0); /* passed over, and not even looked at */
	last = rig_ccw(rig, 0x02, 0, 16, RIG_DATA + 16);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END | UNIT_MODIFIER, 0, 0, last);
	assert_int_equal(rig->dev.count, 2);
}

/* Anything but channel end with device end breaks a chain. */
static void unit_status(void **state)
{
	static const uint8_t rows[] = {UNIT_END | UNIT_EXCEPTION, UNIT_END | UNIT_ATTENTION,
				       UNIT_END | UNIT_CU_END,    UNIT_BUSY,
				       UNIT_BUSY | UNIT_MODIFIER, UNIT_CHANNEL_END};
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof(rows); i++) {
		rig_clear(rig);
		rig->dev.status = rows[i];
		rig_ccw(rig, 0x02, CCW_CC, 16, RIG_DATA);
		rig_ccw(rig, 0x02, 0, 16, RIG_DATA);
		assert_int_equal(rig_run(rig), 0);
		ends(rig, rows[i], 0, 0, RIG_PROGRAM);
		assert_int_equal(rig->dev.count, 1);
	}
	/* Busy at once: no data has moved, which is not an incorrect length. */
	rig_clear(rig);
	rig->dev.status = UNIT_BUSY;
	rig_ccw(rig, 0x03, 0, 1, 0);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_BUSY, 0, 1, RIG_PROGRAM);
}

static void unit_check(void **state)
{
	struct rig *rig = *state;

	rig->dev.status = UNIT_END | UNIT_CHECK;
	rig_ccw(rig, 0x02, CCW_CC, 16, RIG_DATA);
	rig_ccw(rig, 0x02, 0, 16, RIG_DATA);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END | UNIT_CHECK, 0, 0, RIG_PROGRAM);
	assert_int_equal(rig->scsw.stctl,
			 STCTL_ALERT | STCTL_PRIMARY | STCTL_SECONDARY | STCTL_PENDING);
	/* Concurrent sense: count and data are in the IRB. */
	assert_true(rig->scsw.extended_control);
	assert_int_equal(be32_get(rig->irb + IRB_ESW + 4), ERW_CONCURRENT_SENSE | 32 << 16);
	for (int i = 0; i < 32; i++)
		assert_int_equal(rig->irb[IRB_ECW + i], 0x80 + i);

	/* Without it the device keeps them for a Sense command. */
	rig_clear(rig);
	rig->subch->pmcw.concurrent_sense = false;
	rig->dev.status = UNIT_END | UNIT_CHECK;
	rig_ccw(rig, 0x02, 0, 16, RIG_DATA);
	assert_int_equal(rig_run(rig), 0);
	assert_false(rig->scsw.extended_control);
	assert_int_equal(rig->irb[IRB_ECW], 0);
	rig->dev.status = UNIT_END;
	rig->at = RIG_PROGRAM;
	rig_ccw(rig, 0x04, 0, 32, RIG_DATA);
	assert_int_equal(rig_run(rig), 0);
	ends(rig, UNIT_END, 0, 0, RIG_PROGRAM);
	assert_int_equal(*data(rig, 0), 0x80);
	assert_int_equal(*data(rig, 31), 0x9f);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		TEST(golden),
		TEST(lengths),
		TEST(immediate),
		TEST(data_chaining),
		TEST(skipping),
		TEST(backward),
		TEST(pci),
		TEST(transfer_in_channel),
		TEST(endless),
		TEST(suspend),
		TEST(status_modifier),
		TEST(unit_status),
		TEST(unit_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
