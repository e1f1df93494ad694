/* SPDX-License-Identifier: Apache-2.0 */
/* test-tcw.c - programs in transport mode: each field of TCW and TIDAW, and how they end */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lfp/bigend.h"
#include "tests/devemu/channel-rig.h"

#define TSB  0x2000u
#define TCCB 0x3000u
#define LIST 0x10000u

struct program {
	struct tcw tcw;
	struct tccb tccb;
	int tccb_len;
};

/* One DCW: reads, or writes, @count bytes at RIG_DATA. */
static void simple(struct program *p, uint8_t cmd, uint32_t count)
{
	bool write = cmd & 1;

	*p = (struct program){.tcw = {.read = !write,
				      .write = write,
				      .input = write ? 0 : RIG_DATA,
				      .output = write ? RIG_DATA : 0,
				      .tsb = TSB,
				      .tccb = TCCB,
				      .input_count = write ? 0 : count,
				      .output_count = write ? count : 0},
			      .tccb = {.action = TCCB_SAC_NORMAL,
				       .dcws = 1,
				       .transport_count = tccb_transport_count(count)}};
	p->tccb.dcw[0] = (struct dcw){.cmd = cmd, .count = count};
}

static void put(struct rig *rig, struct program *p)
{
	p->tccb_len = tccb_encode(&p->tccb, rig->storage->bytes + TCCB);
	assert_true(p->tccb_len > 0);
	p->tcw.tccbl = (uint8_t)((p->tccb_len - 20) / 4);
	tcw_encode(&p->tcw, rig->storage->bytes + RIG_PROGRAM);
	memset(rig->storage->bytes + TSB, 0, TSB_LEN);
	rig->orb = (struct orb){.key = rig->orb.key,
				.transport = true,
				.extended = true,
				.lpm = 0xff,
				.program = RIG_PROGRAM};
}

static struct tsb run(struct rig *rig)
{
	struct tsb tsb;

	assert_int_equal(rig_run(rig), 0);
	assert_true(rig->scsw.transport);
	assert_int_equal(rig->scsw.address, rig->orb.program);
	tsb_decode(rig->storage->bytes + TSB, &tsb);
	return tsb;
}

static struct tsb put_run(struct rig *rig, struct program *p)
{
	put(rig, p);
	return run(rig);
}

static void good(struct rig *rig)
{
	assert_int_equal(rig->scsw.unit_status, UNIT_END);
	assert_int_equal(rig->scsw.sch_status, 0);
	assert_int_equal(rig->scsw.fcx_status, TCW_FCXS_TSB_VALID);
}

/* The channel detected the error: it sent nothing and stored no TSB. */
static void refused(struct rig *rig, uint8_t sch)
{
	assert_int_equal(rig->scsw.sch_status, sch);
	assert_int_equal(rig->scsw.unit_status, 0);
	assert_int_equal(rig->scsw.fcx_status, 0);
	assert_int_equal(rig->dev.count, 0);
}

static uint8_t *at(struct rig *rig, uint32_t addr)
{
	return rig->storage->bytes + addr;
}

static void reads(void **state)
{
	struct rig *rig = *state;
	struct program p;
	struct tsb tsb;

	rig->dev.wants = 4096;
	simple(&p, 0x02, 4096);
	tsb = put_run(rig, &p);
	good(rig);
	for (uint32_t i = 0; i < 4096; i++)
		assert_int_equal(*at(rig, RIG_DATA + i), (uint8_t)i);
	assert_int_equal(tsb.flags, TSB_IO_STATUS | TSB_DCW_OFFSET_VALID | TSB_COUNT_VALID);
	assert_int_equal(tsb.count, 0);
	/* One IU out, two back */
	assert_int_equal(rig->iu_out, 1);
	assert_int_equal(rig->iu_in, 2);
	assert_int_equal(rig->bytes_in, 4096);
	assert_int_equal(rig->kinds[IU_TRANSPORT_DATA], 1);
}

