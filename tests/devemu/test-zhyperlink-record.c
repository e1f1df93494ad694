/* SPDX-License-Identifier: Apache-2.0 */
/* test-zhyperlink-record.c - synchronous I/O moves the bytes that channel programs move */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "devemu/fabric/io.h"
#include "devemu/fabric/zhyperlink.h"
#include "devemu/zhyperlink/limits.h"
#include "tests/devemu/ckd-rig.h"
#include "tests/devemu/fabric-rig.h"

#define RECORDS 24u

static void fill(uint8_t *p, uint32_t salt)
{
	for (uint32_t i = 0; i < CKD_4K; i++) {
		salt = salt * 1664525u + 1013904223u;
		p[i] = (uint8_t)(salt >> 24);
	}
}

static enum zhyperlink_outcome move(struct ckd_rig *rig, bool write, uint64_t n, uint64_t address)
{
	struct zhyperlink_request request = {.write = write, .bytes = CKD_4K, .address = address};
	uint16_t cylinder, head;

	ckd_4k_address(n, &cylinder, &head, &request.record);
	request.cylinder = cylinder;
	request.head = head;
	return zhyperlink_move(rig->image, rig->storage, &request);
}

/* Written by each of the three ways, read by each: the same bytes. */
static void all_ways_have_the_same_bytes(void **state)
{
	struct ckd_rig *rig = *state;
	uint8_t *data = ckd_rig_at(rig, CKD_RIG_DATA), *other = ckd_rig_at(rig, CKD_RIG_OTHER);
	uint8_t want[CKD_4K];

	for (uint32_t n = 0; n < RECORDS; n++) {
		fill(data, n);
		if (n % 3 == 2) {
			assert_int_equal(move(rig, true, n, CKD_RIG_DATA), ZHYPERLINK_DONE);
		} else {
			ckd_rig_4k(rig, n % 3, true, n, 1, CKD_RIG_DATA);
			ckd_rig_good(rig);
		}
	}
	ckd_rig_reopen(rig, true);
	for (uint32_t n = 0; n < RECORDS; n++) {
		fill(want, n);
		for (int way = 0; way < 3; way++) {
			memset(other, 0xee, CKD_4K + 1);
			if (way == 2) {
				assert_int_equal(move(rig, false, n, CKD_RIG_OTHER),
						 ZHYPERLINK_DONE);
			} else {
				ckd_rig_4k(rig, way, false, n, 1, CKD_RIG_OTHER);
				ckd_rig_good(rig);
			}
			assert_memory_equal(other, want, CKD_4K);
			assert_int_equal(other[CKD_4K], 0xee);
		}
	}
}

static void what_does_not_go_moves_nothing(void **state)
{
	static const struct {
		struct zhyperlink_request request;
		enum zhyperlink_outcome outcome;
	} cases[] = {
		{{0, 0, 1, false, 2048, CKD_RIG_DATA, 0}, ZHYPERLINK_RECORD_REJECT},
		{{0, 0, 0, false, 8, CKD_RIG_DATA, 0}, ZHYPERLINK_LENGTH},
		{{0, 0, 0, false, 16, CKD_RIG_DATA, 0}, ZHYPERLINK_RECORD_REJECT},
		{{0, 0, 13, false, 4096, CKD_RIG_DATA, 0}, ZHYPERLINK_RECORD_REJECT},
		{{2, 0, 1, false, 4096, CKD_RIG_DATA, 0}, ZHYPERLINK_RECORD_REJECT},
		{{CKD_RIG_CYLINDERS, 0, 1, false, 4096, CKD_RIG_DATA, 0}, ZHYPERLINK_RECORD_REJECT},
		{{0, CKD_HEADS, 1, false, 4096, CKD_RIG_DATA, 0}, ZHYPERLINK_RECORD_REJECT},
		{{0, 0, 1, false, 8192, CKD_RIG_DATA, 0}, ZHYPERLINK_LENGTH},
		{{0, 0, 1, false, 0, CKD_RIG_DATA, 0}, ZHYPERLINK_LENGTH},
		{{0, 0, 1, false, 4096, CKD_RIG_DATA + 8, 0}, ZHYPERLINK_ALIGNMENT},
		{{0, 0, 1, false, 4096, CKD_RIG_STORAGE - 16, 0}, ZHYPERLINK_STORAGE},
		{{0, 0, 1, false, 4096, UINT64_MAX - 15, 0}, ZHYPERLINK_STORAGE},
		{{0, 0, 1, false, 4096, CKD_RIG_DATA, 0x20}, ZHYPERLINK_STORAGE},
		{{0, 0, 1, true, 4096, CKD_RIG_DATA, 0x20}, ZHYPERLINK_STORAGE},
		{{0, 0, 1, true, 4096, CKD_RIG_DATA, 0}, ZHYPERLINK_RECORD_REJECT},
	};
	struct ckd_rig *rig = *state;
	uint8_t before[CKD_4K], *data = ckd_rig_at(rig, CKD_RIG_DATA);

	fill(data, 99);
	assert_int_equal(move(rig, true, 0, CKD_RIG_DATA), ZHYPERLINK_DONE);
	fill(data, 100);
	memcpy(before, data, CKD_4K);
	ckd_rig_reopen(rig, true); /* so that the last case finds it read-only */
	/* Key 1, and fetches are protected too. */
	assert_int_equal(storage_key_set(rig->storage, CKD_RIG_DATA, 0x18), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(zhyperlink_move(rig->image, rig->storage, &cases[i].request),
				 cases[i].outcome);
		assert_memory_equal(data, before, CKD_4K);
	}
	assert_int_equal(move(rig, false, 0, CKD_RIG_DATA), ZHYPERLINK_DONE);
	fill(before, 99);
	assert_memory_equal(data, before, CKD_4K);
}

