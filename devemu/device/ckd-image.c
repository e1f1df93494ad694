/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-image.c - a CKD volume in a file, in the format of Hercules */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-image.h"

#define TYPE_3390 0x90

struct header {
	uint32_t heads, track_size;
	uint8_t type, number;
	uint16_t highest;
};

static uint32_t le32(const uint8_t *p)
{
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static const char *name_of(const uint8_t *id)
{
	if (memcmp(id, "CKD_C", 5) == 0 || memcmp(id, "CKD_S", 5) == 0)
		return "it is a compressed image (cckd2ckd makes a plain one)";
	if (memcmp(id, "FBA_", 4) == 0)
		return "it is the image of an FBA disk";
	return "it does not start with CKD_P370";
}

static const char *read_header(int fd, struct header *header)
{
	uint8_t bytes[CKD_HEADER];

	if (pread(fd, bytes, sizeof(bytes), 0) != sizeof(bytes))
		return "it is shorter than a device header";
	if (memcmp(bytes, "CKD_P370", 8) != 0)
		return name_of(bytes);
	*header = (struct header){
		.heads = le32(bytes + 8),
		.track_size = le32(bytes + 12),
		.type = bytes[16],
		.number = bytes[17],
		.highest = (uint16_t)(bytes[19] << 8 | bytes[18]),
	};
	if (header->type != TYPE_3390)
		return "its device is not a 3390";
	if (header->heads != CKD_HEADS)
		return "it does not have 15 tracks a cylinder";
	if (header->track_size < CKD_TRACK_SIZE || header->track_size > 65536)
		return "its track size is not that of a 3390";
	return NULL;
}

/* Puts one file behind those that are there already. */
static int add_part(struct ckd_image *image, const char *path, struct header *header,
		    const char **why)
{
	struct ckd_part *part = &image->part[image->parts];
	uint64_t tracks;
	struct stat st;
	void *map;
	int rc;

	/* A FIFO would wait for its other end. */
	part->fd = open(path, (image->read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK);
	if (part->fd < 0)
		return -errno;
	image->parts++; /* from here on ckd_close() releases it */
	if (fstat(part->fd, &st) < 0)
		return -errno;
	rc = -EINVAL;
	if (!S_ISREG(st.st_mode)) {
		*why = "it is not a regular file";
		return rc;
	}
	if (flock(part->fd, (image->read_only ? LOCK_SH : LOCK_EX) | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	*why = read_header(part->fd, header);
	if (*why)
		return rc;
	part->size = (uint64_t)st.st_size;
	tracks = (part->size - CKD_HEADER) / header->track_size;
	if (!tracks || tracks % CKD_HEADS ||
	    part->size != CKD_HEADER + tracks * header->track_size) {
		*why = "its size is not a whole number of cylinders";
		return rc;
	}
	if (image->cylinders + tracks / CKD_HEADS > CKD_CYLINDERS_MAX) {
		*why = "it has more than 65520 cylinders";
		return rc;
	}
	part->first = image->cylinders;
	part->cylinders = (uint32_t)(tracks / CKD_HEADS);
	image->cylinders += part->cylinders;
	if (header->highest && header->highest + 1u != image->cylinders) {
		*why = "its header and its size disagree on the highest cylinder";
		return rc;
	}
	map = mmap(NULL, part->size, PROT_READ, MAP_SHARED, part->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	part->map = map;
	return 0;
}

/* volume_1.ckd, volume_2.ckd: the character that counts, or NULL. */
static char *counter(char *path)
{
	char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	char *end = dot && (!slash || dot > slash) ? dot : path + strlen(path);

	return end > (slash ? slash + 1 : path) && end[-1] == '1' ? end - 1 : NULL;
}

static int add_more(struct ckd_image *image, const char *path, struct header *header,
		    const char **why)
{
	char *name = strdup(path), *digit;
	uint8_t number = 1;
	int rc = 0;

	if (!name)
		return -ENOMEM;
	digit = counter(name);
	if (header->highest && !digit) {
		*why = "it is the first of several files, but its name does not end in 1";
		rc = -EINVAL;
	}
	while (!rc && header->highest) {
		if (image->parts == CKD_PARTS_MAX) {
			*why = "it has more than 9 files";
			rc = -EINVAL;
			break;
		}
		number++;
		(*digit)++;
		rc = add_part(image, name, header, why);
		if (!rc && (header->number != number || header->track_size != image->track_size)) {
			*why = "the next of its files belongs to another volume";
			rc = -EINVAL;
		}
	}
	free(name);
	return rc;
}

int ckd_open(struct ckd_image **image, const char *path, bool read_only, const char **why)
{
	struct header header = {0};
	struct ckd_image *new;
	int rc;

	*why = NULL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	ckd_guard_install();
	new->read_only = read_only;
	rc = add_part(new, path, &header, why);
	new->track_size = header.track_size;
	if (!rc && header.number > 1) {
		*why = "it is not the first file of its volume";
		rc = -EINVAL;
	}
	if (!rc && header.number == 0 && header.highest) {
		*why = "its header names a highest cylinder, but no file number";
		rc = -EINVAL;
	}
	if (!rc && header.number == 1)
		rc = add_more(new, path, &header, why);
	if (rc) {
		ckd_close(new);
		return rc;
	}
	*image = new;
	return 0;
}

void ckd_close(struct ckd_image *image)
{
	if (!image)
		return;
	for (unsigned int i = 0; i < image->parts; i++) {
		struct ckd_part *part = &image->part[i];

		if (part->map)
			munmap((void *)(uintptr_t)part->map, part->size);
		close(part->fd);
	}
	free(image);
}

int ckd_image_check(const struct ckd_image *image)
{
	struct stat st;

	if (image->shortened)
		return -EIO;
	for (unsigned int i = 0; !image->unshared && i < image->parts; i++)
		if (fstat(image->part[i].fd, &st) < 0 || (uint64_t)st.st_size < image->part[i].size)
			return -EIO;
	return 0;
}

int ckd_write(struct ckd_image *image, uint32_t cylinder, uint32_t head, uint32_t offset,
	      const void *buf, size_t len)
{
	const struct ckd_part *part = image->part;
	const uint8_t *from = buf;
	off_t at;

	if (image->read_only)
		return -EROFS;
	if (cylinder >= image->cylinders || head >= CKD_HEADS || offset > image->track_size ||
	    len > image->track_size - offset)
		return -EINVAL;
	while (cylinder >= part->first + part->cylinders)
		part++;
	at = (off_t)(CKD_HEADER +
		     ((uint64_t)(cylinder - part->first) * CKD_HEADS + head) * image->track_size +
		     offset);
	while (len) {
		ssize_t n = pwrite(part->fd, from, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		from += n;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int ckd_sync(struct ckd_image *image)
{
	for (unsigned int i = 0; i < image->parts; i++)
		if (fdatasync(image->part[i].fd) < 0)
			return -errno;
	return 0;
}