static void writes(void **state)
{
	struct rig *rig = *state;
	struct program p;

	rig->dev.wants = 10;
	memcpy(at(rig, RIG_DATA), "abcdefghij", 10);
	simple(&p, 0x01, 10);
	put_run(rig, &p);
	good(rig);
	assert_memory_equal(rig->dev.got, "abcdefghij", 10);
	assert_int_equal(rig->kinds[IU_TRANSFER_READY], 1);
	assert_int_equal(rig->bytes_out, (uint32_t)p.tccb_len + 10);
	rig->subch->tcw.first_transfer_ready_off = true;
	rig->kinds[IU_TRANSFER_READY] = 0;
	put_run(rig, &p);
	good(rig);
	assert_int_equal(rig->kinds[IU_TRANSFER_READY], 0);
}

/* Control data of a DCW come before its data. */
static void chain(void **state)
{
	struct rig *rig = *state;
	struct program p;
	struct tsb tsb;

	rig->dev.wants = 5;
	simple(&p, 0x02, 0);
	p.tccb.dcws = 3;
	p.tccb.dcw[0] = (struct dcw){.cmd = 0x07,
				     .flags = DCW_CC,
				     .control_count = 5,
				     .control = (const uint8_t *)"hello"};
	p.tccb.dcw[1] = (struct dcw){.cmd = 0x02, .flags = DCW_CC, .count = 5};
	p.tccb.dcw[2] = (struct dcw){.cmd = 0x12, .count = 5};
	p.tccb.transport_count = tccb_transport_count(10);
	p.tcw.input_count = 10;
	tsb = put_run(rig, &p);
	good(rig);
	assert_int_equal(rig->dev.count, 3);
	assert_memory_equal(rig->dev.got, "hello", 5);
	assert_memory_equal(at(rig, RIG_DATA), "\0\1\2\3\4\0\1\2\3\4", 10);
	assert_int_equal(tsb.dcw_offset, 24);
	/* The device ends the chain */
	rig_clear(rig);
	rig->dev.wants = 5;
	rig->dev.status = UNIT_END | UNIT_CHECK;
	tsb = put_run(rig, &p);
	assert_int_equal(rig->dev.count, 1);
	assert_int_equal(rig->scsw.unit_status, UNIT_END | UNIT_CHECK);
	assert_int_equal(rig->scsw.fcx_status, TCW_FCXS_TSB_VALID);
	assert_true(tsb.sense_valid);
	assert_int_equal(tsb.sense[31], 0x9f);
	assert_int_equal(tsb.dcw_offset, 0);
	assert_int_equal(rig->irb[IRB_ECW], 0); /* sense is in the TSB */
}

/* A DCW whose count is not what the device moves. */
static void lengths(void **state)
{
	static const uint32_t wants[] = {10, 20};
	struct rig *rig = *state;
	struct program p;
	struct tsb tsb;

	for (uint8_t cmd = 1; cmd <= 2; cmd++) {
		for (int i = 0; i < 2; i++) {
			rig_clear(rig);
			rig->dev.wants = wants[i];
			simple(&p, cmd, 16);
			tsb = put_run(rig, &p);
			assert_int_equal(rig->scsw.unit_status, UNIT_END);
			assert_int_equal(rig->scsw.sch_status, SCH_INCORRECT_LENGTH);
			assert_int_equal(tsb.count, i ? 0 : 6);
		}
	}
}

