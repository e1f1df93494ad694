/* SPDX-License-Identifier: Apache-2.0 */
/* tcw.h - the control blocks of transport mode (zHPF): TCW, TIDAW, TCCB with its DCWs, TSB
 *
 * Layouts: z/VM CP Control Blocks TCWBK, TCCBK and TSBBK; Linux, arch/s390/include/asm/fcx.h, and
 * for the lengths drivers/s390/cio/fcx.c. Everything is big-endian.
 *
 *   - TCW: 64 bytes on a boundary of 64.
 *   - TIDAW: 16 bytes on a boundary of 16.
 *   - TCCB: header (16), DCWs (8 and control data each, padded to 4), trailer (8); on a boundary
 * of 8.
 *   - TSB: 64 bytes on a boundary of 8.
 */
#ifndef DEVEMU_CHANNEL_TCW_H
#define DEVEMU_CHANNEL_TCW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TCW_LEN   64
#define TIDAW_LEN 16
#define TSB_LEN   64

#define TCW_INPUT_TIDA  0x040000u /* in the 24 bits of flags */
#define TCW_TCCB_TIDA   0x020000u
#define TCW_OUTPUT_TIDA 0x010000u

struct tcw {
	uint8_t format; /* 0 */
	uint32_t flags; /* TCW_*; all else is zero */
	uint8_t tccbl;  /* (length of the TCCB - 20) / 4 */
	bool read, write;
	uint64_t output, input, tsb, tccb;
	uint32_t output_count, input_count;
	uint32_t interrogate; /* address of the interrogate TCW */
};

/* 0, or -EINVAL if a reserved bit is on: the program check of a TCW in a wrong format. */
int tcw_decode(const uint8_t bytes[TCW_LEN], struct tcw *tcw);
void tcw_encode(const struct tcw *tcw, uint8_t bytes[TCW_LEN]);

#define TIDAW_LAST       0x80u
#define TIDAW_SKIP       0x40u
#define TIDAW_DATA_INT   0x20u
#define TIDAW_TTIC       0x10u /* transfer: the address is that of the next TIDAW */
#define TIDAW_INSERT_CBC 0x08u

struct tidaw {
	uint8_t flags;
	uint32_t count;
	uint64_t addr;
};

int tidaw_decode(const uint8_t bytes[TIDAW_LEN], struct tidaw *tidaw);
void tidaw_encode(const struct tidaw *tidaw, uint8_t bytes[TIDAW_LEN]);

#define TCCB_HEADER     16
#define TCCB_TRAILER    8
#define TCCB_FORMAT     0x7f
#define TCCB_SAC_NORMAL 0x1ffe
#define TCCB_SAC_INTRG  0x1fff
#define TCCB_DCW_MAX    30
#define TCCB_LEN_MIN    (TCCB_HEADER + DCW_LEN + TCCB_TRAILER)
#define TCCB_TCA_MAX    240 /* its length field is one byte, and counts 12 more */
#define TCCB_LEN_MAX    (TCCB_HEADER + TCCB_TCA_MAX + TCCB_TRAILER)
#define DCW_LEN         8
#define DCW_CC          0x40u
#define DCW_INTERROGATE 0x40u /* the command */

struct dcw {
	uint8_t cmd;
	uint8_t flags; /* DCW_CC */
	uint8_t control_count;
	uint32_t count;
	const uint8_t *control; /* in the bytes that were decoded */
	uint16_t offset;        /* from the start of the TCA, as the TSB has it */
};

struct tccb {
	uint16_t action; /* TCCB_SAC_* */
	uint8_t priority;
	uint8_t dcws;
	uint32_t transport_count; /* of the trailer */
	uint32_t data;            /* sum of the counts of the DCWs */
	struct dcw dcw[TCCB_DCW_MAX];
};

/* Reasons for which a control unit refuses a TCCB: the reason code of the device-detected program
 * check in the TSB. Public headers give no numbers, so these are this project's. */
enum ddpc {
	DDPC_NONE = 0,
	DDPC_LENGTH = 3,    /* of the TCCB */
	DDPC_HEADER = 4,    /* TCAH */
	DDPC_DCW = 5,       /* one of the DCWs */
	DDPC_DIRECTION = 6, /* a DCW moves data in a direction that the TCW does not allow */
	DDPC_COUNT = 7,     /* the counts of TCW, DCWs and trailer do not agree */
};

/* Returns DDPC_NONE, or the reason. @offset is that of the DCW which is at fault. */
enum ddpc tccb_decode(const uint8_t *bytes, size_t len, struct tccb *tccb, uint16_t *offset);

/**
 * tccb_encode() - a TCCB of these DCWs
 * @tccb:	dcws, dcw[] (offset not used), action and priority; transport_count is put as it
 * stands
 * @bytes:	room for TCCB_LEN_MAX
 *
 * Return: its length, or -ENOSPC if it would be longer than that.
 */
int tccb_encode(const struct tccb *tccb, uint8_t *bytes);

/* Returns the transport count of the trailer for @data bytes. */
uint32_t tccb_transport_count(uint32_t data);

#define TSB_DCW_OFFSET_VALID 0x80u
#define TSB_COUNT_VALID      0x40u
#define TSB_CACHE_MISS       0x20u
#define TSB_TIMES_VALID      0x10u
#define TSB_FORMAT_MASK      0x07u
#define TSB_IO_STATUS        1u
#define TSB_PROGRAM_CHECK    2u
#define TSB_INTERROGATE      3u
#define TSB_SENSE            32 /* offset of the sense data; they are there if the length is more */

struct tsb {
	uint8_t flags; /* with the format */
	uint16_t dcw_offset;
	uint32_t count; /* residual */
	/* TSB_IO_STATUS: microseconds */
	uint32_t device_time, defer_time, queue_time, busy_time, active_time;
	/* TSB_PROGRAM_CHECK */
	uint8_t reason;
	/* TSB_INTERROGATE */
	uint8_t intrg_flags, cu_state, device_state, operation_state;
	uint8_t sense[32];
	bool sense_valid;
};

void tsb_encode(const struct tsb *tsb, uint8_t bytes[TSB_LEN]);
void tsb_decode(const uint8_t bytes[TSB_LEN], struct tsb *tsb);

#endif
