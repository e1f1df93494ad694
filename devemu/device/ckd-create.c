/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-create.c - a new CKD volume */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lfp/bigend.h"
#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-image.h"

static int put(int fd, const void *buf, size_t len, uint64_t at)
{
	ssize_t n;

	do {
		n = pwrite(fd, buf, len, (off_t)at);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -ENOSPC;
}

static int put_header(int fd)
{
	uint8_t header[CKD_HEADER] = "CKD_P370";

	header[8] = CKD_HEADS;
	header[12] = CKD_TRACK_SIZE & 0xff;
	header[13] = CKD_TRACK_SIZE >> 8;
	header[16] = 0x90;
	return put(fd, header, sizeof(header), 0);
}

/* Home address, record 0 with eight bytes of zeros, end of track. */
static int put_track(int fd, uint32_t cylinder, uint32_t head)
{
	uint8_t bytes[CKD_HOME + CKD_COUNT + 8 + CKD_COUNT] = {0};

	be16_put(bytes + 1, (uint16_t)cylinder);
	be16_put(bytes + 3, (uint16_t)head);
	memcpy(bytes + CKD_HOME, bytes + 1, 4);
	be16_put(bytes + CKD_HOME + 6, 8);
	memset(bytes + sizeof(bytes) - CKD_COUNT, 0xff, CKD_COUNT);
	return put(fd, bytes, sizeof(bytes),
		   CKD_HEADER + ((uint64_t)cylinder * CKD_HEADS + head) * CKD_TRACK_SIZE);
}

int ckd_create(const char *path, uint32_t cylinders)
{
	int fd, rc;

	if (!cylinders || cylinders > CKD_CYLINDERS_MAX)
		return -EINVAL;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	rc = put_header(fd);
	for (uint32_t track = 0; !rc && track < cylinders * CKD_HEADS; track++)
		rc = put_track(fd, track / CKD_HEADS, track % CKD_HEADS);
	if (!rc && ftruncate(fd, (off_t)(CKD_HEADER +
					 (uint64_t)cylinders * CKD_HEADS * CKD_TRACK_SIZE)) < 0)
		rc = -errno;
	if (close(fd) < 0 && !rc)
		rc = -errno;
	if (rc)
		unlink(path);
	return rc;
}