static void bad_tcw(void **state)
{
	struct rig *rig = *state;
	struct program p;

	simple(&p, 0x02, 16);
	p.tcw.write = true; /* both ways */
	put_run(rig, &p);
	refused(rig, SCH_PROGRAM_CHECK);
	simple(&p, 0x02, 16);
	p.tcw.tsb += 4;
	put_run(rig, &p);
	refused(rig, SCH_PROGRAM_CHECK);
	simple(&p, 0x02, 16);
	put(rig, &p);
	*at(rig, RIG_PROGRAM) = 0x40; /* format 1 */
	run(rig);
	refused(rig, SCH_PROGRAM_CHECK);
	for (int tccbl = 0; tccbl < 64; tccbl++) {
		if (tccbl * 4 + 20 >= TCCB_LEN_MIN && tccbl * 4 + 20 <= TCCB_LEN_MAX)
			continue;
		*at(rig, RIG_PROGRAM) = 0;
		*at(rig, RIG_PROGRAM + 5) = (uint8_t)(tccbl << 2 | 2);
		run(rig);
		refused(rig, SCH_PROGRAM_CHECK);
	}
	/* Addresses that are nowhere, or not on their boundary */
	for (unsigned int field = 0; field < 2; field++) {
		simple(&p, 0x02, 16);
		*(field ? &p.tcw.tccb : &p.tcw.tsb) = RIG_STORAGE;
		tcw_encode(&p.tcw, at(rig, RIG_PROGRAM));
		run(rig);
		refused(rig, SCH_PROGRAM_CHECK);
	}
	rig->orb.program += 32;
	run(rig);
	refused(rig, SCH_PROGRAM_CHECK);
	/* A TSB where the key does not allow to store */
	simple(&p, 0x02, 16);
	rig->orb.key = 0x10;
	put_run(rig, &p);
	refused(rig, SCH_PROTECTION_CHECK);
}

/* The control unit detected the error: the TSB has reason and place. */
static void program_checks(void **state)
{
	struct rig *rig = *state;
	struct program p;
	struct tsb tsb;

	simple(&p, 0x02, 16);
	p.tcw.input_count = 17;
	tsb = put_run(rig, &p);
	assert_int_equal(tsb.flags & TSB_FORMAT_MASK, TSB_PROGRAM_CHECK);
	assert_int_equal(tsb.reason, DDPC_COUNT);
	assert_int_equal(rig->scsw.sch_status, SCH_PROGRAM_CHECK);
	assert_int_equal(rig->scsw.unit_status, UNIT_END);
	assert_int_equal(rig->scsw.fcx_status, TCW_FCXS_TSB_VALID);
	simple(&p, 0x02, 16);
	p.tccb.transport_count = 16;
	assert_int_equal(put_run(rig, &p).reason, DDPC_COUNT);
	/* A write where the TCW only reads; a command that cannot be in a DCW */
	simple(&p, 0x02, 16);
	p.tccb.dcw[0].cmd = 0x01;
	tsb = put_run(rig, &p);
	assert_int_equal(tsb.reason, DDPC_DIRECTION);
	assert_int_equal(tsb.flags & TSB_DCW_OFFSET_VALID, TSB_DCW_OFFSET_VALID);
	p.tccb.dcw[0].cmd = 0x08;
	assert_int_equal(put_run(rig, &p).reason, DDPC_DCW);
	simple(&p, 0x02, 16);
	put(rig, &p);
	*at(rig, TCCB) = 0;
	assert_int_equal(run(rig).reason, DDPC_HEADER);
	/* Data without a direction */
	simple(&p, 0x02, 16);
	p.tcw.read = false;
	assert_int_equal(put_run(rig, &p).reason, DDPC_COUNT);
	assert_int_equal(rig->dev.count, 0);
}

/* Neither device nor path need know transport mode. */
static void not_able(void **state)
{
	struct rig *rig = *state;
	struct program p;

	simple(&p, 0x02, 16);
	rig->subch->tcw.path = false;
	put_run(rig, &p);
	refused(rig, SCH_PROGRAM_CHECK);
	assert_int_equal(rig->scsw.extended_status, TCW_SESQ_PATH);
	rig->subch->tcw.path = true;
	rig->dev.device.transport = false;
	put_run(rig, &p);
	refused(rig, SCH_PROGRAM_CHECK);
	assert_int_equal(rig->scsw.extended_status, TCW_SESQ_DEVICE);
	assert_int_equal(rig->iu_out, 0);
}

