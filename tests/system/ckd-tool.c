/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-tool.c - a 3390 volume worked on by channel programs alone
 *
 *	ckd-tool create FILE CYLINDERS
 *	ckd-tool format FILE FIRST LAST
 *	ckd-tool fill FILE FIRST LAST
 *	ckd-tool verify FILE FIRST LAST
 *	ckd-tool label FILE
 *	ckd-tool walk FILE
 *
 * create makes a new volume. format writes 12 records of 4 KB on each of these tracks, by Write
 * CKD. fill puts other bytes into each of these records, by CCW and by TCW in turn; verify looks if
 * they are there, by TCW and by CCW in turn. label prints key and data of record 3 of track 0 in
 * hex, walk how many records there are on all tracks, by Read Track.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/bigend.h"
#include "devemu/channel/ccw.h"
#include "devemu/channel/subch.h"
#include "devemu/device/ckd-device.h"
#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-records.h"

#define PROGRAM 0x1000u
#define PARAMS  0x3000u
#define DATA    0x10000u

static struct storage *storage;
static struct subch *subch;
static uint32_t at, params;
static struct scsw scsw;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "ckd-tool: %s: %s\n", what, why);
	exit(1);
}

static void begin(void)
{
	at = PROGRAM;
	params = PARAMS;
}

static void ccw(uint8_t cmd, uint8_t flags, uint16_t count, uint32_t addr)
{
	struct ccw c = {.cmd = cmd, .flags = flags, .count = count, .addr = addr};

	ccw_encode(&c, true, storage->bytes + at);
	at += CCW_LEN;
}

static void command(uint8_t cmd, const void *p, uint16_t len)
{
	memcpy(storage->bytes + params, p, len);
	ccw(cmd, CCW_CC, len, params);
	params += len;
}

static void run(const uint8_t *orb, const char *what)
{
	uint8_t irb[IRB_LEN];

	if (subch_start(subch, orb) || subch_test(subch, irb))
		die(what, "the subchannel is busy");
	scsw_decode(irb, &scsw);
	if (scsw.unit_status != UNIT_END || scsw.sch_status) {
		fprintf(stderr,
			"ckd-tool: %s: unit status %02x, subchannel status %02x, sense %02x%02x\n",
			what, scsw.unit_status, scsw.sch_status, irb[IRB_ECW], irb[IRB_ECW + 1]);
		exit(1);
	}
}

static void run_ccws(const char *what)
{
	struct orb orb = {.format1 = true, .lpm = 0xff, .program = PROGRAM};
	uint8_t bytes[ORB_LEN];

	orb_encode(&orb, bytes);
	run(bytes, what);
}

static void extent_locate(uint32_t track, uint8_t operation, uint8_t count)
{
	uint8_t dx[16] = {0xc0, 0xc0}, lr[16] = {operation, 0, 0, count};

	for (int i = 0; i < 2; i++) {
		be16_put(dx + 8 + 4 * i, (uint16_t)(track / 15));
		be16_put(dx + 10 + 4 * i, (uint16_t)(track % 15));
		be16_put(lr + 4 + 4 * i, (uint16_t)(track / 15));
		be16_put(lr + 6 + 4 * i, (uint16_t)(track % 15));
	}
	lr[13] = 0xff;
	command(0x63, dx, 16);
	command(0x47, lr, 16);
}

static void format(uint32_t track)
{
	begin();
	extent_locate(track, 0x03, 12);
	memset(storage->bytes + DATA, 0, 65536);
	for (uint8_t r = 1; r <= 12; r++) {
		uint8_t *p = storage->bytes + DATA + r * 4104;

		be16_put(p, (uint16_t)(track / 15));
		be16_put(p + 2, (uint16_t)(track % 15));
		p[4] = r;
		be16_put(p + 6, 4096);
		ccw(0x1d, r < 12 ? CCW_CC : 0, 4104, DATA + r * 4104u);
	}
	run_ccws("format");
}

