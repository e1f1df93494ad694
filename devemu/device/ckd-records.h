/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-records.h - a volume of 4 KB records, and the channel programs that read and write them
 *
 * A track holds 12 records of 4096 bytes without keys, R1 to R12; record n of a volume is on track
 * n / 12.
 */
#ifndef DEVEMU_DEVICE_CKD_RECORDS_H
#define DEVEMU_DEVICE_CKD_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "devemu/bytes/storage.h"
#include "devemu/channel/orb.h"
#include "devemu/device/ckd-image.h"

#define CKD_4K           4096u
#define CKD_4K_PER_TRACK 12u

/* Returns the number of 4 KB records that fit on a volume. */
uint64_t ckd_4k_records(const struct ckd_image *image);

/* Finds record @n, which must exist. */
void ckd_4k_address(uint64_t n, uint16_t *cylinder, uint16_t *head, uint8_t *record);

/* Writes a standard record 0 and R1 to R12 of zeros onto each track from @first to @last. 0 or a
 * negative errno. */
int ckd_4k_format(struct ckd_image *image, uint32_t first, uint32_t last);

/* An I/O of some records that follow each other. */
struct ckd_4k_io {
	uint64_t record;
	uint32_t count;
	bool write;
	uint64_t data; /* address in storage, count * 4096 bytes */
	uint8_t key;   /* 0x10 is key 1 */
};

/* Room that a program takes at most. */
#define CKD_4K_PROGRAM 4096u

/**
 * ckd_4k_ccw() - Define Extent, Locate Record, and a Read or Write Data for each record
 * @at:		where the program is put: below 2 GB, CKD_4K_PROGRAM bytes on a boundary of 4096
 * @orb:	gets the ORB that starts it
 *
 * Data above 2 GB are named by format-2 IDAWs. At most 255 records (what Locate Record can count).
 *
 * Return: 0, -EFAULT if something is not in storage, -EINVAL if @io asks for nothing or too much.
 */
int ckd_4k_ccw(struct storage *storage, uint32_t at, const struct ckd_4k_io *io,
	       uint8_t orb[ORB_LEN]);

/* The same by tracks: Define Extent, Locate Record Extended, and one Read or Write Track Data,
 * whose data are chained: three commands however many records there are. Data have to lie below 2
 * GB. */
int ckd_4k_track_ccw(struct storage *storage, uint32_t at, const struct ckd_4k_io *io,
		     uint8_t orb[ORB_LEN]);

/* The same in transport mode: Prefix, and Read or Write Data for one record, Read or Write Track
 * Data for more. */
int ckd_4k_tcw(struct storage *storage, uint32_t at, const struct ckd_4k_io *io,
	       uint8_t orb[ORB_LEN]);

#endif
