/* SPDX-License-Identifier: Apache-2.0 */
/* disk.c - the configuration disk: two places for an archive, of which the newer whole one counts
 */
#include "via/disk.h"

#include <string.h>

#include "lfp/bigend.h"

static const uint8_t magic[8] = {'L', 'F', 'P', 'V', 'I', 'A', '1', '\n'};

/* Where the fields of the head lie, in bytes. */
enum { AT_GENERATION = 8, AT_LENGTH = 16, AT_CRC = 20, AT_HEAD_CRC = 24 };

size_t via_disk_half(uint64_t size)
{
	uint64_t used = size < VIA_DISK_MAX ? size : VIA_DISK_MAX;

	return (size_t)(used / 2 / VIA_DISK_HEAD * VIA_DISK_HEAD);
}

uint32_t via_crc32(const void *data, size_t size)
{
	const uint8_t *at = data;
	uint32_t crc = 0xffffffffu;

	for (size_t i = 0; i < size; i++) {
		crc ^= at[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

static void look(const uint8_t *half, size_t size, struct via_place *place)
{
	size_t len;

	memset(place, 0, sizeof(*place));
	if (size <= VIA_DISK_HEAD || memcmp(half, magic, sizeof(magic)) != 0)
		return;
	place->half = VIA_HALF_DAMAGED;
	if (be32_get(half + AT_HEAD_CRC) != via_crc32(half, AT_HEAD_CRC))
		return;
	place->generation = be64_get(half + AT_GENERATION);
	len = be32_get(half + AT_LENGTH);
	if (len > size - VIA_DISK_HEAD ||
	    be32_get(half + AT_CRC) != via_crc32(half + VIA_DISK_HEAD, len))
		return;
	place->half = VIA_HALF_WHOLE;
	place->archive = half + VIA_DISK_HEAD;
	place->size = len;
}

void via_disk_read(const uint8_t *data, size_t size, struct via_disk *disk)
{
	const size_t half = via_disk_half(size);
	const struct via_place *places = disk->places;

	for (size_t i = 0; i < 2; i++)
		look(data + i * half, half, &disk->places[i]);
	disk->chosen = -1;
	for (int i = 0; i < 2; i++)
		if (places[i].half == VIA_HALF_WHOLE &&
		    (disk->chosen < 0 || places[i].generation > places[disk->chosen].generation))
			disk->chosen = i;
}

void via_disk_head(uint8_t head[static VIA_DISK_HEAD], uint64_t generation, const uint8_t *archive,
		   size_t size)
{
	memset(head, 0, VIA_DISK_HEAD);
	memcpy(head, magic, sizeof(magic));
	be64_put(head + AT_GENERATION, generation);
	be32_put(head + AT_LENGTH, (uint32_t)size);
	be32_put(head + AT_CRC, via_crc32(archive, size));
	be32_put(head + AT_HEAD_CRC, via_crc32(head, AT_HEAD_CRC));
}
