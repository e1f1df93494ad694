/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-rig.h - a small 3390 volume in a file of its own, behind a subchannel */
#ifndef TESTS_DEVEMU_CKD_RIG_H
#define TESTS_DEVEMU_CKD_RIG_H

#include "devemu/channel/subch.h"
#include "devemu/device/ckd-device.h"
#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-records.h"

#define CKD_RIG_CYLINDERS 3u
#define CKD_RIG_STORAGE   0x400000u
#define CKD_RIG_PROGRAM   0x1000u
#define CKD_RIG_PARAMS    0x3000u /* parameters of commands, one after the other */
#define CKD_RIG_DATA      0x100000u
#define CKD_RIG_OTHER     0x200000u

struct ckd_rig {
	char path[64];
	struct storage *storage;
	struct ckd_image *image;
	struct device *device;
	struct subch *subch;
	uint32_t at, params; /* of the next CCW and of the next parameters */
	struct scsw scsw;
	uint8_t sense[DEVICE_SENSE]; /* of the last program, from IRB or TSB */
	unsigned int iu_out, iu_in;
	struct io_trace trace;
};

/* Makes a volume whose tracks are empty, except that the first two cylinders have 12 records of 4
 * KB a track. */
int ckd_rig_setup(void **state);
int ckd_rig_teardown(void **state);

/* Closes and opens the volume again. */
void ckd_rig_reopen(struct ckd_rig *rig, bool read_only);

/* Begins a new program. */
void ckd_rig_begin(struct ckd_rig *rig);
/* Adds a command, chained to the one before it, with data somewhere in storage. */
void ckd_rig_ccw(struct ckd_rig *rig, uint8_t cmd, uint8_t flags, uint16_t count, uint32_t addr);
/* The same with parameters, which this function puts into storage. */
void ckd_rig_command(struct ckd_rig *rig, uint8_t cmd, const void *params, uint16_t len);
/* Add Define Extent over tracks first to last, Seek, Locate Record, Search ID Equal with its
 * TIC. */
void ckd_rig_extent(struct ckd_rig *rig, uint8_t mask, uint32_t first, uint32_t last);
void ckd_rig_seek(struct ckd_rig *rig, uint32_t track);
void ckd_rig_locate(struct ckd_rig *rig, uint8_t operation, uint8_t count, uint32_t track,
		    uint8_t record);
void ckd_rig_search_id(struct ckd_rig *rig, uint32_t track, uint8_t record);

/* Runs the program, without the CC flag of the last command. */
void ckd_rig_run(struct ckd_rig *rig);
/* Checks that the program ended well, with all bytes moved. */
void ckd_rig_good(struct ckd_rig *rig);
/* Checks that the program ended in unit check with these sense bytes 0, 1 and 7. */
void ckd_rig_check(struct ckd_rig *rig, uint8_t sense0, uint8_t sense1, uint8_t sense7);

/* Reads or writes 4 KB records by CCWs or by a TCW. */
void ckd_rig_4k(struct ckd_rig *rig, bool transport, bool write, uint64_t record, uint32_t count,
		uint64_t data);

uint8_t *ckd_rig_at(struct ckd_rig *rig, uint32_t addr);

#endif