static void tidaw(struct rig *rig, uint32_t list, unsigned int i, uint8_t flags, uint32_t count,
		  uint64_t addr)
{
	struct tidaw t = {.flags = flags, .count = count, .addr = addr};

	tidaw_encode(&t, at(rig, list + 16 * i));
}

static void lists(void **state)
{
	struct rig *rig = *state;
	struct program p;

	rig->dev.wants = 5000;
	rig->dev.first = 1;
	simple(&p, 0x02, 5000);
	p.tcw.flags = TCW_INPUT_TIDA;
	p.tcw.input = LIST + 4096 - 32;
	/* The list goes on elsewhere; the middle is skipped. */
	tidaw(rig, LIST + 4096 - 32, 0, 0, 100, 0x20001);
	tidaw(rig, LIST + 4096 - 16, 0, TIDAW_TTIC, 0, 0x40000);
	tidaw(rig, 0x40000, 0, TIDAW_SKIP, 4000, UINT64_MAX);
	tidaw(rig, 0x40000, 1, TIDAW_LAST, 900, 0x30007);
	put_run(rig, &p);
	good(rig);
	assert_int_equal(*at(rig, 0x20001), 1);
	assert_int_equal(*at(rig, 0x20064), 100);
	assert_int_equal(*at(rig, 0x30007), (uint8_t)(4101));
	assert_int_equal(*at(rig, 0x30007 + 899), (uint8_t)5000);
	/* Without the TTIC it may not go over the page. */
	tidaw(rig, LIST + 4096 - 16, 0, 0, 100, 0x20100);
	tidaw(rig, LIST + 4096, 0, TIDAW_LAST, 4800, 0x30000);
	put_run(rig, &p);
	assert_int_equal(rig->scsw.sch_status, SCH_PROGRAM_CHECK);
	/* An interruption that is asked for */
	tidaw(rig, LIST, 0, TIDAW_LAST | TIDAW_DATA_INT, 5000, 0x20000);
	p.tcw.input = LIST;
	put_run(rig, &p);
	assert_int_equal(rig->scsw.sch_status, SCH_PCI);
	assert_int_equal(rig->scsw.unit_status, UNIT_END);
}

static void bad_lists(void **state)
{
	static const struct {
		const char *name;
		uint8_t flags;
		uint32_t count;
		uint64_t addr;
	} rows[] = {
		{"count 0", 0, 0, 0x30000},
		{"reserved bit", 0x04, 16, 0x30000},
		{"nowhere", 0, 16, RIG_STORAGE},
		{"last too early", TIDAW_LAST, 4, 0x30000},
		{"CBC in input", TIDAW_INSERT_CBC, 16, 0x30000},
		{"TTIC with a count", TIDAW_TTIC, 1, 0x40000},
		{"TTIC to a TTIC", TIDAW_TTIC, 0, LIST + 16},
		{"TTIC to nowhere", TIDAW_TTIC, 0, RIG_STORAGE},
		{"TTIC off its boundary", TIDAW_TTIC, 0, 0x40008},
	};
	struct rig *rig = *state;
	struct program p;

	simple(&p, 0x02, 32);
	p.tcw.flags = TCW_INPUT_TIDA;
	p.tcw.input = LIST;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		rig->dev.wants = 32;
		tidaw(rig, LIST, 0, 0, 16, 0x20000);
		tidaw(rig, LIST, 1, rows[i].flags, rows[i].count, rows[i].addr);
		if (i == 1)
			*at(rig, LIST + 16) = rows[i].flags;
		put_run(rig, &p);
		assert_int_equal(rig->scsw.sch_status, SCH_PROGRAM_CHECK);
		assert_int_equal(*at(rig, 0x20000 + 15), 15);
	}
	/* Output may not be skipped. */
	simple(&p, 0x01, 32);
	p.tcw.flags = TCW_OUTPUT_TIDA;
	p.tcw.output = LIST;
	tidaw(rig, LIST, 1, TIDAW_SKIP | TIDAW_LAST, 16, 0x20000);
	put_run(rig, &p);
	assert_int_equal(rig->scsw.sch_status, SCH_PROGRAM_CHECK);
}

