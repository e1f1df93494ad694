/* SPDX-License-Identifier: Apache-2.0 */
/* test-areas.c - IDAWs of both formats and MIDAWs
 *
 * z/Architecture Principles of Operation, "Indirect-Data-Address Word" and "Modified Indirect Data
 * Address Word".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lfp/bigend.h"
#include "tests/devemu/channel-rig.h"

#define LIST 0x10000u

static uint8_t *at(struct rig *rig, uint32_t addr)
{
	return rig->storage->bytes + addr;
}

static void idaw1(struct rig *rig, unsigned int i, uint32_t addr)
{
	be32_put(at(rig, LIST + 4 * i), addr);
}

static void idaw2(struct rig *rig, unsigned int i, uint64_t addr)
{
	be64_put(at(rig, LIST + 8 * i), addr);
}

static void midaw(struct rig *rig, uint32_t list, unsigned int i, uint8_t flags, uint16_t count,
		  uint64_t addr)
{
	uint8_t *p = at(rig, list + 16 * i);

	memset(p, 0, 16);
	p[5] = flags;
	be16_put(p + 6, count);
	be64_put(p + 8, addr);
}

static void run(struct rig *rig, uint8_t cmd, uint8_t flags, uint16_t count, uint32_t addr)
{
	rig->at = RIG_PROGRAM;
	rig->dev.wants = count;
	rig->dev.first = 1;
	rig->dev.got_len = 0;
	rig_ccw(rig, cmd, flags, count, addr);
	assert_int_equal(rig_run(rig), 0);
}

static void good(struct rig *rig)
{
	assert_int_equal(rig->scsw.unit_status, UNIT_END);
	assert_int_equal(rig->scsw.sch_status, 0);
	assert_int_equal(rig->scsw.count, 0);
}

static void refused(struct rig *rig, uint8_t sch, uint16_t residual)
{
	assert_int_equal(rig->scsw.sch_status, sch);
	assert_int_equal(rig->scsw.count, residual);
}

/* 5000 bytes that count up lie where a list of blocks says. */
static void scattered(struct rig *rig, const uint32_t *addr, const uint32_t *len, int pieces)
{
	uint32_t n = 0;

	for (int i = 0; i < pieces; i++)
		for (uint32_t j = 0; j < len[i]; j++, n++)
			assert_int_equal(*at(rig, addr[i] + j), (uint8_t)(1 + n));
}

static void format1(void **state)
{
	static const uint32_t addr[] = {0x20100, 0x30800, 0x28000}, len[] = {1792, 2048, 1160};
	struct rig *rig = *state;

	for (unsigned int i = 0; i < 3; i++)
		idaw1(rig, i, addr[i]);
	run(rig, 0x02, CCW_IDA, 5000, LIST);
	good(rig);
	scattered(rig, addr, len, 3);
	/* And written from there: the same bytes. */
	run(rig, 0x01, CCW_IDA, 5000, LIST);
	good(rig);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(rig->dev.got[i], (uint8_t)(1 + i));
	/* The second must begin a block of 2 KB; bit 0 must be zero. */
	idaw1(rig, 1, 0x30801);
	run(rig, 0x02, CCW_IDA, 5000, LIST);
	refused(rig, SCH_PROGRAM_CHECK, 5000 - 1792);
	idaw1(rig, 1, 0x80030800);
	run(rig, 0x02, CCW_IDA, 5000, LIST);
	refused(rig, SCH_PROGRAM_CHECK, 5000 - 1792);
	/* The channel does not read unneeded words. */
	run(rig, 0x02, CCW_IDA, 1792, LIST);
	good(rig);
	/* Format-0 CCWs reach beyond 16 MB by IDAWs alone. */
	idaw1(rig, 1, 0x30800);
	rig->orb.format1 = false;
	run(rig, 0x02, CCW_IDA, 5000, LIST);
	good(rig);
	scattered(rig, addr, len, 3);
}

static void format2(void **state)
{
	static const uint32_t addr[] = {0x20100, 0x31000, 0x28000}, len[] = {3840, 4096, 64};
	struct rig *rig = *state;

	rig->orb.idaw64 = true;
	for (unsigned int i = 0; i < 3; i++)
		idaw2(rig, i, addr[i]);
	run(rig, 0x02, CCW_IDA, 8000, LIST);
	good(rig);
	scattered(rig, addr, len, 3);
	/* An IDAW may not start in the middle of a page, unless the ORB says 2 KB; then the first
	 * block also ends there. */
	idaw2(rig, 1, 0x31800);
	run(rig, 0x02, CCW_IDA, 8000, LIST);
	refused(rig, SCH_PROGRAM_CHECK, 8000 - 3840);
	rig->orb.idaw2k = true;
	run(rig, 0x02, CCW_IDA, 1792 + 2048 + 10, LIST);
	good(rig);
	scattered(rig, (const uint32_t[]){0x20100, 0x31800, 0x28000},
		  (const uint32_t[]){1792, 2048, 10}, 3);
	/* An address that is nowhere; a list that is not on a doubleword. */
	idaw2(rig, 1, UINT64_C(0xfffffffffffff800));
	run(rig, 0x02, CCW_IDA, 4000, LIST);
	refused(rig, SCH_PROGRAM_CHECK, 4000 - 1792);
	run(rig, 0x02, CCW_IDA, 4000, LIST + 4);
	assert_int_equal(rig->scsw.unit_status, 0);
	refused(rig, SCH_PROGRAM_CHECK, 0);
}

