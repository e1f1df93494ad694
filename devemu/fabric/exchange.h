/* SPDX-License-Identifier: Apache-2.0 */
/* exchange.h - one channel program of an I/O with real bytes, in storage of its own
 *
 * Theory of operation
 *
 * A volume has as many exchanges as the most I/Os that were under way at once. Each has a
 * subchannel, main storage for a program and its data, and a device on the volume's image. Base and
 * aliases are devices of their own, which share only the medium.
 *
 * exchange_prepare() puts the program into storage, where others may still change it (sealed.h),
 * and exchange_run() starts it. The interpreter (channel/) runs it to its end against the medium
 * and reports each information unit. The subchannel holds its status. The fabric then simulates the
 * time from these units and bytes, and at its end exchange_end() releases the status and takes it
 * with TSCH.
 *
 * Program at X'1000', data from X'2000' on.
 */
#ifndef DEVEMU_FABRIC_EXCHANGE_H
#define DEVEMU_FABRIC_EXCHANGE_H

#include "devemu/bytes/storage.h"
#include "devemu/channel/subch.h"
#include "devemu/device/ckd-image.h"
#include "devemu/device/scsi-disk.h"

/* A program of 255 records by tracks: 128 units of data, and few others. */
enum { EXCHANGE_IUS = 160, EXCHANGE_PROGRAM = 0x1000, EXCHANGE_DATA = 0x2000 };

struct exchange_iu {
	uint8_t kind; /* enum io_iu */
	bool to_cu;
	uint32_t bytes;
	uint32_t data; /* of them, of records */
};

struct exchange {
	struct exchange *next, *all; /* idle ones; all of a volume */
	struct storage *storage;
	struct device *device; /* 3390; NULL: a SCSI disk */
	struct subch *subch;
	struct scsi_disk *disk;
	struct io_trace trace;

	/* The present program: */
	uint8_t orb[ORB_LEN]; /* that starts it; of a SCSI disk nothing */
	uint64_t data;        /* address of its data */
	uint32_t wanted;      /* bytes that it is to move */
	uint32_t moved;       /* that it has moved */
	uint32_t commands;    /* units that carry a command */
	uint32_t answers;     /* command response and status */
	uint32_t units_in;    /* units of data from the control unit */
	uint32_t gone;        /* bytes of a write in units that have been sent */
	uint64_t hash;        /* of the data, volume.c */
	bool lost;            /* a frame of it was dropped on its path */
	unsigned int ius, next_out, next_in;
	struct exchange_iu iu[EXCHANGE_IUS];
	struct scsi_result result;
};

/* Final status of a program. */
struct exchange_status {
	bool good;
	uint8_t unit, subchannel; /* SCSW; a SCSI status is in @unit */
	uint8_t sense[2];         /* bytes 0 and 1; of SCSI, key and additional code */
};

enum exchange_mode { EXCHANGE_CCW, EXCHANGE_TCW, EXCHANGE_SCSI };

/* A transfer of @bytes, from record (CKD, 4 KB) or block (SCSI, 512 bytes) @place on. */
struct exchange_request {
	enum exchange_mode mode;
	uint64_t place;
	uint32_t bytes;
	uint32_t skew; /* bytes from a page boundary to the data */
	bool write;
	bool first_transfer_ready_off;
};

/* @image or @disk, owned by the caller, and @room bytes for data. NULL with errno ENOMEM. */
struct exchange *exchange_create(struct ckd_image *image, struct scsi_disk *disk, uint16_t number,
				 uint32_t room);
void exchange_destroy(struct exchange *exchange);

/* Begins another one. Return: where its data are or will be; before a write they are put there. */
uint8_t *exchange_data(struct exchange *exchange, const struct exchange_request *request);

/* The command of a SCSI disk: FCP_CMND at EXCHANGE_PROGRAM. LUN (8), reference number, attribute,
 * management, direction, CDB (16), FCP_DL (4); FCP-4. */
enum { FCP_CMND_DIRECTION = 11, FCP_CMND_CDB = 12, FCP_CMND_DL = 28, FCP_CMND_LEN = 32 };

/* Builds the program. Return: 0, or a negative errno if it does not fit into storage. */
int exchange_prepare(struct exchange *exchange, const struct exchange_request *request);

/* Runs it. Return: 0, or -EIO if it cannot be started. */
int exchange_run(struct exchange *exchange);

/* Ends an exchange at the end of its simulated time. @microseconds: device busy time for the TSB.
 */
void exchange_end(struct exchange *exchange, uint32_t microseconds, struct exchange_status *status);

/* Cancels an exchange before its end, by clear subchannel. */
void exchange_cancel(struct exchange *exchange);

#endif
