/* SPDX-License-Identifier: Apache-2.0 */
/* test-ckd-4k.c - a volume of 4 KB records by CCWs and by TCWs: the same bytes */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/devemu/ckd-rig.h"

#define RECORDS (30u * CKD_4K_PER_TRACK)

/* Bytes that no other record and no other place in it has. */
static void fill(uint8_t *p, uint64_t record, uint32_t salt)
{
	uint32_t x = (uint32_t)record * 2654435761u + salt;

	for (uint32_t i = 0; i < CKD_4K; i++) {
		x = x * 1664525u + 1013904223u;
		p[i] = (uint8_t)(x >> 24);
	}
}

static void round_trips(void **state)
{
	struct ckd_rig *rig = *state;
	uint8_t *data = ckd_rig_at(rig, CKD_RIG_DATA), *other = ckd_rig_at(rig, CKD_RIG_OTHER);
	uint8_t want[CKD_4K];

	/* Written one way, read the other, on odd and even records. */
	for (uint32_t i = 0; i < RECORDS; i++) {
		fill(data, i, 1);
		ckd_rig_4k(rig, i & 1, true, i, 1, CKD_RIG_DATA);
		ckd_rig_good(rig);
	}
	ckd_rig_reopen(rig, true);
	for (uint32_t i = 0; i < RECORDS; i++) {
		fill(want, i, 1);
		ckd_rig_4k(rig, true, false, i, 1, CKD_RIG_DATA);
		ckd_rig_good(rig);
		ckd_rig_4k(rig, false, false, i, 1, CKD_RIG_OTHER);
		ckd_rig_good(rig);
		assert_memory_equal(data, want, CKD_4K);
		assert_memory_equal(other, want, CKD_4K);
	}
}

/* Many at once, over tracks and cylinders, from any record. */
static void many(void **state)
{
	static const struct {
		uint32_t record, count;
	} rows[] = {{0, 12},  {5, 20},    {11, 2},  {0, 32},   {7, 128},
		    {179, 2}, {170, 100}, {0, 192}, {105, 255}};
	struct ckd_rig *rig = *state;
	uint8_t *data = ckd_rig_at(rig, CKD_RIG_DATA), *other = ckd_rig_at(rig, CKD_RIG_OTHER);

	for (uint32_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		for (int transport = 0; transport < 2; transport++) {
			uint32_t len = rows[r].count * CKD_4K;

			for (uint32_t i = 0; i < rows[r].count; i++)
				fill(data + i * CKD_4K, rows[r].record + i,
				     r * 2 + (uint32_t)transport);
			ckd_rig_4k(rig, transport, true, rows[r].record, rows[r].count,
				   CKD_RIG_DATA);
			ckd_rig_good(rig);
			for (int again = 0; again < 2; again++) {
				memset(other, 0xee, len + 1);
				ckd_rig_4k(rig, again, false, rows[r].record, rows[r].count,
					   CKD_RIG_OTHER);
				ckd_rig_good(rig);
				assert_memory_equal(other, data, len);
				assert_int_equal(other[len], 0xee);
			}
		}
	}
}

/* The paper's counts for a 4 KB read. */
static void information_units(void **state)
{
	struct ckd_rig *rig = *state;

	ckd_rig_4k(rig, false, false, 3, 1, CKD_RIG_DATA);
	assert_int_equal(rig->iu_out, 3);
	assert_int_equal(rig->iu_in, 3);
	ckd_rig_4k(rig, true, false, 3, 1, CKD_RIG_DATA);
	assert_int_equal(rig->iu_out, 1);
	assert_int_equal(rig->iu_in, 2);
	assert_int_equal(rig->device->work.records, 2);
	assert_int_equal(rig->device->work.first_track, 0);
}

static void above_2g(void **state)
{
	struct ckd_rig *rig = *state;
	struct storage *big = storage_create(UINT64_C(5) << 30);
	struct storage *small = rig->storage;
	struct ckd_4k_io io = {.record = 10, .count = 3, .data = (UINT64_C(4) << 30) + 12345};
	uint8_t orb[ORB_LEN], irb[IRB_LEN], want[CKD_4K];

	if (!big)
		skip();
	for (uint32_t i = 0; i < 3; i++) {
		fill(ckd_rig_at(rig, CKD_RIG_DATA + i * CKD_4K), 10 + i, 9);
	}
	ckd_rig_4k(rig, true, true, 10, 3, CKD_RIG_DATA);
	ckd_rig_good(rig);
	rig->subch->ccw.storage = rig->subch->tcw.storage = big;
	for (int transport = 0; transport < 2; transport++) {
		memset(big->bytes + io.data, 0, 3 * CKD_4K);
		if (transport)
			assert_int_equal(ckd_4k_tcw(big, 0x1000, &io, orb), 0);
		else
			assert_int_equal(ckd_4k_ccw(big, 0x1000, &io, orb), 0);
		assert_int_equal(subch_start(rig->subch, orb), 0);
		assert_int_equal(subch_test(rig->subch, irb), 0);
		scsw_decode(irb, &rig->scsw);
		assert_int_equal(rig->scsw.unit_status, UNIT_END);
		assert_int_equal(rig->scsw.sch_status, 0);
		for (uint32_t i = 0; i < 3; i++) {
			fill(want, 10 + i, 9);
			assert_memory_equal(big->bytes + io.data + i * CKD_4K, want, CKD_4K);
		}
	}
	rig->subch->ccw.storage = rig->subch->tcw.storage = small;
	storage_destroy(big);
}

static void bad_requests(void **state)
{
	struct ckd_rig *rig = *state;
	struct ckd_4k_io io = {.record = 0, .count = 0, .data = CKD_RIG_DATA};
	uint8_t orb[ORB_LEN];

	assert_int_equal(ckd_4k_ccw(rig->storage, 0x1000, &io, orb), -EINVAL);
	io.count = 256;
	assert_int_equal(ckd_4k_tcw(rig->storage, 0x1000, &io, orb), -EINVAL);
	io.count = 1;
	assert_int_equal(ckd_4k_ccw(rig->storage, 0x1001, &io, orb), -EINVAL);
	assert_int_equal(ckd_4k_ccw(rig->storage, CKD_RIG_STORAGE, &io, orb), -EFAULT);
	io.data = CKD_RIG_STORAGE - 4095;
	assert_int_equal(ckd_4k_tcw(rig->storage, 0x1000, &io, orb), -EFAULT);
	/* Where the volume is empty, and where it has ended */
	ckd_rig_4k(rig, false, false, RECORDS, 1, CKD_RIG_DATA);
	ckd_rig_check(rig, 0, SENSE1_NO_RECORD_FOUND, 0);
	ckd_rig_4k(rig, true, false, RECORDS, 1, CKD_RIG_DATA);
	ckd_rig_check(rig, 0, SENSE1_NO_RECORD_FOUND, 0);
	ckd_rig_4k(rig, true, false, ckd_4k_records(rig->image), 1, CKD_RIG_DATA);
	ckd_rig_check(rig, SENSE_COMMAND_REJECT, 0, REJECT_PARAMETER);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, ckd_rig_setup, ckd_rig_teardown)
	const struct CMUnitTest tests[] = {
		TEST(round_trips), TEST(many),         TEST(information_units),
		TEST(above_2g),    TEST(bad_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
