/* SPDX-License-Identifier: Apache-2.0 */
/* test-channel-stress.c - channel programs of all kinds, most of them wrong, against two volumes
 *
 * Volume A gets good programs only, by CCWs and TCWs in turn, and what it holds is known at each
 * moment. Volume B gets good programs with some bits turned, and programs of random bytes. In every
 * case,
 *   - they end, wait or suspend, with a status that the architecture has,
 *   - not one byte changes in storage that their key protects,
 *   - each track of B remains one that can be read.
 *
 * CHANNEL_STRESS says how many programs (default 20000), CHANNEL_STRESS_SEED which ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lfp/bigend.h"
#include "devemu/channel/ccw.h"
#include "devemu/channel/subch.h"
#include "devemu/device/ckd-device.h"
#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-records.h"

#define STORAGE   0x400000u
#define PROGRAM   0x1000u
#define DATA      0x100000u
#define PROTECTED 0x300000u /* up to the end: no program may store there */
#define CYLINDERS 2u
#define RECORDS   (CYLINDERS * 15 * CKD_4K_PER_TRACK)
#define TOGETHER  40u /* records in one program */

struct volume {
	char path[80];
	struct ckd_image *image;
	struct device *device;
	struct subch *subch;
};

static struct storage *storage;
static struct volume a, b;
static uint64_t holds[RECORDS]; /* pattern of each record of A; 0: zeros */
static uint64_t state_of_random;
static uint8_t guard[STORAGE - PROTECTED];

static uint32_t random32(void)
{
	uint64_t z = state_of_random += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (uint32_t)(z >> 32);
}

static uint32_t below(uint32_t n)
{
	return random32() % n;
}

static void volume_init(struct volume *v, const char *name)
{
	const char *tmp = getenv("TMPDIR"), *why;

	snprintf(v->path, sizeof(v->path), "%.40s/stress-%s-%d", tmp ? tmp : "/tmp", name,
		 (int)getpid());
	unlink(v->path);
	assert_int_equal(ckd_create(v->path, CYLINDERS), 0);
	assert_int_equal(ckd_open(&v->image, v->path, false, &why), 0);
	unlink(v->path);
	assert_int_equal(ckd_4k_format(v->image, 0, CYLINDERS * 15 - 1), 0);
	v->device = ckd_device_create(v->image, 0x7800);
	v->subch = subch_create(storage, v->device);
	assert_non_null(v->subch);
	v->subch->ccw.limit = 2000;
}

static void volume_finish(struct volume *v)
{
	subch_destroy(v->subch);
	ckd_device_destroy(v->device);
	ckd_close(v->image);
}

static void pattern(uint8_t *p, uint64_t which, uint64_t record)
{
	uint64_t x = which * 0x9e3779b97f4a7c15u + record;

	if (!which) {
		memset(p, 0, CKD_4K);
		return;
	}
	for (uint32_t i = 0; i < CKD_4K; i += 8) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		be64_put(p + i, x);
	}
}

/* A good program for some records; sets the ORB. */
static void good_program(struct ckd_4k_io *io, uint8_t *orb)
{
	io->count = below(4) ? 1 : 1 + below(TOGETHER);
	io->record = below(RECORDS - io->count + 1);
	io->write = below(2);
	io->data = DATA + below(4096);
	io->key = 0x10;
	assert_int_equal(below(2) ? ckd_4k_tcw(storage, PROGRAM, io, orb)
				  : ckd_4k_ccw(storage, PROGRAM, io, orb),
			 0);
}

static void on_a(uint64_t step)
{
	uint8_t orb[ORB_LEN], irb[IRB_LEN], want[CKD_4K];
	struct ckd_4k_io io;
	struct scsw scsw;

	good_program(&io, orb);
	if (io.write) {
		for (uint32_t i = 0; i < io.count; i++) {
			holds[io.record + i] = step;
			pattern(storage->bytes + io.data + i * CKD_4K, step, io.record + i);
		}
	}
	assert_int_equal(subch_start(a.subch, orb), 0);
	assert_int_equal(subch_test(a.subch, irb), 0);
	scsw_decode(irb, &scsw);
	assert_int_equal(scsw.unit_status, UNIT_END);
	assert_int_equal(scsw.sch_status, 0);
	for (uint32_t i = 0; i < io.count; i++) {
		pattern(want, holds[io.record + i], io.record + i);
		assert_memory_equal(storage->bytes + io.data + i * CKD_4K, want, CKD_4K);
	}
}

