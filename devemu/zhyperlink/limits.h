/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h - what can go over zHyperLink, and how a request ends
 *
 * Limits (the FICON paper): ECKD only; FICON paths to the same control unit; one record of up to
 * 4 KB, its length and its address multiples of 16 bytes; 8 adapters of 2 ports in a system, 64
 * virtual functions a port, 150 m.
 */
#ifndef DEVEMU_ZHYPERLINK_LIMITS_H
#define DEVEMU_ZHYPERLINK_LIMITS_H

#include <stdint.h>

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

#endif
