/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-rig.c - a small 3390 volume in a file of its own, behind a subchannel */
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
#include "tests/devemu/ckd-rig.h"

uint8_t *ckd_rig_at(struct ckd_rig *rig, uint32_t addr)
{
	return rig->storage->bytes + addr;
}

static void on_iu(void *ctx, enum io_iu kind, bool to_cu, uint32_t bytes)
{
	struct ckd_rig *rig = ctx;

	(void)kind;
	(void)bytes;
	if (to_cu)
		rig->iu_out++;
	else
		rig->iu_in++;
}

static void start(struct ckd_rig *rig, bool read_only)
{
	const char *why;

	assert_int_equal(ckd_open(&rig->image, rig->path, read_only, &why), 0);
	rig->device = ckd_device_create(rig->image, 0x7800);
	assert_non_null(rig->device);
	rig->subch = subch_create(rig->storage, rig->device);
	assert_non_null(rig->subch);
	rig->trace = (struct io_trace){.iu = on_iu, .ctx = rig};
	subch_set_trace(rig->subch, &rig->trace);
}

static void stop(struct ckd_rig *rig)
{
	subch_destroy(rig->subch);
	ckd_device_destroy(rig->device);
	ckd_close(rig->image);
}

int ckd_rig_setup(void **state)
{
	struct ckd_rig *rig = calloc(1, sizeof(*rig));
	const char *dir = getenv("TMPDIR");

	assert_non_null(rig);
	snprintf(rig->path, sizeof(rig->path), "%.30s/ckd-%d.ckd", dir ? dir : "/tmp",
		 (int)getpid());
	unlink(rig->path);
	assert_int_equal(ckd_create(rig->path, CKD_RIG_CYLINDERS), 0);
	rig->storage = storage_create(CKD_RIG_STORAGE);
	assert_non_null(rig->storage);
	start(rig, false);
	assert_int_equal(ckd_4k_format(rig->image, 0, 29), 0);
	ckd_rig_begin(rig);
	*state = rig;
	return 0;
}

int ckd_rig_teardown(void **state)
{
	struct ckd_rig *rig = *state;

	stop(rig);
	storage_destroy(rig->storage);
	unlink(rig->path);
	free(rig);
	return 0;
}

void ckd_rig_reopen(struct ckd_rig *rig, bool read_only)
{
	stop(rig);
	start(rig, read_only);
}

void ckd_rig_begin(struct ckd_rig *rig)
{
	rig->at = CKD_RIG_PROGRAM;
	rig->params = CKD_RIG_PARAMS;
	rig->iu_out = rig->iu_in = 0;
}

void ckd_rig_ccw(struct ckd_rig *rig, uint8_t cmd, uint8_t flags, uint16_t count, uint32_t addr)
{
	struct ccw ccw = {.cmd = cmd, .flags = flags, .count = count, .addr = addr};

	if (cmd != 0x08)
		ccw.flags |= CCW_CC;
	ccw_encode(&ccw, true, ckd_rig_at(rig, rig->at));
	rig->at += CCW_LEN;
}

void ckd_rig_command(struct ckd_rig *rig, uint8_t cmd, const void *params, uint16_t len)
{
	memcpy(ckd_rig_at(rig, rig->params), params, len);
	ckd_rig_ccw(rig, cmd, 0, len, rig->params);
	rig->params += len;
}

static void put_track(uint8_t *p, uint32_t track)
{
	be16_put(p, (uint16_t)(track / CKD_HEADS));
	be16_put(p + 2, (uint16_t)(track % CKD_HEADS));
}

void ckd_rig_extent(struct ckd_rig *rig, uint8_t mask, uint32_t first, uint32_t last)
{
	uint8_t p[16] = {mask, 0xc0};

	put_track(p + 8, first);
	put_track(p + 12, last);
	ckd_rig_command(rig, 0x63, p, sizeof(p));
}

void ckd_rig_seek(struct ckd_rig *rig, uint32_t track)
{
	uint8_t p[6] = {0};

	put_track(p + 2, track);
	ckd_rig_command(rig, 0x07, p, sizeof(p));
}

void ckd_rig_locate(struct ckd_rig *rig, uint8_t operation, uint8_t count, uint32_t track,
		    uint8_t record)
{
	uint8_t p[16] = {operation, 0, 0, count};

	put_track(p + 4, track);
	put_track(p + 8, track);
	p[12] = record;
	p[13] = 0xff;
	ckd_rig_command(rig, 0x47, p, sizeof(p));
}

void ckd_rig_search_id(struct ckd_rig *rig, uint32_t track, uint8_t record)
{
	uint32_t at = rig->at;
	uint8_t p[5];

	put_track(p, track);
	p[4] = record;
	ckd_rig_command(rig, 0x31, p, sizeof(p));
	ckd_rig_ccw(rig, 0x08, 0, 0, at);
}

static void take(struct ckd_rig *rig, const uint8_t *orb)
{
	uint8_t irb[IRB_LEN];

	assert_int_equal(subch_start(rig->subch, orb), 0);
	assert_int_equal(subch_test(rig->subch, irb), 0);
	scsw_decode(irb, &rig->scsw);
	if (rig->scsw.transport)
		memcpy(rig->sense, rig->subch->tcw.tsb.sense, DEVICE_SENSE);
	else
		memcpy(rig->sense, irb + IRB_ECW, DEVICE_SENSE);
}

void ckd_rig_run(struct ckd_rig *rig)
{
	struct orb orb = {.format1 = true, .lpm = 0xff, .program = CKD_RIG_PROGRAM};
	uint8_t bytes[ORB_LEN];

	*ckd_rig_at(rig, rig->at - 7) &= (uint8_t)~CCW_CC;
	orb_encode(&orb, bytes);
	take(rig, bytes);
}

void ckd_rig_good(struct ckd_rig *rig)
{
	assert_int_equal(rig->scsw.sch_status, 0);
	assert_int_equal(rig->scsw.unit_status, UNIT_END);
	if (rig->scsw.transport) {
		assert_int_equal(rig->scsw.fcx_status, TCW_FCXS_TSB_VALID);
		assert_int_equal(rig->subch->tcw.tsb.count, 0);
	} else {
		assert_int_equal(rig->scsw.count, 0);
		assert_int_equal(rig->scsw.address, rig->at);
	}
}

void ckd_rig_check(struct ckd_rig *rig, uint8_t sense0, uint8_t sense1, uint8_t sense7)
{
	assert_int_equal(rig->scsw.unit_status, UNIT_END | UNIT_CHECK);
	assert_int_equal(rig->sense[0], sense0);
	assert_int_equal(rig->sense[1], sense1);
	assert_int_equal(rig->sense[7], sense7);
	assert_int_equal(rig->sense[27], 0x80);
}

void ckd_rig_4k(struct ckd_rig *rig, bool transport, bool write, uint64_t record, uint32_t count,
		uint64_t data)
{
	struct ckd_4k_io io = {.record = record, .count = count, .write = write, .data = data};
	uint8_t orb[ORB_LEN];

	ckd_rig_begin(rig);
	if (transport)
		assert_int_equal(ckd_4k_tcw(rig->storage, CKD_RIG_PROGRAM, &io, orb), 0);
	else
		assert_int_equal(ckd_4k_ccw(rig->storage, CKD_RIG_PROGRAM, &io, orb), 0);
	rig->at = CKD_RIG_PROGRAM + 64 + 8 * (2 + count);
	take(rig, orb);
}
