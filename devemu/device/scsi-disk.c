/* SPDX-License-Identifier: Apache-2.0 */
/* scsi-disk.c - a SCSI disk in a file */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/bigend.h"
#include "devemu/device/scsi-disk.h"

/* Additional sense code and qualifier */
#define ASC_NONE            0x0000
#define ASC_UNRECOVERED     0x1100
#define ASC_WRITE_ERROR     0x0c00
#define ASC_COMMAND         0x2000 /* invalid operation code */
#define ASC_OUT_OF_RANGE    0x2100
#define ASC_FIELD_IN_CDB    0x2400
#define ASC_LUN             0x2500
#define ASC_WRITE_PROTECTED 0x2700

int scsi_disk_open(struct scsi_disk **disk, const char *path, uint64_t create, bool read_only,
		   const char *serial)
{
	struct scsi_disk *new;
	struct stat st;
	int rc = 0;

	if (create > INT64_MAX / SCSI_BLOCK || strlen(serial) >= sizeof(new->serial))
		return -EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	memcpy(new->serial, serial, strlen(serial));
	new->read_only = read_only;
	new->fd = open(path,
		       (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC |
			       O_NONBLOCK | /* not for a FIFO's end */
			       (create ? O_CREAT | O_EXCL : 0),
		       0666);
	if (new->fd < 0) {
		rc = -errno;
		free(new);
		return rc;
	}
	if (flock(new->fd, (read_only ? LOCK_SH : LOCK_EX) | LOCK_NB) < 0)
		rc = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (!rc && create && ftruncate(new->fd, (off_t)(create * SCSI_BLOCK)) < 0)
		rc = -errno;
	if (!rc && fstat(new->fd, &st) < 0)
		rc = -errno;
	if (!rc && (!S_ISREG(st.st_mode) || !st.st_size || st.st_size % SCSI_BLOCK))
		rc = -EINVAL;
	if (rc) {
		scsi_disk_close(new);
		return rc;
	}
	new->blocks = (uint64_t)st.st_size / SCSI_BLOCK;
	*disk = new;
	return 0;
}

void scsi_disk_close(struct scsi_disk *disk)
{
	if (!disk)
		return;
	close(disk->fd);
	free(disk);
}

struct command {
	struct scsi_disk *disk;
	const uint8_t *cdb;
	bool write;
	uint8_t *data;
	size_t len;
	struct scsi_result *result;
	uint64_t wanted; /* bytes that the command would move */
};

static void check(struct command *c, uint8_t key, uint16_t asc)
{
	uint8_t *sense = c->result->sense;

	memset(sense, 0, SCSI_SENSE_LEN);
	sense[0] = 0x70;
	sense[2] = key;
	sense[7] = SCSI_SENSE_LEN - 8;
	be16_put(sense + 12, asc);
	c->result->status = SCSI_CHECK_CONDITION;
	c->result->moved = 0;
	c->wanted = 0;
	memcpy(c->disk->sense, sense, SCSI_SENSE_LEN);
}

/* Data of the device, of which the initiator wants at most @allocation bytes. */
static void give(struct command *c, const uint8_t *bytes, size_t len, size_t allocation)
{
	if (c->write) {
		check(c, SCSI_ILLEGAL_REQUEST, ASC_FIELD_IN_CDB);
		return;
	}
	len = len < allocation ? len : allocation;
	c->wanted = len;
	c->result->moved = len < c->len ? len : c->len;
	if (c->result->moved)
		memcpy(c->data, bytes, c->result->moved);
}

/* Blanks up to the end. */
static void text(uint8_t *to, size_t len, const char *from)
{
	size_t n = strlen(from);

	memset(to, ' ', len);
	memcpy(to, from, n < len ? n : len);
}

static void inquiry(struct command *c, bool lun0)
{
	uint8_t b[96] = {0};
	size_t len = 36, allocation = be16_get(c->cdb + 3), n = strlen(c->disk->serial);

	if (c->cdb[1] & ~1u || (!(c->cdb[1] & 1) && c->cdb[2])) {
		check(c, SCSI_ILLEGAL_REQUEST, ASC_FIELD_IN_CDB);
		return;
	}
	b[0] = lun0 ? 0x00 : 0x7f; /* a disk; or no such unit */
	if (!(c->cdb[1] & 1)) {
		b[2] = 0x06; /* SPC-4 */
		b[3] = 0x02;
		b[4] = 31;
		b[7] = 0x02; /* command queuing */
		text(b + 8, 8, "VSELFPD");
		text(b + 16, 16, "ZDEV DISK");
		text(b + 32, 4, "0001");
		give(c, b, len, allocation);
		return;
	}
	b[1] = c->cdb[2];
	switch (c->cdb[2]) {
	case 0x00:
		b[3] = 3;
		b[5] = 0x80;
		b[6] = 0x83;
		len = 7;
		break;
	case 0x80:
		b[3] = (uint8_t)n;
		memcpy(b + 4, c->disk->serial, n);
		len = 4 + n;
		break;
	case 0x83: /* one designator: T10 vendor, ASCII */
		b[3] = (uint8_t)(4 + 8 + n);
		b[4] = 0x02;
		b[5] = 0x01;
		b[7] = (uint8_t)(8 + n);
		text(b + 8, 8, "VSELFPD");
		memcpy(b + 16, c->disk->serial, n);
		len = 16 + n;
		break;
	default:
		check(c, SCSI_ILLEGAL_REQUEST, ASC_FIELD_IN_CDB);
		return;
	}
	give(c, b, len, allocation);
}

static void capacity10(struct command *c)
{
	uint64_t last = c->disk->blocks - 1;
	uint8_t b[8];

	be32_put(b, last > UINT32_MAX ? UINT32_MAX : (uint32_t)last);
	be32_put(b + 4, SCSI_BLOCK);
	give(c, b, sizeof(b), sizeof(b));
}

static void capacity16(struct command *c)
{
	uint8_t b[32] = {0};

	if ((c->cdb[1] & 0x1f) != 0x10) {
		check(c, SCSI_ILLEGAL_REQUEST, ASC_FIELD_IN_CDB);
		return;
	}
	be64_put(b, c->disk->blocks - 1);
	be32_put(b + 8, SCSI_BLOCK);
	give(c, b, sizeof(b), be32_get(c->cdb + 10));
}

/* Header and block descriptor only: there are no pages but the caching one. */
static void mode_sense(struct command *c, bool ten)
{
	uint8_t b[8 + 8 + 20] = {0}, page = c->cdb[2] & 0x3f;
	size_t at = ten ? 8 : 4;
	bool descriptor = !(c->cdb[1] & 0x08);

	if ((page != 0x3f && page != 0x08) || c->cdb[3] || (c->cdb[2] & 0xc0) == 0xc0) {
		check(c, SCSI_ILLEGAL_REQUEST, ASC_FIELD_IN_CDB);
		return;
	}
	b[ten ? 3 : 2] = c->disk->read_only ? 0x80 : 0;
	b[ten ? 7 : 3] = descriptor ? 8 : 0;
	if (descriptor) {
		be32_put(b + at,
			 c->disk->blocks > UINT32_MAX ? UINT32_MAX : (uint32_t)c->disk->blocks);
		be16_put(b + at + 6, SCSI_BLOCK);
		at += 8;
	}
	b[at] = 0x08;
	b[at + 1] = 18;
	if ((c->cdb[2] & 0xc0) != 0x40)
		b[at + 2] = 0x04; /* write cache: the file's */
	at += 20;
	if (ten)
		be16_put(b, (uint16_t)(at - 2));
	else
		b[0] = (uint8_t)(at - 1);
	give(c, b, at, ten ? be16_get(c->cdb + 7) : c->cdb[4]);
}

static void report_luns(struct command *c)
{
	uint8_t b[16] = {0, 0, 0, 8};

	if (c->cdb[2] > 2 || be32_get(c->cdb + 6) < 16) {
		check(c, SCSI_ILLEGAL_REQUEST, ASC_FIELD_IN_CDB);
		return;
	}
	give(c, b, sizeof(b), be32_get(c->cdb + 6));
}

static void request_sense(struct command *c)
{
	uint8_t b[SCSI_SENSE_LEN];

	memcpy(b, c->disk->sense, sizeof(b));
	memset(c->disk->sense, 0, sizeof(c->disk->sense));
	b[0] = 0x70;
	b[7] = SCSI_SENSE_LEN - 8;
	give(c, b, sizeof(b), c->cdb[4]);
}

static bool move(struct command *c, uint64_t at, size_t len)
{
	while (len) {
		uint8_t *p = c->data + c->result->moved;
		ssize_t n = c->write ? pwrite(c->disk->fd, p, len, (off_t)at)
				     : pread(c->disk->fd, p, len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (uint64_t)n;
		len -= (size_t)n;
		c->result->moved += (size_t)n;
	}
	return true;
}

static void transfer(struct command *c, bool write, uint64_t block, uint32_t count, uint8_t options)
{
	uint64_t len = (uint64_t)count * SCSI_BLOCK;

	/* Protection information has not been formatted. */
	if (options & 0xe0) {
		check(c, SCSI_ILLEGAL_REQUEST, ASC_FIELD_IN_CDB);
		return;
	}
	if (block > c->disk->blocks || count > c->disk->blocks - block) {
		check(c, SCSI_ILLEGAL_REQUEST, ASC_OUT_OF_RANGE);
		return;
	}
	if (write && c->disk->read_only) {
		check(c, SCSI_DATA_PROTECT, ASC_WRITE_PROTECTED);
		return;
	}
	if (count && write != c->write) {
		check(c, SCSI_ILLEGAL_REQUEST, ASC_FIELD_IN_CDB);
		return;
	}
	c->wanted = len;
	/* No bytes beyond the offered length move. Only whole blocks are written. */
	if (len > c->len)
		len = write ? c->len - c->len % SCSI_BLOCK : c->len;
	if (!move(c, block * SCSI_BLOCK, (size_t)len))
		check(c, SCSI_MEDIUM_ERROR, write ? ASC_WRITE_ERROR : ASC_UNRECOVERED);
	/* Force unit access */
	else if (write && options & 0x08 && fdatasync(c->disk->fd) < 0)
		check(c, SCSI_MEDIUM_ERROR, ASC_WRITE_ERROR);
}

static void transfer6(struct command *c)
{
	uint32_t block = be32_get(c->cdb) & 0x1fffff;

	transfer(c, c->cdb[0] == 0x0a, block, c->cdb[4] ? c->cdb[4] : 256, 0);
}

/* The length of a CDB stands in the first three bits of its operation code. */
static size_t cdb_length(uint8_t operation)
{
	static const uint8_t lengths[8] = {6, 10, 10, 0, 16, 12, 0, 0};

	return lengths[operation >> 5];
}

static void run(struct command *c, uint16_t lun)
{
	const uint8_t *cdb = c->cdb;

	/* Some commands have an answer for missing units, too. */
	if (lun && cdb[0] != 0x12 && cdb[0] != 0xa0 && cdb[0] != 0x03) {
		check(c, SCSI_ILLEGAL_REQUEST, ASC_LUN);
		return;
	}
	switch (cdb[0]) {
	case 0x00:
		break;
	case 0x03:
		request_sense(c);
		break;
	case 0x08:
	case 0x0a:
		transfer6(c);
		break;
	case 0x12:
		inquiry(c, lun == 0);
		break;
	case 0x1a:
	case 0x5a:
		mode_sense(c, cdb[0] == 0x5a);
		break;
	case 0x25:
		capacity10(c);
		break;
	case 0x28:
	case 0x2a:
		transfer(c, cdb[0] == 0x2a, be32_get(cdb + 2), be16_get(cdb + 7), cdb[1]);
		break;
	case 0x35:
		if (fdatasync(c->disk->fd) < 0)
			check(c, SCSI_MEDIUM_ERROR, ASC_WRITE_ERROR);
		break;
	case 0x88:
	case 0x8a:
		transfer(c, cdb[0] == 0x8a, be64_get(cdb + 2), be32_get(cdb + 10), cdb[1]);
		break;
	case 0x9e:
		capacity16(c);
		break;
	case 0xa0:
		report_luns(c);
		break;
	default:
		check(c, SCSI_ILLEGAL_REQUEST, ASC_COMMAND);
		break;
	}
}

void scsi_command(struct scsi_disk *disk, uint16_t lun, const uint8_t *cdb, size_t cdb_len,
		  bool write, uint8_t *data, size_t len, struct scsi_result *result)
{
	struct command c = {.disk = disk,
			    .cdb = cdb,
			    .write = write,
			    .data = data,
			    .len = len,
			    .result = result};

	memset(result, 0, sizeof(*result));
	if (!cdb_len || cdb_len < cdb_length(cdb[0]) || !cdb_length(cdb[0]))
		check(&c, SCSI_ILLEGAL_REQUEST, cdb_len ? ASC_COMMAND : ASC_FIELD_IN_CDB);
	else
		run(&c, lun);
	if (result->status == SCSI_GOOD && cdb[0] != 0x03)
		memset(disk->sense, 0, sizeof(disk->sense));
	result->residual = (int64_t)len - (int64_t)c.wanted;
}
