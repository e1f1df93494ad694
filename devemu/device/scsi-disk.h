/* SPDX-License-Identifier: Apache-2.0 */
/* scsi-disk.h - a SCSI disk in a file, as it would be reached through FCP
 *
 * SBC-4 and SPC-4: TEST UNIT READY, REQUEST SENSE, INQUIRY (with the pages 00, 80, 83), MODE SENSE
 * 6 and 10, READ CAPACITY 10 and 16, READ and WRITE 6, 10 and 16, SYNCHRONIZE CACHE 10, REPORT
 * LUNS. Blocks of 512 bytes; one logical unit, 0. All else is refused with ILLEGAL REQUEST.
 */
#ifndef DEVEMU_DEVICE_SCSI_DISK_H
#define DEVEMU_DEVICE_SCSI_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCSI_BLOCK     512u
#define SCSI_CDB_MAX   16u
#define SCSI_SENSE_LEN 18u /* fixed format */

#define SCSI_GOOD            0x00
#define SCSI_CHECK_CONDITION 0x02

/* Sense keys */
#define SCSI_NOT_READY       0x2
#define SCSI_MEDIUM_ERROR    0x3
#define SCSI_ILLEGAL_REQUEST 0x5
#define SCSI_DATA_PROTECT    0x7

struct scsi_disk {
	int fd;
	uint64_t blocks;
	bool read_only;
	char serial[17];
	uint8_t sense[SCSI_SENSE_LEN]; /* for REQUEST SENSE; all zeros: nothing */
};

/* Result of one command. */
struct scsi_result {
	uint8_t status;
	size_t moved;     /* bytes of @data that the command has used */
	int64_t residual; /* residual of the initiator's length: above 0 underrun, below 0 overrun
			   * (FCP_RESID) */
	uint8_t sense[SCSI_SENSE_LEN]; /* with CHECK CONDITION (autosense) */
};

/**
 * scsi_disk_open() - a disk on a file, or a new one
 * @create:	blocks of a new file, 0 to open one that is there
 * @serial:	up to 16 characters
 *
 * Return: 0; -EINVAL if the file is not a multiple of 512 bytes, or empty; another negative errno.
 * scsi_disk_close() releases it.
 */
int scsi_disk_open(struct scsi_disk **disk, const char *path, uint64_t create, bool read_only,
		   const char *serial);
void scsi_disk_close(struct scsi_disk *disk);

/**
 * scsi_command() - one command
 * @lun:	of the eight bytes of an FCP_LUN, the first two
 * @cdb:	its command descriptor block, of the length that its first byte says; the rest is
 * ignored
 * @data:	where data come from (@write) or go to
 * @len:	their length, FCP_DL
 *
 * A command that moves data the other way, or finds its CDB shorter than @cdb_len, ends with CHECK
 * CONDITION.
 */
void scsi_command(struct scsi_disk *disk, uint16_t lun, const uint8_t *cdb, size_t cdb_len,
		  bool write, uint8_t *data, size_t len, struct scsi_result *result);

#endif
