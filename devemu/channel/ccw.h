/* SPDX-License-Identifier: Apache-2.0 */
/* ccw.h - channel-command words
 *
 * z/Architecture Principles of Operation, "Channel-Command Word". Eight bytes on a doubleword
 * boundary:
 *
 *   - format 0: command, address (3), flags, zero, count (2).
 *   - format 1: command, flags, count (2), address (4, bit 0 zero).
 */
#ifndef DEVEMU_CHANNEL_CCW_H
#define DEVEMU_CHANNEL_CCW_H

#include <stdbool.h>
#include <stdint.h>

#define CCW_LEN 8

#define CCW_CD      0x80u /* chain data */
#define CCW_CC      0x40u /* chain command */
#define CCW_SLI     0x20u /* suppress length indication */
#define CCW_SKIP    0x10u
#define CCW_PCI     0x08u /* program-controlled interruption */
#define CCW_IDA     0x04u
#define CCW_SUSPEND 0x02u
#define CCW_MIDAW   0x01u

struct ccw {
	uint8_t cmd;
	uint8_t flags;
	uint16_t count;
	uint32_t addr;
};

/* Direction of data that a command code implies. */
enum ccw_class {
	CCW_CLASS_INVALID, /* xxxx0000, and transfer in channel where no such thing can be */
	CCW_CLASS_WRITE,
	CCW_CLASS_READ,
	CCW_CLASS_CONTROL,
	CCW_CLASS_SENSE,
	CCW_CLASS_BACKWARD,
	CCW_CLASS_TIC,
};

enum ccw_class ccw_class(uint8_t cmd);

/* Splits the bytes into fields only. The rules depend on the place of the CCW. */
void ccw_decode(const uint8_t bytes[CCW_LEN], bool format1, struct ccw *ccw);
void ccw_encode(const struct ccw *ccw, bool format1, uint8_t bytes[CCW_LEN]);

#endif