/* Commands that a 3390 has, and some that it has not. */
static uint8_t some_command(void)
{
	static const uint8_t known[] = {0x03, 0x04, 0x05, 0x06, 0x07, 0x0d, 0x0e, 0x11, 0x12,
					0x1d, 0x1e, 0x1f, 0x22, 0x23, 0x29, 0x31, 0x47, 0x4b,
					0x5e, 0x63, 0x64, 0x85, 0x86, 0x8e, 0x92, 0x9d, 0x9e,
					0xa5, 0xa6, 0xb1, 0xde, 0xe7, 0x08};

	return below(8) ? known[below(sizeof(known))] : (uint8_t)random32();
}

/* Parameters that have a chance to be understood. */
static void some_parameters(uint8_t *p)
{
	static const uint8_t operations[] = {0x00, 0x01, 0x03, 0x06, 0x0b, 0x0c,
					     0x16, 0x43, 0x81, 0x86, 0xc3, 0x3f};

	for (uint32_t i = 0; i < 64; i++)
		p[i] = below(6) ? 0 : (uint8_t)random32();
	switch (below(3)) {
	case 0: /* Define Extent */
		p[0] = (uint8_t)(below(4) << 6);
		p[1] = 0xc0;
		memset(p + 2, 0, 13);
		p[13] = CYLINDERS - 1;
		p[15] = 14;
		break;
	case 1: /* Locate Record, or a count field */
		memset(p, 0, 16);
		p[0] = operations[below(sizeof(operations))];
		p[3] = (uint8_t)below(8);
		p[5] = p[9] = (uint8_t)below(CYLINDERS);
		p[7] = p[11] = (uint8_t)below(15);
		p[12] = (uint8_t)below(14);
		p[13] = 0xff;
		break;
	default: /* Seek or Search ID */
		memset(p, 0, 8);
		p[3] = (uint8_t)below(CYLINDERS);
		p[5] = (uint8_t)below(15);
		break;
	}
}

static void random_ccws(uint8_t *orb_bytes)
{
	struct orb orb = {
		.key = 0x10,
		.format1 = below(2),
		.suspend = !below(4),
		.idaw64 = below(2),
		.idaw2k = below(2),
		.midaw = below(2),
		.length_suppression = below(2),
		.lpm = 0xff,
		.program = PROGRAM,
	};
	uint32_t count = 1 + below(24);

	for (uint32_t i = 0; i < 16; i++)
		some_parameters(storage->bytes + PROGRAM + 1024 + i * 64);
	for (uint32_t i = 0; i < count; i++) {
		struct ccw ccw = {
			.cmd = some_command(),
			.flags = below(10) ? CCW_CC : (uint8_t)random32(),
			.count = (uint16_t)(below(2) ? 16 : below(5000)),
			.addr = PROGRAM + 1024 + below(16) * 64,
		};

		if (!below(3))
			ccw.flags |= CCW_SLI;
		if (ccw.cmd == 0x08) {
			ccw.addr = PROGRAM + below(count) * 8;
			ccw.count = ccw.flags = 0;
		} else if (ccw.flags & (CCW_IDA | CCW_MIDAW)) {
			ccw.addr = PROGRAM + 2048 + below(64) * 16;
		} else if (!below(3)) {
			ccw.addr = below(8) ? DATA + below(0x10000) : random32();
		}
		if (ccw.cmd == 0xe7)
			ccw.count = 64;
		ccw_encode(&ccw, orb.format1, storage->bytes + PROGRAM + i * 8);
	}
	/* Words for lists: addresses in the data area, or anywhere. */
	for (uint32_t i = 0; i < 256; i++)
		be32_put(storage->bytes + PROGRAM + 2048 + i * 4, below(3) ? 0
								  : below(4)
									  ? DATA + below(32) * 2048
									  : random32());
	orb_encode(&orb, orb_bytes);
}