static void pattern(uint8_t *p, uint64_t record)
{
	uint64_t x = record * 0x9e3779b97f4a7c15u + 1;

	for (uint32_t i = 0; i < CKD_4K; i += 8) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		be64_put(p + i, x);
	}
}

static void transfer(uint64_t record, bool write, bool transport, const char *what)
{
	struct ckd_4k_io io = {.record = record, .count = 1, .write = write, .data = DATA};
	uint8_t orb[ORB_LEN];

	if (transport ? ckd_4k_tcw(storage, PROGRAM, &io, orb)
		      : ckd_4k_ccw(storage, PROGRAM, &io, orb))
		die(what, "no such record");
	run(orb, what);
}

static void fill_or_verify(uint32_t first, uint32_t last, bool write)
{
	uint8_t want[CKD_4K];

	for (uint64_t r = first * (uint64_t)12; r < (last + 1) * (uint64_t)12; r++) {
		pattern(want, r);
		memcpy(storage->bytes + DATA, want, CKD_4K);
		if (!write)
			memset(storage->bytes + DATA, 0, CKD_4K);
		transfer(r, write, write ? r & 1 : !(r & 1), write ? "fill" : "verify");
		if (memcmp(storage->bytes + DATA, want, CKD_4K) != 0)
			die("verify", "other bytes came back");
	}
}

static void label(void)
{
	uint8_t seek[6] = {0}, id[5] = {0, 0, 0, 0, 3};

	begin();
	command(0x07, seek, 6);
	command(0x31, id, 5);
	ccw(0x08, 0, 0, at - 8);
	ccw(0x0e, 0, 84, DATA);
	run_ccws("label");
	for (uint32_t i = 0; i < 14; i++)
		printf("%02x", storage->bytes[DATA + i]);
	printf("\n");
}

static void walk(const struct ckd_image *image)
{
	unsigned long records = 0;

	for (uint32_t track = 0; track < image->cylinders * CKD_HEADS; track++) {
		uint32_t p = DATA;

		begin();
		extent_locate(track, 0x0c, 1);
		ccw(0xde, CCW_SLI, 65535, DATA);
		run_ccws("walk");
		for (; be32_get(storage->bytes + p) != UINT32_MAX; records++)
			p += 8u + storage->bytes[p + 5] + be16_get(storage->bytes + p + 6);
	}
	printf("%lu\n", records);
}

int main(int argc, char **argv)
{
	uint32_t first = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
	uint32_t last = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 0;
	struct ckd_image *image;
	struct device *device;
	const char *why;
	int rc;

	if (argc < 3)
		die("use", "ckd-tool COMMAND FILE [FIRST LAST]");
	if (strcmp(argv[1], "create") == 0) {
		rc = ckd_create(argv[2], first);
		if (rc)
			die(argv[2], strerror(-rc));
		return 0;
	}
	rc = ckd_open(&image, argv[2], false, &why);
	if (rc)
		die(argv[2], why ? why : strerror(-rc));
	storage = storage_create(1 << 20);
	device = ckd_device_create(image, 0x0a00);
	subch = storage && device ? subch_create(storage, device) : NULL;
	if (!subch)
		die(argv[2], "out of memory");
	if (strcmp(argv[1], "format") == 0)
		for (uint32_t t = first; t <= last; t++)
			format(t);
	else if (strcmp(argv[1], "fill") == 0 || strcmp(argv[1], "verify") == 0)
		fill_or_verify(first, last, argv[1][0] == 'f');
	else if (strcmp(argv[1], "label") == 0)
		label();
	else if (strcmp(argv[1], "walk") == 0)
		walk(image);
	else
		die(argv[1], "no such command");
	subch_destroy(subch);
	ckd_device_destroy(device);
	storage_destroy(storage);
	ckd_close(image);
	return 0;
}
