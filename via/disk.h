/* SPDX-License-Identifier: Apache-2.0 */
/* disk.h - the configuration disk: two places for an archive, of which the newer whole one counts
 */
#ifndef VIA_DISK_H
#define VIA_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "via/archive.h"

/*
 * Theory of operation
 *
 * The disk is a block device or a file without a file system. Each half holds a head of 512 bytes
 * and an archive. A new configuration goes to the half that does not count, its head last: until
 * the head is whole, the other half counts. So a power cut at any moment leaves one whole
 * configuration. The appliance itself never writes.
 *
 * The head, numbers big-endian: "LFPVIA1\n", the generation (64 bits), the archive's length in
 * bytes and its CRC-32, the CRC-32 of these 24 bytes, zeros. The checksums detect damage, not an
 * attacker: who can write the disk is the operator.
 */
#define VIA_DISK_HEAD    512u
#define VIA_DISK_MIN     (64u * 1024)                            /* bytes */
#define VIA_DISK_MAX     (2 * (VIA_DISK_HEAD + VIA_ARCHIVE_MAX)) /* bytes; more is not used */
#define VIA_DISK_DEFAULT (1024u * 1024)                          /* bytes of a new file */

enum via_half { VIA_HALF_EMPTY, VIA_HALF_DAMAGED, VIA_HALF_WHOLE };

struct via_place {
	enum via_half half;
	uint64_t generation;
	const uint8_t *archive; /* in the disk's bytes */
	size_t size;
};

struct via_disk {
	struct via_place places[2];
	int chosen; /* 0 or 1; -1: no half is whole */
};

/* Bytes of each half of a disk of @size bytes, a multiple of 512. */
size_t via_disk_half(uint64_t size);

uint32_t via_crc32(const void *data, size_t size);

/* Look at a disk's bytes, which stay the caller's. */
void via_disk_read(const uint8_t *data, size_t size, struct via_disk *disk);

/* The head of an archive. */
void via_disk_head(uint8_t head[static VIA_DISK_HEAD], uint64_t generation, const uint8_t *archive,
		   size_t size);

#endif