static void some_bits_turned(uint8_t *orb)
{
	struct ckd_4k_io io;
	uint32_t turns = 1 + below(4);

	good_program(&io, orb);
	while (turns--)
		storage->bytes[PROGRAM + below(512)] ^= (uint8_t)(1 << below(8));
	if (!below(20))
		orb[below(ORB_LEN)] ^= (uint8_t)(1 << below(8));
	/* Only the storage key confines the program. */
	orb[4] = (uint8_t)((orb[4] & 0x0f) | 0x10);
}

static void readable(uint32_t track)
{
	const uint8_t *t = ckd_track(b.image, track / 15, track % 15);
	uint32_t offset = CKD_HOME, cells = 0;
	struct ckd_record record;
	int rc;

	assert_int_equal(be16_get(t + 1), track / 15);
	assert_int_equal(be16_get(t + 3), track % 15);
	while ((rc = ckd_record_at(t, b.image->track_size, offset, &record)) > 0) {
		if (offset > CKD_HOME)
			cells += ckd_record_cells(record.key_len, record.data_len);
		offset += CKD_COUNT + record.key_len + (uint32_t)record.data_len;
	}
	assert_int_equal(rc, 0);
	assert_true(cells <= CKD_CELLS);
}

static void on_b(uint64_t step)
{
	uint8_t orb[ORB_LEN], irb[IRB_LEN];
	struct scsw scsw;
	int cc;

	if (below(2))
		random_ccws(orb);
	else
		some_bits_turned(orb);
	cc = subch_start(b.subch, orb);
	if (cc < 0 || cc == 3)
		return;
	assert_int_equal(cc, 0);
	assert_int_equal(subch_test(b.subch, irb), 0);
	scsw_decode(irb, &scsw);
	if (scsw.actl & ACTL_SUSPENDED) {
		assert_int_equal(subch_clear(b.subch), 0);
		assert_int_equal(subch_test(b.subch, irb), 0);
	} else {
		/* The program has ended; a good one with channel end and device end. */
		assert_true(scsw.stctl & STCTL_PRIMARY);
		if (!(scsw.sch_status & (SCH_PROGRAM_CHECK | SCH_PROTECTION_CHECK)))
			assert_int_equal(scsw.unit_status & UNIT_END, UNIT_END);
		if (scsw.unit_status & UNIT_CHECK && !scsw.transport)
			assert_true(irb[IRB_ECW] || irb[IRB_ECW + 1]);
	}
	assert_memory_equal(storage->bytes + PROTECTED, guard, sizeof(guard) / 64);
	readable(below(CYLINDERS * 15));
	if (step % 1000 == 0) {
		assert_memory_equal(storage->bytes + PROTECTED, guard, sizeof(guard));
		for (uint32_t t = 0; t < CYLINDERS * 15; t++)
			readable(t);
		/* Erased records are written again. */
		assert_int_equal(ckd_4k_format(b.image, 0, CYLINDERS * 15 - 1), 0);
	}
}

static void stress(void **state)
{
	const char *count = getenv("CHANNEL_STRESS"), *seed = getenv("CHANNEL_STRESS_SEED");
	uint64_t programs = count ? strtoull(count, NULL, 10) : 20000;

	(void)state;
	state_of_random = seed ? strtoull(seed, NULL, 10) : 1;
	storage = storage_create(STORAGE);
	assert_non_null(storage);
	for (uint32_t at = 0; at < PROTECTED; at += STORAGE_PAGE)
		storage_key_set(storage, at, 0x10);
	for (uint32_t at = PROTECTED; at < STORAGE; at += STORAGE_PAGE)
		storage_key_set(storage, at, 0x20);
	for (uint32_t i = 0; i < sizeof(guard); i++)
		guard[i] = storage->bytes[PROTECTED + i] = (uint8_t)random32();
	volume_init(&a, "a");
	volume_init(&b, "b");
	for (uint64_t step = 1; step <= programs; step++) {
		if (below(3))
			on_b(step);
		else
			on_a(step);
	}
	volume_finish(&a);
	volume_finish(&b);
	storage_destroy(storage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(stress)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
