/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-domain.c - Define Extent, Locate Record, Prefix, Set File Mask, and the seeks */
#include <string.h>

#include "lfp/bigend.h"
#include "devemu/device/ckd-state.h"

#define DX_LEN  16u /* used bytes of Define Extent's 32 */
#define LR_LEN  16u
#define LRE_LEN 20u
#define PFX_LEN 12u
#define PFX_DX  32u

/* Define Extent, byte 1 */
#define ATTRIBUTE_MODE      0xc0u
#define ATTRIBUTE_MODE_ECKD 0xc0u
/* Locate Record, byte 1 */
#define AUX_LENGTH_VALID 0x80u
#define AUX_SUFFIX       0x01u
/* Prefix, byte 1 */
#define PFX_EXTENT_VALID 0x80u

static bool get_track(const struct ckd_device *ckd, const uint8_t *p, uint32_t *cylinder,
		      uint32_t *head)
{
	*cylinder = be16_get(p);
	*head = be16_get(p + 2);
	return *cylinder < ckd->image->cylinders && *head < CKD_HEADS;
}

static uint8_t define_extent(struct ckd_device *ckd, const uint8_t *p)
{
	uint32_t cylinder, head, first, last;
	uint16_t block = be16_get(p + 2);

	if (ckd->left || ckd->mask_set || ckd->extent_defined)
		return reject(ckd, REJECT_SEQUENCE);
	/* 2105 and 2107 refuse diagnostic authorization. */
	if ((p[1] & ATTRIBUTE_MODE) != ATTRIBUTE_MODE_ECKD || p[0] & MASK_RESERVED ||
	    (p[0] & 0x06) == 0x04 || block > CKD_R0_MAX + 8)
		return reject(ckd, REJECT_PARAMETER);
	if (!get_track(ckd, p + 8, &cylinder, &head))
		return reject(ckd, REJECT_PARAMETER);
	first = cylinder * CKD_HEADS + head;
	if (!get_track(ckd, p + 12, &cylinder, &head))
		return reject(ckd, REJECT_PARAMETER);
	last = cylinder * CKD_HEADS + head;
	if (first > last)
		return reject(ckd, REJECT_PARAMETER);
	ckd->file_mask = p[0];
	ckd->attributes = p[1];
	ckd->block_size = block;
	ckd->first = first;
	ckd->last = last;
	ckd->extent_defined = true;
	return UNIT_END;
}

uint8_t ckd_define_extent(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t p[PFX_DX], status;

	status = ckd_parameters(ckd, call, p, DX_LEN);
	if (status)
		return status;
	/* The rest of the long form carries hints only. */
	call_pull_optional(call, p + DX_LEN, PFX_DX - DX_LEN);
	return define_extent(ckd, p);
}

static bool writing(uint8_t operation)
{
	return operation == OPERATION_WRITE_DATA || operation == OPERATION_FORMAT ||
	       operation == OPERATION_WRITE_TRACK || operation == OPERATION_WRITE_ANY ||
	       operation == OPERATION_WRITE_FULL;
}

static bool operation_known(uint8_t operation, bool extended)
{
	switch (operation) {
	case OPERATION_ORIENT:
		return !extended;
	case OPERATION_WRITE_DATA:
	case OPERATION_FORMAT:
	case OPERATION_READ_DATA:
	case OPERATION_WRITE_TRACK:
	case OPERATION_READ_TRACKS:
	case OPERATION_READ:
		return true;
	default:
		return false;
	}
}

/* Orientations that each operation permits. */
static bool orientation_allowed(uint8_t operation, uint8_t orientation)
{
	switch (orientation) {
	case LOCATE_COUNT:
		return true;
	case LOCATE_HOME:
		return operation == OPERATION_ORIENT || operation == OPERATION_FORMAT ||
		       operation == OPERATION_READ_DATA || operation == OPERATION_READ_TRACKS ||
		       operation == OPERATION_READ || operation == OPERATION_READ_TRACK_SET;
	case LOCATE_DATA:
		return operation == OPERATION_ORIENT || operation == OPERATION_WRITE_DATA ||
		       operation == OPERATION_READ_DATA || operation == OPERATION_READ;
	default:
		return operation == OPERATION_FORMAT || operation == OPERATION_READ;
	}
}

/* To the track and the field; the home address has been checked by ckd_go_to(). */
static uint8_t find(struct ckd_device *ckd, const uint8_t *search)
{
	uint8_t status = 0;

	switch (ckd->orientation_asked) {
	case LOCATE_HOME:
		if (memcmp(ckd->track + 1, search, 4) != 0)
			return ckd_check(ckd, 0, SENSE1_NO_RECORD_FOUND, 0);
		return 0;
	case LOCATE_INDEX:
		return 0;
	default:
		break;
	}
	do {
		status = ckd_next_count(ckd, 0, NEXT_R0 | NEXT_ONCE);
		if (status)
			return status;
	} while (memcmp(ckd->record.count, search, 5) != 0);
	if (ckd->orientation_asked == LOCATE_DATA) {
		ckd->at += ckd->record.key_len + (uint32_t)ckd->record.data_len;
		ckd->orientation = AT_DATA;
	}
	return 0;
}