/* One request in simulated time: over the link when that is free, by a transport-mode program when
 * it is held; its bytes are there at its end. */
struct flow {
	struct ckd_rig *rig;
	uint64_t record;
	unsigned int over_link, over_zhpf;
};

static void on_end(struct io *io, int rc)
{
	struct flow *flow = io->context;
	const uint64_t n = flow->record++;
	uint8_t want[CKD_4K];

	assert_int_equal(rc, 0);
	memset(ckd_rig_at(flow->rig, CKD_RIG_OTHER), 0, CKD_4K);
	if (io->outcome == ZHYPERLINK_DONE) {
		flow->over_link++;
		assert_int_equal(move(flow->rig, false, n, CKD_RIG_OTHER), ZHYPERLINK_DONE);
	} else {
		flow->over_zhpf++;
		assert_int_equal(io->outcome, ZHYPERLINK_LINK_BUSY);
		assert_int_equal(io->protocol, OPERATION_ZHPF);
		ckd_rig_4k(flow->rig, true, false, n, 1, CKD_RIG_OTHER);
		ckd_rig_good(flow->rig);
	}
	fill(want, (uint32_t)n);
	assert_memory_equal(ckd_rig_at(flow->rig, CKD_RIG_OTHER), want, CKD_4K);
	io_release(io);
}

static void second_tries_have_the_same_bytes(void **state)
{
	static struct fabric_rig fabric;
	struct flow flow = {.rig = *state};
	struct fabric_error error;

	for (uint32_t n = 0; n < RECORDS; n++) {
		fill(ckd_rig_at(flow.rig, CKD_RIG_DATA), n);
		assert_int_equal(move(flow.rig, true, n, CKD_RIG_DATA), ZHYPERLINK_DONE);
	}
	assert_int_equal(fabric_rig_build(&fabric,
					  "zhpf yes\ncontrol-unit 7800\nchannel 50\npath 50 7800\n"
					  "device 7800 cu=7800\nzhyperlink 7800\n",
					  &error),
			 0);
	for (uint32_t n = 0; n < RECORDS; n++) {
		struct io *io = io_take(fabric.fabric);

		assert_non_null(io);
		io->device = fabric_device(fabric.fabric, 0x7800);
		io->bytes = CKD_4K;
		io->align = CKD_RIG_OTHER;
		io->ended = on_end;
		io->context = &flow;
		zhyperlink_start(io, PROGRAM_AUTO);
		/* Two at the same time, then a pause in which both end. */
		if (n % 2)
			assert_int_equal(fabric_run_until(fabric.fabric, (n + 1) * SIM_MS), 0);
	}
	assert_int_equal(flow.over_link, RECORDS / 2);
	assert_int_equal(flow.over_zhpf, RECORDS / 2);
	fabric_rig_done(&fabric);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_ways_have_the_same_bytes, ckd_rig_setup,
						ckd_rig_teardown),
		cmocka_unit_test_setup_teardown(what_does_not_go_moves_nothing, ckd_rig_setup,
						ckd_rig_teardown),
		cmocka_unit_test_setup_teardown(second_tries_have_the_same_bytes, ckd_rig_setup,
						ckd_rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
