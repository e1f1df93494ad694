/* SPDX-License-Identifier: Apache-2.0 */
/* qdio.h - formats of QDIO queues: states, descriptors, codes */
#ifndef DEVEMU_QDIO_H
#define DEVEMU_QDIO_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Values are those of Linux's arch/s390/include/asm/qdio.h and drivers/s390/cio/qdio.h; integers in
 * descriptors are big-endian, addresses count from the beginning of the segment.
 */

#define QDIO_BUFFERS  128u  /* of a queue, at most; the real ones have just so many */
#define QDIO_ELEMENTS 16u   /* of a SBAL */
#define QDIO_PAGE     4096u /* the most that an element describes */
#define QDIO_SBAL     256u  /* bytes */
#define QDIO_SBALE    16u
#define QDIO_QAOB     256u

/* Storage-list state: owner, direction, state. Only the owner of a buffer may change its state. */
#define QDIO_OF_PROGRAM 0x80u
#define QDIO_OF_MACHINE 0x40u

enum qdio_state {
	QDIO_IN_NOT_INIT = 0x80, /* the program's: being looked at, or not in use */
	QDIO_IN_EMPTY = 0x41,    /* the machine's: may be filled */
	QDIO_IN_PRIMED = 0x82,   /* the program's: filled */
	QDIO_IN_ACK = 0x81,      /* the program's: noticed */
	QDIO_IN_ERROR = 0x8f,
	QDIO_OUT_NOT_INIT = 0xa0, /* the program's: never used */
	QDIO_OUT_PRIMED = 0x62,   /* the machine's: to be sent */
	QDIO_OUT_EMPTY = 0xa1,    /* the program's: delivered */
	QDIO_OUT_PENDING = 0xa3,  /* the program's again, but its memory is the machine's */
	QDIO_OUT_ERROR = 0xaf,    /* the program's: not delivered; element 15 says why */
};

/* Returns whether @owner (QDIO_OF_...) may change a buffer from @from to @to. */
bool qdio_may_change(uint8_t owner, uint8_t from, uint8_t to);

/* Element of a SBAL: flags u8, 0, 0, flags u8 of the status, length u32, address u64. */
#define QDIO_ELEMENT_LAST 0x40u /* byte 0: of the buffer */
#define QDIO_TARGET_FULL  0x10u /* byte 3 of element 15: there was no buffer at the target */

/* Queue-asynchronous operation block; offsets. */
enum {
	QAOB_AORC = 51, /* u8: how it ended */
	QAOB_FLAGS = 52,
	QAOB_CBTYPE = 53,  /* u16 */
	QAOB_COUNT = 55,   /* u8: elements */
	QAOB_ADDRESS = 56, /* 16 times u64 */
	QAOB_LENGTH = 184, /* 16 times u16 */
	QAOB_USER = 216,   /* u64 */
};

enum qdio_aorc {
	QDIO_AORC_OK = 0,
	QDIO_AORC_UNREACHABLE = 4, /* as 16, 17 and 18; others are errors */
	QDIO_AORC_GONE = 16,
};

/* Function codes of SIGA. */
enum qdio_function {
	QDIO_SIGA_WRITE = 0,
	QDIO_SIGA_WRITE_MULTIPLE = 3,
	QDIO_SIGA_WRITE_QAOB = 4,
};

/* Condition code of SIGA: 0 done; 1 the queues are not active; 2 busy, or (without @busy) no room
 * for another block; 3 no such device. */
struct qdio_cc {
	uint8_t cc;
	bool busy;
};

/* Frame sizes of a channel path, and the MTU of each. Returns 0 for an invalid @frame. */
uint32_t qdio_mtu(uint32_t frame);

/* The smallest frame whose MTU is at least @mtu, or 0. */
uint32_t qdio_frame_for(uint32_t mtu);

#endif
