/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - the bytes of a synchronous request: one record of an ECKD volume */
#ifndef DEVEMU_ZHYPERLINK_RECORD_H
#define DEVEMU_ZHYPERLINK_RECORD_H

#include "devemu/bytes/storage.h"
#include "devemu/device/ckd-image.h"
#include "devemu/zhyperlink/limits.h"

/* What is asked for. fabric/zhyperlink.h says when; this says what is in storage or on the volume
 * then. */
struct zhyperlink_request {
	uint32_t cylinder, head;
	uint8_t record;
	bool write;
	uint32_t bytes;   /* the length of the record's data, which the paper limits to 4 KB */
	uint64_t address; /* absolute, in main storage */
	uint8_t key;      /* access key in the upper four bits */
};

/*
 * Read or write the record's data. Either all bytes are moved (ZHYPERLINK_DONE) or none, and the
 * outcome says why: ZHYPERLINK_LENGTH, ZHYPERLINK_ALIGNMENT, ZHYPERLINK_STORAGE, or
 * ZHYPERLINK_RECORD_REJECT. A channel program for the same record then ends as the architecture has
 * it, with sense.
 */
enum zhyperlink_outcome zhyperlink_move(struct ckd_image *image, struct storage *storage,
					const struct zhyperlink_request *request);

#endif