static uint8_t locate(struct ckd_device *ckd, const uint8_t *p, bool extended)
{
	uint8_t operation = p[0] & 0x3f, orientation = p[0] & 0xc0, status;
	uint16_t length = be16_get(p + 14);
	uint32_t cylinder, head;

	if (ckd->left || !ckd->extent_defined)
		return reject(ckd, REJECT_SEQUENCE);
	if (extended && operation == OPERATION_EXTENDED) {
		operation = p[17] & 0x3f;
		if (operation != OPERATION_WRITE_ANY && operation != OPERATION_READ_ANY &&
		    operation != OPERATION_READ_TRACK_SET && operation != OPERATION_WRITE_FULL)
			return reject(ckd, REJECT_PARAMETER);
	} else if (!operation_known(operation, extended) || (extended && p[17])) {
		return reject(ckd, REJECT_PARAMETER);
	}
	if (!orientation_allowed(operation, orientation) || p[1] & 0x7e || p[2])
		return reject(ckd, REJECT_PARAMETER);
	if ((operation == OPERATION_ORIENT) != (p[3] == 0) || (p[1] & AUX_SUFFIX && p[3] < 2))
		return reject(ckd, REJECT_PARAMETER);
	if (!get_track(ckd, p + 4, &cylinder, &head) || (p[13] != 0xff && p[13] >= CKD_SECTORS))
		return reject(ckd, REJECT_PARAMETER);
	if (p[1] & AUX_LENGTH_VALID ? !length : length && !extended)
		return reject(ckd, REJECT_PARAMETER);
	if (writing(operation)) {
		if (ckd->image->read_only)
			return ckd_check(ckd, SENSE_EQUIPMENT_CHECK, SENSE1_WRITE_INHIBITED, 0);
		if ((ckd->file_mask & MASK_WRITE) == MASK_WRITE_NOTHING)
			return reject(ckd, REJECT_MASK);
	}
	if (!ckd_in_extent(ckd, cylinder, head))
		return ckd_check(ckd, 0, SENSE1_FILE_PROTECTED, 0);
	status = ckd_go_to(ckd, cylinder, head);
	if (status)
		return status;
	ckd->operation = operation;
	ckd->orientation_asked = orientation;
	ckd->transfer_length = p[1] & AUX_LENGTH_VALID ? length : ckd->block_size;
	ckd->index_passed = false;
	status = find(ckd, p + 8);
	if (status)
		return status;
	ckd->left = p[3];
	ckd->located = true;
	return UNIT_END;
}

uint8_t ckd_locate(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t p[LRE_LEN] = {0}, status;

	status = ckd_parameters(ckd, call, p, LR_LEN);
	return status ? status : locate(ckd, p, false);
}

/* Extended parameters say which records of which tracks; the commands themselves do too. */
static uint8_t drop_extended(struct ckd_device *ckd, struct device_call *call, const uint8_t *p)
{
	uint16_t len = be16_get(p + 18);

	return len ? ckd_parameters(ckd, call, ckd->buf, len) : 0;
}

uint8_t ckd_locate_extended(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t p[LRE_LEN], status;

	status = ckd_parameters(ckd, call, p, LRE_LEN);
	if (!status)
		status = drop_extended(ckd, call, p);
	return status ? status : locate(ckd, p, true);
}

/* Format 0 is Define Extent, format 1 Define Extent and Locate Record Extended. */
uint8_t ckd_prefix(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t p[PFX_LEN + PFX_DX + LRE_LEN], status;
	size_t len = PFX_LEN + PFX_DX;

	if (ckd->last_cmd)
		return reject(ckd, REJECT_SEQUENCE);
	status = ckd_parameters(ckd, call, p, len);
	if (status)
		return status;
	if (p[0] > 1)
		return reject(ckd, REJECT_PARAMETER);
	if (p[0] == 1) {
		status = ckd_parameters(ckd, call, p + len, LRE_LEN);
		if (!status)
			status = drop_extended(ckd, call, p + len);
		if (status)
			return status;
	}
	if (p[1] & PFX_EXTENT_VALID) {
		status = define_extent(ckd, p + PFX_LEN);
		if (status != UNIT_END)
			return status;
	}
	return p[0] == 1 ? locate(ckd, p + len, true) : UNIT_END;
}

uint8_t ckd_set_file_mask(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t mask, status;

	if (ckd->left || ckd->mask_set || ckd->extent_defined)
		return reject(ckd, REJECT_SEQUENCE);
	status = ckd_parameters(ckd, call, &mask, 1);
	if (status)
		return status;
	if (mask & MASK_RESERVED || (mask & 0x06) == 0x04)
		return reject(ckd, REJECT_PARAMETER);
	ckd->file_mask = mask;
	ckd->mask_set = true;
	return UNIT_END;
}

static bool seek_allowed(const struct ckd_device *ckd, uint8_t cmd)
{
	switch (ckd->file_mask & MASK_SEEK) {
	case MASK_SEEK_ALL:
		return true;
	case MASK_SEEK_CYLINDER:
		return cmd != 0x07;
	case MASK_SEEK_HEAD:
		return cmd == 0x1b;
	default:
		return false;
	}
}

/* Seek X'07', Seek Cylinder X'0B', Seek Head X'1B' */
uint8_t ckd_seek(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t p[6], status;
	uint32_t cylinder, head;
	bool there;

	if (ckd->left || (call->cmd == 0x1b && !ckd->seeked && !ckd->located))
		return reject(ckd, REJECT_SEQUENCE);
	if (!seek_allowed(ckd, call->cmd))
		return ckd_check(ckd, 0, SENSE1_FILE_PROTECTED, 0);
	status = ckd_parameters(ckd, call, p, sizeof(p));
	if (status)
		return status;
	there = get_track(ckd, p + 2, &cylinder, &head);
	if (call->cmd == 0x1b) {
		cylinder = ckd->cylinder;
		there = head < CKD_HEADS;
	}
	if (p[0] || p[1] || !there)
		return reject(ckd, REJECT_PARAMETER);
	if (!ckd_in_extent(ckd, cylinder, head))
		return ckd_check(ckd, 0, SENSE1_FILE_PROTECTED, 0);
	status = ckd_go_to(ckd, cylinder, head);
	if (status)
		return status;
	ckd->index_passed = false;
	ckd->seeked = true;
	return UNIT_END;
}
