/* SPDX-License-Identifier: Apache-2.0 */
/* channel.h - for fuzz targets that run channel programs: a small volume that looks the same before
 * each run
 *
 * Every program must end without waiting, leave readable tracks, and store nothing where its key
 * forbids it.
 */
#ifndef FUZZ_CHANNEL_H
#define FUZZ_CHANNEL_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>

#include "lfp/bigend.h"
#include "devemu/channel/subch.h"
#include "devemu/device/ckd-device.h"
#include "devemu/device/ckd-records.h"

#define STORAGE   0x80000u
#define PROGRAM   0x1000u
#define PROTECTED 0x70000u
#define KEY       0x10

static struct storage *storage;
static struct ckd_image *image;
static struct device *device;
static struct subch *subch;
static uint8_t *tracks; /* as they were */
static const uint8_t zeros[STORAGE - PROTECTED];

static void setup(void)
{
	char path[] = "/tmp/fuzz-volume-XXXXXX";
	const char *why;
	int fd = mkstemp(path);

	if (fd < 0 || close(fd) || unlink(path) || ckd_create(path, 1) ||
	    ckd_open(&image, path, false, &why))
		abort();
	unlink(path);
	if (ckd_4k_format(image, 0, 9))
		abort();
	storage = storage_create(STORAGE);
	device = ckd_device_create(image, 0x7800);
	subch = storage && device ? subch_create(storage, device) : NULL;
	tracks = malloc(15 * image->track_size);
	if (!subch || !tracks)
		abort();
	memcpy(tracks, ckd_track(image, 0, 0), 15 * image->track_size);
	subch->ccw.limit = 500;
	subch->interrupt = NULL;
	for (uint32_t at = 0; at < STORAGE; at += STORAGE_PAGE)
		storage_key_set(storage, at, at < PROTECTED ? KEY : 0x20);
}

static void clean(void)
{
	memset(storage->bytes, 0, PROTECTED);
	for (uint32_t head = 0; head < 15; head++) {
		const uint8_t *was = tracks + head * image->track_size;

		if (memcmp(ckd_track(image, 0, head), was, image->track_size) != 0 &&
		    ckd_write(image, 0, head, 0, was, image->track_size))
			abort();
	}
}

static void readable(uint32_t head)
{
	const uint8_t *track = ckd_track(image, 0, head);
	uint32_t offset = CKD_HOME;
	struct ckd_record record;
	int rc;

	if (be16_get(track + 3) != head)
		abort();
	while ((rc = ckd_record_at(track, image->track_size, offset, &record)) > 0)
		offset += CKD_COUNT + record.key_len + (uint32_t)record.data_len;
	if (rc)
		abort();
}

/* Runs it to its end, however often it suspends itself, and checks the result. */
static void run(const uint8_t *orb)
{
	uint8_t irb[IRB_LEN];
	struct scsw scsw;
	int cc, resumes = 0;

	cc = subch_start(subch, orb);
	if (cc < 0 || cc == 3)
		return;
	if (cc)
		abort();
	for (;;) {
		subch_test(subch, irb);
		scsw_decode(irb, &scsw);
		if (!(scsw.actl & ACTL_SUSPENDED))
			break;
		if (resumes++ == 3 ? subch_clear(subch) : subch_resume(subch))
			abort();
	}
	if (subch->scsw.fctl || subch_waits(subch))
		abort();
	for (uint32_t head = 0; head < 15; head++)
		readable(head);
	if (memcmp(storage->bytes + PROTECTED, zeros, sizeof(zeros)) != 0)
		abort();
}

#endif