static void backward(void **state)
{
	struct rig *rig = *state;

	/* The first may be anywhere, the next must be the last byte of a block. */
	idaw1(rig, 0, 0x20802);
	idaw1(rig, 1, 0x307ff);
	run(rig, 0x0c, CCW_IDA, 5, LIST);
	good(rig);
	assert_memory_equal(at(rig, 0x20800), "\x03\x02\x01", 3);
	assert_memory_equal(at(rig, 0x307fe), "\x05\x04", 2);
	idaw1(rig, 1, 0x307fe);
	run(rig, 0x0c, CCW_IDA, 5, LIST);
	refused(rig, SCH_PROGRAM_CHECK, 2);
}

static void modified(void **state)
{
	static const uint32_t addr[] = {0x20ff0, 0x30003, 0x28000}, len[] = {16, 4000, 984};
	struct rig *rig = *state;

	rig->orb.midaw = true;
	midaw(rig, LIST, 0, 0, 16, addr[0]);
	midaw(rig, LIST, 1, 0, 4000, addr[1]);
	midaw(rig, LIST, 2, MIDAW_LAST, 984, addr[2]);
	run(rig, 0x02, CCW_MIDAW, 5000, LIST);
	good(rig);
	scattered(rig, addr, len, 3);
	run(rig, 0x01, CCW_MIDAW, 5000, LIST);
	good(rig);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(rig->dev.got[i], (uint8_t)(1 + i));
	/* Skipped bytes move nowhere, and their address is not used. */
	memset(at(rig, 0x30000), 0xee, 4096);
	midaw(rig, LIST, 1, MIDAW_SKIP, 4000, UINT64_MAX);
	run(rig, 0x02, CCW_MIDAW, 5000, LIST);
	good(rig);
	assert_int_equal(*at(rig, 0x30003), 0xee);
	assert_int_equal(*at(rig, 0x28000), (uint8_t)(1 + 4016));
}

static void modified_wrong(void **state)
{
	static const struct {
		const char *name;
		uint8_t flags;
		uint16_t count;
		uint64_t addr;
	} rows[] = {
		{"count 0", 0, 0, 0x30000},
		{"over a page", 0, 4000, 0x30100},
		{"more than the CCW", 0, 6000, 0x30000},
		{"last, but the CCW has more", MIDAW_LAST, 100, 0x30000},
		{"interruption", 0x20, 100, 0x30000},
		{"outside", 0, 100, RIG_STORAGE},
	};
	struct rig *rig = *state;

	rig->orb.midaw = true;
	midaw(rig, LIST, 0, 0, 16, 0x20ff0);
	midaw(rig, LIST, 2, MIDAW_LAST, 984, 0x28000);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].name);
		midaw(rig, LIST, 1, rows[i].flags, rows[i].count, rows[i].addr);
		run(rig, 0x02, CCW_MIDAW, 5000, LIST);
		refused(rig, SCH_PROGRAM_CHECK, 5000 - 16);
	}
	/* Reserved bytes, a list off its boundary, a list over a page. */
	midaw(rig, LIST, 0, 0, 16, 0x20ff0);
	*at(rig, LIST + 4) = 1;
	run(rig, 0x02, CCW_MIDAW, 16, LIST);
	refused(rig, SCH_PROGRAM_CHECK, 16);
	run(rig, 0x02, CCW_MIDAW, 16, LIST + 8);
	refused(rig, SCH_PROGRAM_CHECK, 16);
	midaw(rig, LIST + 4080, 0, 0, 16, 0x20000);
	midaw(rig, LIST + 4096, 0, MIDAW_LAST, 16, 0x20010);
	run(rig, 0x02, CCW_MIDAW, 16, LIST + 4080);
	good(rig);
	run(rig, 0x02, CCW_MIDAW, 32, LIST + 4080);
	refused(rig, SCH_PROGRAM_CHECK, 16);
}

/* Keys are looked at page by page, in lists and in data. */
static void keys(void **state)
{
	struct rig *rig = *state;

	rig->orb.key = 0x10;
	storage_key_set(rig->storage, 0x20000, 0x10);
	storage_key_set(rig->storage, LIST, 0x20);
	idaw1(rig, 0, 0x20700);
	idaw1(rig, 1, 0x30000);
	run(rig, 0x02, CCW_IDA, 300, LIST);
	refused(rig, SCH_PROTECTION_CHECK, 300 - 256);
	storage_key_set(rig->storage, LIST, 0x20 | STORAGE_KEY_FETCH);
	run(rig, 0x02, CCW_IDA, 300, LIST);
	refused(rig, SCH_PROTECTION_CHECK, 300);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		TEST(format1),  TEST(format2),        TEST(backward),
		TEST(modified), TEST(modified_wrong), TEST(keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
