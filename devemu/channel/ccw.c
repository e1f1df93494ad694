/* SPDX-License-Identifier: Apache-2.0 */
/* ccw.c - channel-command words */
#include "lfp/bigend.h"
#include "devemu/channel/ccw.h"

enum ccw_class ccw_class(uint8_t cmd)
{
	switch (cmd & 0x03) {
	case 1:
		return CCW_CLASS_WRITE;
	case 2:
		return CCW_CLASS_READ;
	case 3:
		return CCW_CLASS_CONTROL;
	default:
		break;
	}
	switch (cmd & 0x0f) {
	case 0x4:
		return CCW_CLASS_SENSE;
	case 0x8:
		return CCW_CLASS_TIC;
	case 0xc:
		return CCW_CLASS_BACKWARD;
	default:
		return CCW_CLASS_INVALID;
	}
}

void ccw_decode(const uint8_t bytes[CCW_LEN], bool format1, struct ccw *ccw)
{
	ccw->cmd = bytes[0];
	if (format1) {
		ccw->flags = bytes[1];
		ccw->count = be16_get(bytes + 2);
		ccw->addr = be32_get(bytes + 4);
	} else {
		ccw->addr = be32_get(bytes) & 0xffffff;
		ccw->flags = bytes[4];
		ccw->count = be16_get(bytes + 6);
	}
}

void ccw_encode(const struct ccw *ccw, bool format1, uint8_t bytes[CCW_LEN])
{
	if (format1) {
		bytes[0] = ccw->cmd;
		bytes[1] = ccw->flags;
		be16_put(bytes + 2, ccw->count);
		be32_put(bytes + 4, ccw->addr);
	} else {
		be32_put(bytes, (uint32_t)ccw->cmd << 24 | (ccw->addr & 0xffffff));
		bytes[4] = ccw->flags;
		bytes[5] = 0;
		be16_put(bytes + 6, ccw->count);
	}
}
