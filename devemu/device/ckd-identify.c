/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-identify.c - the device's description of itself
 *
 * Layouts: Linux, drivers/s390/block/dasd_eckd.h (device characteristics, node-element descriptors)
 * and z/VM's HCPRDCBK.
 */
#include <stdio.h>
#include <string.h>

#include "lfp/bigend.h"
#include "devemu/device/ckd-state.h"

#define CU_TYPE  0x2107
#define CU_MODEL 0xe8
#define TYPE     0x3390

static const struct ckd_model *model(const struct ckd_device *ckd)
{
	return ckd_model_of(ckd->image->cylinders);
}

uint8_t ckd_sense(struct ckd_device *ckd, struct device_call *call)
{
	call_push(call, ckd->device.sense, DEVICE_SENSE);
	memset(ckd->device.sense, 0, DEVICE_SENSE);
	return UNIT_END;
}

/* With the command information words for reading configuration data and for subsystem functions. */
uint8_t ckd_sense_id(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t id[24] = {0xff};

	be16_put(id + 1, CU_TYPE);
	id[3] = CU_MODEL;
	be16_put(id + 4, TYPE);
	id[6] = model(ckd)->model;
	be32_put(id + 8, 0x40fa0100);
	be32_put(id + 12, 0x41270004);
	be32_put(id + 16, 0x423e01a0);
	be32_put(id + 20, 0x433e0008);
	call_push(call, id, sizeof(id));
	return UNIT_END;
}

uint8_t ckd_characteristics(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t c[64] = {0};

	if (ckd->left)
		return reject(ckd, REJECT_SEQUENCE);
	be16_put(c, CU_TYPE);
	c[2] = CU_MODEL;
	be16_put(c + 3, TYPE);
	c[5] = model(ckd)->model;
	be32_put(c + 6, 0x528010b7); /* ECKD, Prefix, Read Track in a domain ... */
	c[10] = 0x20;                /* DASD */
	c[11] = model(ckd)->type_code;
	be16_put(c + 12, (uint16_t)ckd->image->cylinders);
	be16_put(c + 14, CKD_HEADS);
	c[16] = CKD_SECTORS;
	be16_put(c + 18, CKD_TRACK_BYTES);
	be16_put(c + 20, CKD_HA_R0);
	c[22] = 2; /* capacity formula, and its factors */
	c[23] = 34;
	c[24] = 19;
	c[25] = 9;
	c[26] = 6;
	c[27] = 116;
	c[40] = c[41] = model(ckd)->type_code;
	c[42] = 0x1f;
	c[43] = 0x02;
	be16_put(c + 44, CKD_R0_MAX);
	c[47] = 0x01;
	c[48] = 6;
	be16_put(c + 49, 0x7708);
	c[51] = 0x0f;
	c[53] = 0x7f;
	c[57] = 0xff; /* no real device has this type */
	be32_put(c + 60, ckd->image->cylinders);
	call_push(call, c, sizeof(c));
	return UNIT_END;
}

/* Letters and digits only. */
static uint8_t ebcdic(char c)
{
	if (c >= '0' && c <= '9')
		return (uint8_t)(0xf0 + (c - '0'));
	if (c >= 'A' && c <= 'I')
		return (uint8_t)(0xc1 + (c - 'A'));
	if (c >= 'J' && c <= 'R')
		return (uint8_t)(0xd1 + (c - 'J'));
	if (c >= 'S' && c <= 'Z')
		return (uint8_t)(0xe2 + (c - 'S'));
	return 0x40;
}

/* A node-element descriptor: type, model, maker, place and serial number are 26 letters. */
static void put_ned(uint8_t *ned, uint32_t flags, const char *type, const char *number,
		    uint16_t tag)
{
	char text[48];

	snprintf(text, sizeof(text), "%s%s", type, number);
	be32_put(ned, flags);
	for (size_t i = 0; i < 26; i++)
		ned[4 + i] = ebcdic(text[i]);
	be16_put(ned + 30, tag);
}

/* Four descriptors (device, string, storage director, subsystem) and the general qualifier. */
uint8_t ckd_configuration(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t c[256] = {0};
	uint16_t number = ckd->device.number;
	char serial[20];

	if (ckd->left)
		return reject(ckd, REJECT_SEQUENCE);
	snprintf(serial, sizeof(serial), "ZDV0100000000%04X", number);
	put_ned(c, 0xdc010100, "  339000C", serial, number);
	put_ned(c + 32, 0xd4020000, "  339000C", "ZDV01000000000003", 0);
	put_ned(c + 64, 0xd0000000, "  2107922", "ZDV01000000000002", (uint16_t)(number >> 8));
	put_ned(c + 96, 0xf0000001, "  2107   ", "ZDV01000000000001", 0);
	c[224] = 0x80;
	c[230] = 0x1e; /* 30 seconds until an interruption counts as missing */
	c[235] = c[236] = c[237] = c[243] = (uint8_t)number;
	c[242] = 0x80;
	call_push(call, c, sizeof(c));
	return UNIT_END;
}

uint8_t ckd_set_path_group(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t p[12], status;

	status = ckd_parameters(ckd, call, p, sizeof(p));
	if (status)
		return status;
	/* Function: establish, disband, resign (bits 1 and 2) */
	if ((p[0] & 0x60) == 0x60)
		return reject(ckd, REJECT_PARAMETER);
	memset(ckd->path_group, 0, sizeof(ckd->path_group));
	ckd->path_state = 0;
	if (!(p[0] & 0x60)) {
		memcpy(ckd->path_group, p + 1, sizeof(ckd->path_group));
		ckd->path_state = p[0] & 0x80 ? 0xa0 : 0x80; /* grouped, multipath mode or not */
	}
	return UNIT_END;
}

uint8_t ckd_sense_path_group(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t p[12];

	p[0] = ckd->path_state;
	memcpy(p + 1, ckd->path_group, sizeof(ckd->path_group));
	call_push(call, p, sizeof(p));
	return UNIT_END;
}

/* Perform Subsystem Function. Order X'18' prepares what Read Subsystem Data returns: suborder 0,
 * path status. */
uint8_t ckd_subsystem_function(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t p[12], status;

	if (ckd->left)
		return reject(ckd, REJECT_SEQUENCE);
	status = ckd_parameters(ckd, call, p, 2);
	if (status)
		return status;
	if (p[0] != 0x18)
		return reject(ckd, REJECT_PARAMETER);
	status = ckd_parameters(ckd, call, p + 2, 10);
	if (status)
		return status;
	if (p[1] || p[6])
		return reject(ckd, REJECT_PARAMETER);
	memset(ckd->subsystem, 0, sizeof(ckd->subsystem));
	ckd->subsystem_len = 16;
	return UNIT_END;
}

uint8_t ckd_subsystem_data(struct ckd_device *ckd, struct device_call *call)
{
	if (ckd->left || !ckd->subsystem_len)
		return reject(ckd, REJECT_SEQUENCE);
	call_push(call, ckd->subsystem, ckd->subsystem_len);
	ckd->subsystem_len = 0;
	return UNIT_END;
}

uint8_t ckd_subsystem_status(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t p[40] = {0};

	if (ckd->left)
		return reject(ckd, REJECT_SEQUENCE);
	p[1] = (uint8_t)ckd->device.number;
	p[2] = 0xff;
	call_push(call, p, sizeof(p));
	return UNIT_END;
}
