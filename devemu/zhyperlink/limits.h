/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h - limits and outcomes of zHyperLink requests, and the bytes of one request
 *
 * Limits (the FICON paper): ECKD only; FICON paths to the same control unit; one record of up to
 * 4 KB, its length and its address multiples of 16 bytes; 8 adapters of 2 ports in a system, 64
 * virtual functions a port, 150 m.
 */
#ifndef DEVEMU_ZHYPERLINK_LIMITS_H
#define DEVEMU_ZHYPERLINK_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct ckd_image;
struct storage;

enum {
	ZHYPERLINK_ADAPTERS = 8,
	ZHYPERLINK_PORTS = 2,
	ZHYPERLINK_FUNCTIONS = 64,
	ZHYPERLINK_METRES = 150,
	ZHYPERLINK_RECORD = 4096,
	ZHYPERLINK_ALIGN = 16,
};

/* How a request has ended; all but the first are followed by an I/O over a channel. */
enum zhyperlink_outcome {
	ZHYPERLINK_DONE,
	ZHYPERLINK_LINK_BUSY,
	ZHYPERLINK_CACHE_MISS,
	ZHYPERLINK_NO_LINK,       /* the control unit has none */
	ZHYPERLINK_NOT_ECKD,      /* the device is on FCP channels */
	ZHYPERLINK_NO_PATH,       /* no FICON path is usable */
	ZHYPERLINK_LENGTH,        /* 0, or over 4 KB, or no multiple of 16 */
	ZHYPERLINK_ALIGNMENT,     /* the address is no multiple of 16 */
	ZHYPERLINK_STORAGE,       /* the address is not there, or its key forbids it */
	ZHYPERLINK_RECORD_REJECT, /* the volume has no such record, or it cannot be written */
	ZHYPERLINK_OUTCOMES,
};

/* The limits of one record alone. */
enum zhyperlink_outcome zhyperlink_check_record(uint32_t bytes, uint64_t address);

const char *zhyperlink_outcome_name(enum zhyperlink_outcome outcome);

/* A request for one record of an ECKD volume. fabric/zhyperlink.h simulates its time. */
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
