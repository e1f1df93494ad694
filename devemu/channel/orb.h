/* SPDX-License-Identifier: Apache-2.0 */
/* orb.h - the operation-request block
 *
 * z/Architecture Principles of Operation, "Operation-Request Block"; Linux, drivers/s390/cio/orb.h.
 * Big-endian, 12 bytes, or 32 if extended (bit X).
 */
#ifndef DEVEMU_CHANNEL_ORB_H
#define DEVEMU_CHANNEL_ORB_H

#include <stdbool.h>
#include <stdint.h>

#define ORB_LEN         32
#define ORB_LEN_COMMAND 12

struct orb {
	uint32_t intparm;
	uint8_t key;             /* bits 0 to 3: 0x10 is key 1 */
	bool suspend;            /* S: the suspend flag may be used in CCWs */
	bool streaming;          /* C */
	bool modification;       /* M */
	bool synchronize;        /* Y */
	bool format1;            /* F */
	bool prefetch;           /* P */
	bool initial_status;     /* I */
	bool address_limit;      /* A */
	bool suppress_suspended; /* U: no interruption when suspended */
	bool transport;          /* B: the address is a TCW's */
	bool idaw64;             /* H: format-2 IDAWs */
	bool idaw2k;             /* T: format-2 IDAWs of 2 KB instead of 4 KB */
	uint8_t lpm;
	bool length_suppression; /* L */
	bool midaw;              /* D: modified-CCW-indirect-data-addressing is allowed */
	bool extended;           /* X: 32 bytes */
	uint32_t program;        /* address of the first CCW, or of the TCW */
	uint8_t css_priority;
	uint8_t program_reserved; /* word 3, bits 16 to 23: for the program */
	uint8_t cu_priority;      /* command mode: word 3, bits 16 to 23 */
};

/**
 * orb_decode() - take an ORB apart
 *
 * Return: 0, or -EINVAL for an operand exception of SSCH: reserved bits that are not zero, a
 * program address with bit 0 set, transport mode without X. A misaligned address (8 bytes for a
 * CCW, 64 for a TCW) is a program check, which the interpreter detects.
 */
int orb_decode(const uint8_t bytes[ORB_LEN], struct orb *orb);
void orb_encode(const struct orb *orb, uint8_t bytes[ORB_LEN]);

#endif
