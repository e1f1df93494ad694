/* SPDX-License-Identifier: Apache-2.0 */
/* volume.h - the bytes behind a device of a fabric: a 3390 or a SCSI disk in a file
 *
 * A device of FICON channels is backed by a CKD image of 4 KB records (device/ckd-records.h; other
 * volumes of Hercules' format open, too, and end with no record found), one of FCP channels by a
 * file of 512-byte blocks. Devices without a file have no bytes: of them only time is simulated.
 *
 * An I/O runs its channel program when its exchange opens: what it writes is on the volume then,
 * and what it reads was there then. Its status, and with it the data, are the program's at the end
 * of the simulated time. An I/O whose path fails is cleared and runs again.
 */
#ifndef DEVEMU_FABRIC_VOLUME_H
#define DEVEMU_FABRIC_VOLUME_H

#include "devemu/fabric/exchange.h"
#include "devemu/fabric/fabric.h"
#include "devemu/fabric/io.h"

/* Most bytes of an I/O: what Locate Record can count, or a megabyte of a SCSI disk. */
enum { VOLUME_RECORDS_MAX = 255, VOLUME_SCSI_MAX = 1 << 20 };

/* The name of a volume that is made for the run alone, and how large it may be. */
#define VOLUME_SCRATCH "scratch"
enum { VOLUME_SCRATCH_CYLINDERS = 1000 };

struct volume_counters {
	uint64_t reads, writes; /* ended well */
	uint64_t errors;        /* ended with a unit check, or CHECK CONDITION */
	uint8_t sense[2];       /* of the last of these */
	/* Sums over I/Os of a hash of place and bytes: the same for the same bytes in any order. */
	uint64_t read_hash, written_hash;
};

struct volume {
	struct ckd_image *image; /* or */
	struct scsi_disk *disk;
	char *path;
	uint32_t room; /* bytes of the largest I/O */
	struct exchange *idle, *all;
	struct volume_counters counters;
};

/*
 * Open the files of all devices that have one, each beside @beside (a scenario's path) unless it is
 * absolute. A file that no load writes to is opened for reading only. @error is filled on failure.
 * Return: 0, -ENOMEM, -EINVAL if they do not fit the scenario, or a negative errno of opening.
 */
int volumes_open(struct fabric *fabric, const char *beside, struct fabric_error *error);
void volume_close(struct volume *volume);

/* Where the next I/O of a load goes: a place in @random's choice. */
uint64_t volume_place(const struct volume *volume, struct random *random, uint32_t bytes);

/* The exchange of an I/O has opened: run its program. From here on io->bytes is what that moves.
 * Return: 0 or a negative errno that ends the run. */
int volume_start(struct io *io);

/* A frame of the I/O was dropped because it failed its check (fces/): no answer exists, and the I/O
 * is driven again. A write has been done if only its answer was dropped. */
bool volume_lost(const struct io *io);

/* Log the information units that are sent now in this direction; how many there are. */
unsigned int volume_units(struct io *io, bool to_cu);

/* Its simulated end; 0, or -EIO if its program has not ended well. */
int volume_end(struct io *io);

/* Its path has failed; it will be started again. */
void volume_cancel(struct io *io);

/* One record over zHyperLink; an enum zhyperlink_outcome, or a negative errno that ends the run. */
int volume_sync(struct io *io);

#endif
