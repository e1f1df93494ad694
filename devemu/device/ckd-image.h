/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-image.h - a CKD volume in a file, in the format of Hercules
 *
 * Layout, as Hercules' dasdinit writes it (its user reference calls it "CKD image file"):
 *
 *   - 512 bytes of device header: "CKD_P370", heads (4), track size (4), low byte of the device
 * type (1), number of this file (1), highest cylinder in this file or 0 (2), serial number (12, in
 *     later versions), zeros. Numbers are little-endian.
 *   - tracks, of track size bytes each: home address (0, CC, HH), records, eight times X'FF',
 * zeros.
 *   - records: count (CC, HH, R, key length, data length (2)), key, data. Numbers are big-endian.
 *
 * A volume may be in several files: number 1, 2 and so on, whose names differ in the character
 * before the last dot (volume_1.ckd, volume_2.ckd). Compressed images (CKD_C370, CKD_S370 and the
 * 64-bit ones) are refused by name.
 *
 * Reading goes through a mapping, writing through pwrite(2), so a full disk is an error and not a
 * signal. Another process may shorten a file. Call ckd_image_check() before each use of its tracks
 * to notice that, and ckd_guard() to survive it during the use.
 */
#ifndef DEVEMU_DEVICE_CKD_IMAGE_H
#define DEVEMU_DEVICE_CKD_IMAGE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CKD_HEADER     512u
#define CKD_HOME       5u /* bytes of the home address */
#define CKD_COUNT      8u /* bytes of a count field */
#define CKD_TRACK_SIZE 56832u
#define CKD_PARTS_MAX  9

struct ckd_part {
	int fd;
	const uint8_t *map;
	uint64_t size;  /* of the file */
	uint32_t first; /* cylinder */
	uint32_t cylinders;
};

struct ckd_image {
	struct ckd_part part[CKD_PARTS_MAX];
	unsigned int parts;
	uint32_t cylinders;
	uint32_t track_size;
	bool read_only;
	bool unshared;                   /* its files have no names: no other process can change
					  * them */
	volatile sig_atomic_t shortened; /* a part of a file was missing during a use */
};

/**
 * ckd_open() - open the image of a 3390
 * @read_only:	never write: several processes may have it open. Otherwise this process has it alone
 * @why:	the error in the image, if it has one; a sentence's end
 *
 * Return: 0; -EINVAL with @why set if it is no image of a 3390 that we can use; -EBUSY if it is
 * open elsewhere; another negative errno with @why NULL from the system. ckd_close() releases it.
 */
int ckd_open(struct ckd_image **image, const char *path, bool read_only, const char **why);
void ckd_close(struct ckd_image *image);

/* Checks that the files still have their lengths. Returns 0, or -EIO: then the caller must not
 * touch them. */
int ckd_image_check(const struct ckd_image *image);

/**
 * ckd_guard() - guard this thread's use of tracks of @image; NULL: ends it
 *
 * While guarded, missing parts of a file read as zeros instead of ending the process, and
 * ckd_image_check() fails from then on. So call it after each use as well.
 *
 * Return: the image that was guarded before.
 */
struct ckd_image *ckd_guard(struct ckd_image *image);

/* For ckd_open(): installs the handler of SIGBUS again if another one has replaced it. */
void ckd_guard_install(void);

/* The track_size bytes of a track; cylinder and head must be there. */
static inline const uint8_t *ckd_track(const struct ckd_image *image, uint32_t cylinder,
				       uint32_t head)
{
	const struct ckd_part *part = image->part;

	while (cylinder >= part->first + part->cylinders)
		part++;
	return part->map + CKD_HEADER +
	       ((uint64_t)(cylinder - part->first) * 15 + head) * image->track_size;
}

/* Writes within a track. 0, -EROFS, -EINVAL if it would go beyond the track, or the error of
 * pwrite(2). */
int ckd_write(struct ckd_image *image, uint32_t cylinder, uint32_t head, uint32_t offset,
	      const void *buf, size_t len);

/* Everything written so far is on its medium when this returns 0. */
int ckd_sync(struct ckd_image *image);

/**
 * ckd_create() - a new volume: home address and a standard record 0 on each track, nothing else
 * @cylinders:	1 to CKD_CYLINDERS_MAX
 *
 * The file is made with holes where nothing is. An existing file is never touched (-EEXIST). On
 * failure nothing is left.
 *
 * Return: 0 or a negative errno.
 */
int ckd_create(const char *path, uint32_t cylinders);

struct ckd_record {
	uint32_t offset; /* of the count field in the track */
	const uint8_t *count;
	uint8_t number; /* R */
	uint8_t key_len;
	uint16_t data_len;
	const uint8_t *key;
	const uint8_t *data;
};

/* The record whose count field is at @offset: 1 and @record, 0 at the end of the track, -EINVAL if
 * it runs over the track's end. */
static inline int ckd_record_at(const uint8_t *track, uint32_t track_size, uint32_t offset,
				struct ckd_record *record)
{
	static const uint8_t end[CKD_COUNT] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	const uint8_t *count = track + offset;

	if (offset < CKD_HOME || offset > track_size - CKD_COUNT)
		return -22;
	if (__builtin_memcmp(count, end, CKD_COUNT) == 0)
		return 0;
	record->offset = offset;
	record->count = count;
	record->number = count[4];
	record->key_len = count[5];
	record->data_len = (uint16_t)(count[6] << 8 | count[7]);
	record->key = count + CKD_COUNT;
	record->data = record->key + record->key_len;
	/* And room for what comes after it. */
	if (CKD_COUNT + (uint32_t)record->key_len + record->data_len + CKD_COUNT >
	    track_size - offset)
		return -22;
	return 1;
}

#endif
