/* SPDX-License-Identifier: Apache-2.0 */
/* zhyperlink.h - synchronous I/O over zHyperLink */
#ifndef DEVEMU_FABRIC_ZHYPERLINK_H
#define DEVEMU_FABRIC_ZHYPERLINK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Theory of operation
 *
 * A processor reads or writes one record of an ECKD device by one instruction and waits for its
 * end, without a subchannel, a channel or an interruption. The link of a port is held for a part of
 * that time; a request that finds it held does not wait. What does not go over zHyperLink (the link
 * is held, the record is not in the cache, or a limit is passed) is counted for its reason and then
 * started as any other I/O, over zHPF where that is allowed.
 *
 * Limits (the FICON paper): ECKD only; FICON paths to the same control unit; one record of up to
 * 4 KB, its length and its address multiples of 16 bytes; 8 adapters of 2 ports in a system, 64
 * virtual functions a port, 150 m. Which link of several is taken (each in its turn, whether it is
 * held or not) is our choice.
 */
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

struct fabric;
struct fabric_device;
struct io;

/* The link of one port. */
struct zhyperlink {
	unsigned int adapter, port, functions;
	unsigned long metres;
	int64_t propagation; /* ps, one way */
	int64_t held_until;  /* ps */
};

/* What stands against a request before it is known whether the link is held; ZHYPERLINK_DONE:
 * nothing. @address: of the data in main storage. */
enum zhyperlink_outcome zhyperlink_check(const struct fabric_device *device, uint32_t bytes,
					 uint64_t address);

/* The limits of one record alone. */
enum zhyperlink_outcome zhyperlink_check_record(uint32_t bytes, uint64_t address);

const char *zhyperlink_outcome_name(enum zhyperlink_outcome outcome);

/* As io_start() (fabric.h), over zHyperLink first. io->align is taken for the address. When
 * io->ended is called, io->outcome says whether it went that way. */
void zhyperlink_start(struct io *io, unsigned int program);

#endif