/* Check bytes between output data are counted (fcx.c, calc_cbc_size), and are no data. */
static void insert_cbc(void **state)
{
	struct rig *rig = *state;
	struct program p;

	rig->dev.wants = 30;
	memcpy(at(rig, 0x20000), "abcdefghijklmnopqrstuvwxyz0123", 30);
	simple(&p, 0x01, 30);
	p.tcw.flags = TCW_OUTPUT_TIDA;
	p.tcw.output = LIST;
	tidaw(rig, LIST, 0, TIDAW_INSERT_CBC, 10, 0x20000); /* 10 and 2 to a word, and 4 */
	tidaw(rig, LIST, 1, TIDAW_LAST, 20, 0x2000a);
	p.tcw.output_count = 36;
	p.tccb.transport_count = tccb_transport_count(36);
	put_run(rig, &p);
	good(rig);
	assert_memory_equal(rig->dev.got, "abcdefghijklmnopqrstuvwxyz0123", 30);
	p.tcw.output_count = 30;
	p.tccb.transport_count = tccb_transport_count(30);
	assert_int_equal(put_run(rig, &p).reason, DDPC_COUNT);
}

/* The TCCB too may be in pieces. */
static void tccb_list(void **state)
{
	struct rig *rig = *state;
	struct program p;

	simple(&p, 0x02, 16);
	put(rig, &p);
	memcpy(at(rig, 0x50000), at(rig, TCCB), 10);
	memcpy(at(rig, 0x60001), at(rig, TCCB + 10), (size_t)p.tccb_len - 10);
	memset(at(rig, TCCB), 0xff, 64);
	tidaw(rig, LIST, 0, 0, 10, 0x50000);
	tidaw(rig, LIST, 1, TIDAW_LAST, (uint32_t)p.tccb_len - 10, 0x60001);
	p.tcw.flags = TCW_TCCB_TIDA;
	p.tcw.tccb = LIST;
	tcw_encode(&p.tcw, at(rig, RIG_PROGRAM));
	run(rig);
	good(rig);
	assert_memory_equal(at(rig, RIG_DATA), "\0\1\2\3\4", 5);
}

static void interrogates(void **state)
{
	struct rig *rig = *state;
	struct program p;
	uint8_t data[32] = {0};
	struct tsb tsb;

	simple(&p, 0x02, 0);
	p.tcw.read = false;
	p.tccb.action = TCCB_SAC_INTRG;
	p.tccb.dcw[0] = (struct dcw){.cmd = DCW_INTERROGATE, .control_count = 32, .control = data};
	tsb = put_run(rig, &p);
	good(rig);
	assert_int_equal(tsb.flags, TSB_INTERROGATE);
	assert_int_equal(tsb.intrg_flags, 0xe0);
	assert_int_equal(rig->dev.count, 0);
}

/* A device that has to wait, and one whose program is halted meanwhile. */
static void waits(void **state)
{
	struct rig *rig = *state;
	struct program p;

	simple(&p, 0x02, 16);
	put(rig, &p);
	rig->dev.later = 1;
	assert_int_equal(rig_start(rig), 0);
	assert_true(subch_waits(rig->subch));
	subch_continue(rig->subch);
	assert_int_equal(rig_test(rig), 0);
	good(rig);
	rig->dev.later = 1;
	assert_int_equal(rig_start(rig), 0);
	assert_int_equal(subch_halt(rig->subch), 0);
	assert_int_equal(rig_test(rig), 0);
	assert_int_equal(rig->scsw.fctl, FCTL_START | FCTL_HALT);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		TEST(reads),     TEST(writes),         TEST(chain),     TEST(lengths),
		TEST(bad_tcw),   TEST(program_checks), TEST(not_able),  TEST(lists),
		TEST(bad_lists), TEST(insert_cbc),     TEST(tccb_list), TEST(interrogates),
		TEST(waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
