/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-write.c - commands that write records
 *
 * A write is gathered completely before the image changes. Bytes that the program does not send are
 * zeros. When the channel breaks off (program or protection check) nothing is written.
 */
#include <errno.h>
#include <string.h>

#include "devemu/device/ckd-state.h"

/* Global attributes of Define Extent: records may have another length than Locate Record says. */
#define ATTRIBUTE_CONVERSION 0x20u

static bool update_allowed(const struct ckd_device *ckd)
{
	return (ckd->file_mask & MASK_WRITE) != MASK_WRITE_NOTHING;
}

static bool format_allowed(const struct ckd_device *ckd, bool r0)
{
	uint8_t mask = ckd->file_mask & MASK_WRITE;

	return mask == MASK_WRITE_ALL || (mask == MASK_WRITE_NO_R0 && !r0);
}

static uint8_t writable(struct ckd_device *ckd, bool allowed)
{
	if (ckd->image->read_only)
		return ckd_check(ckd, SENSE_EQUIPMENT_CHECK, SENSE1_WRITE_INHIBITED, 0);
	return allowed ? 0 : reject(ckd, REJECT_MASK);
}

/* Gathers @len bytes at buf + offset; false if the channel has broken off. */
static bool gather(struct ckd_device *ckd, struct device_call *call, uint32_t offset, uint32_t len)
{
	size_t n = call_pull(call, ckd->buf + offset, len);

	if (n < len)
		memset(ckd->buf + offset + n, 0, len - n);
	return !call->failed;
}

/* Writes the gathered bytes at @at of the track. */
static uint8_t put(struct ckd_device *ckd, uint32_t at, uint32_t len)
{
	int rc = ckd_write(ckd->image, ckd->cylinder, ckd->head, at, ckd->buf, len);

	/* A full disk and a broken one look alike from here. */
	return rc ? ckd_check(ckd, SENSE_EQUIPMENT_CHECK, 0, 0) : 0;
}

/* Returns whether the record has the length of the domain. */
static uint8_t fits(struct ckd_device *ckd, uint32_t len)
{
	if (!ckd->left || !ckd->transfer_length || ckd->attributes & ATTRIBUTE_CONVERSION ||
	    ckd->transfer_length == len)
		return 0;
	return ckd_check(ckd, 0, SENSE1_INVALID_TRACK_FORMAT, 0);
}

static bool domain_updates(const struct ckd_device *ckd)
{
	return ckd->operation == OPERATION_WRITE_DATA || ckd->operation == OPERATION_WRITE_TRACK ||
	       ckd->operation == OPERATION_WRITE_ANY;
}

/* Writes the end of a record from here on, of @len bytes. */
static uint8_t put_data(struct ckd_device *ckd, uint32_t len)
{
	const uint8_t status = put(ckd, ckd->at, len);

	ckd->at += len;
	ckd->orientation = AT_DATA;
	ckd->device.work.records++;
	return status ? status : UNIT_END;
}

uint8_t ckd_write_data(struct ckd_device *ckd, struct device_call *call)
{
	uint32_t len;
	uint8_t status = positioned(ckd, domain_updates(ckd));

	if (!status && !ckd->left && !ckd->id_equal && !ckd->key_equal)
		status = reject(ckd, REJECT_SEQUENCE);
	if (!status)
		status = writable(ckd, update_allowed(ckd));
	if (!status && ckd->orientation != AT_COUNT && ckd->orientation != AT_KEY)
		status = ckd->left ? ckd_next_count(ckd, call->cmd, 0)
				   : reject(ckd, REJECT_SEQUENCE);
	if (status)
		return status;
	len = ckd->record.data_len;
	status = fits(ckd, len);
	if (status)
		return status;
	if (!len) {
		call_pull(call, ckd->buf, 0);
		return UNIT_END | UNIT_EXCEPTION;
	}
	if (!gather(ckd, call, 0, len))
		return UNIT_END;
	if (ckd->orientation == AT_COUNT)
		ckd->at += ckd->record.key_len;
	return put_data(ckd, len);
}

uint8_t ckd_write_kd(struct ckd_device *ckd, struct device_call *call)
{
	uint32_t len;
	uint8_t status = positioned(ckd, domain_updates(ckd));

	if (!status && !ckd->left && !ckd->id_equal)
		status = reject(ckd, REJECT_SEQUENCE);
	if (!status)
		status = writable(ckd, update_allowed(ckd));
	if (!status && ckd->orientation != AT_COUNT)
		status = ckd->left ? ckd_next_count(ckd, call->cmd, 0)
				   : reject(ckd, REJECT_SEQUENCE);
	if (status)
		return status;
	len = (uint32_t)ckd->record.key_len + ckd->record.data_len;
	status = fits(ckd, len);
	if (status)
		return status;
	if (!ckd->record.data_len) {
		call_pull(call, ckd->buf, 0);
		return UNIT_END | UNIT_EXCEPTION;
	}
	if (!gather(ckd, call, 0, len))
		return UNIT_END;
	return put_data(ckd, len);
}

/* Write Track Data: the data of records from the located one on, which keep their lengths. */
uint8_t ckd_write_track_data(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t status;

	if (!ckd->left ||
	    (ckd->operation != OPERATION_WRITE_ANY && ckd->operation != OPERATION_WRITE_FULL))
		return reject(ckd, REJECT_SEQUENCE);
	status = writable(ckd, update_allowed(ckd));
	call_pull(call, ckd->buf, 0);
	if (!status && ckd->orientation == AT_COUNT && !ckd->record.number)
		status = ckd_next_count(ckd, 0, NEXT_END);
	do {
		while (!status && ckd->orientation == AT_COUNT) {
			uint32_t len = ckd->record.data_len;
			size_t n = call_pull_optional(call, ckd->buf, len);

			/* The program may end anywhere. A record without new data stays
			 * unchanged. */
			if (call->failed || (len && !n))
				return UNIT_END;
			memset(ckd->buf + n, 0, len - n);
			ckd->at += ckd->record.key_len;
			status = put(ckd, ckd->at, len);
			if (status)
				return status;
			ckd->at += len;
			ckd->orientation = AT_DATA;
			ckd->device.work.records++;
			status = ckd_next_count(ckd, 0, NEXT_END);
		}
	} while (ckd_continue(ckd, &status));
	return status ? status : UNIT_END;
}

/* Cells taken by the records before @at, but for home address and record 0. */
static int cells_before(const struct ckd_device *ckd, uint32_t at, uint32_t *cells)
{
	uint32_t offset = CKD_HOME;
	struct ckd_record record;
	int rc = 1;

	*cells = 0;
	while (offset < at) {
		rc = ckd_record_at(ckd->track, ckd->image->track_size, offset, &record);
		if (rc <= 0)
			return rc;
		if (offset > CKD_HOME)
			*cells += ckd_record_cells(record.key_len, record.data_len);
		offset += CKD_COUNT + record.key_len + (uint32_t)record.data_len;
	}
	return 1;
}

/* Behind the present record, where the next one is to be written. */
static uint8_t behind(struct ckd_device *ckd)
{
	uint8_t status;

	switch (ckd->orientation) {
	case AT_INDEX:
		/* Record 0 stays. */
		status = ckd_next_count(ckd, 0, NEXT_R0 | NEXT_ONCE);
		if (status)
			return status;
		break;
	case AT_NOTHING:
		return reject(ckd, REJECT_SEQUENCE);
	default:
		break;
	}
	if (ckd->orientation == AT_COUNT)
		ckd->at += ckd->record.key_len + (uint32_t)ckd->record.data_len;
	else if (ckd->orientation == AT_KEY)
		ckd->at += ckd->record.data_len;
	ckd->orientation = AT_DATA;
	return 0;
}

/* Count, key and data as one command sends them, at ckd->at; all behind it is erased. */
static uint8_t write_record(struct ckd_device *ckd, struct device_call *call, bool r0)
{
	uint32_t cells, key_len, data_len, len, at = ckd->at;
	uint8_t status;

	if (call_pull(call, ckd->buf, CKD_COUNT) < CKD_COUNT)
		return call->failed ? UNIT_END : reject(ckd, REJECT_COUNT);
	key_len = ckd->buf[5];
	data_len = (uint32_t)(ckd->buf[6] << 8 | ckd->buf[7]);
	len = CKD_COUNT + key_len + data_len;
	if (data_len > (r0 ? CKD_R0_MAX : CKD_DATA_MAX) ||
	    len + CKD_COUNT > ckd->image->track_size - at || len + CKD_COUNT > sizeof(ckd->buf))
		return ckd_check(ckd, 0, SENSE1_INVALID_TRACK_FORMAT, 0);
	if (!r0) {
		if (cells_before(ckd, at, &cells) <= 0 ||
		    cells + ckd_record_cells((uint8_t)key_len, (uint16_t)data_len) > CKD_CELLS)
			return ckd_check(ckd, 0, SENSE1_INVALID_TRACK_FORMAT, 0);
	}
	if (!gather(ckd, call, CKD_COUNT, key_len + data_len))
		return UNIT_END;
	memset(ckd->buf + len, 0xff, CKD_COUNT);
	status = put(ckd, at, len + CKD_COUNT);
	if (status)
		return status;
	if (ckd_record_at(ckd->track, ckd->image->track_size, at, &ckd->record) <= 0)
		return ckd_check(ckd, SENSE_EQUIPMENT_CHECK, 0, 0);
	ckd->at = at + len;
	ckd->orientation = AT_DATA;
	ckd->device.work.records++;
	return UNIT_END;
}

static bool domain_formats(const struct ckd_device *ckd)
{
	return ckd->operation == OPERATION_FORMAT || ckd->operation == OPERATION_WRITE_TRACK;
}

uint8_t ckd_write_ckd(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t status = positioned(ckd, domain_formats(ckd));

	if (!status && !ckd->left && !ckd->id_equal && !ckd->key_equal && !ckd->wrote_ckd)
		status = reject(ckd, REJECT_SEQUENCE);
	if (!status)
		status = writable(ckd, format_allowed(ckd, false));
	if (!status)
		status = behind(ckd);
	if (status)
		return status;
	status = write_record(ckd, call, false);
	ckd->wrote_ckd = status == UNIT_END;
	return status;
}

/* Write CKD Next Track: behind record 0 of the next track. */
uint8_t ckd_write_next(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t status;

	if (!ckd->left || ckd->operation != OPERATION_FORMAT ||
	    (ckd->last_cmd != 0x1d && ckd->last_cmd != 0x9d))
		return reject(ckd, REJECT_SEQUENCE);
	status = writable(ckd, format_allowed(ckd, false));
	if (!status)
		status = ckd_advance(ckd);
	if (!status)
		status = behind(ckd);
	return status ? status : write_record(ckd, call, false);
}

uint8_t ckd_write_r0(struct ckd_device *ckd, struct device_call *call)
{
	bool located = ckd->operation == OPERATION_FORMAT && ckd->orientation_asked == LOCATE_HOME;
	uint8_t status = positioned(ckd, located);

	if (!status && ckd->orientation != AT_INDEX)
		status = reject(ckd, REJECT_SEQUENCE);
	if (!status)
		status = writable(ckd, format_allowed(ckd, true));
	if (status)
		return status;
	status = write_record(ckd, call, true);
	ckd->wrote_ckd = status == UNIT_END;
	return status;
}

/* A track keeps its address: the new home address must equal the present one. */
uint8_t ckd_write_home(struct ckd_device *ckd, struct device_call *call)
{
	bool located = ckd->operation == OPERATION_FORMAT && ckd->orientation_asked == LOCATE_HOME;
	uint8_t home[CKD_HOME], status = positioned(ckd, located);

	if (!status)
		status = writable(ckd, format_allowed(ckd, true));
	if (!status)
		status = ckd_parameters(ckd, call, home, sizeof(home));
	if (status)
		return status;
	if (memcmp(home, ckd->track, CKD_HOME) != 0)
		return reject(ckd, REJECT_PARAMETER);
	status = ckd_go_to_index(ckd);
	return status ? status : UNIT_END;
}

/* Takes a record as Write CKD does, and leaves nothing behind the present one. */
uint8_t ckd_erase(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t status = positioned(ckd, domain_formats(ckd));
	size_t len;

	if (!status && !ckd->left && !ckd->id_equal && !ckd->key_equal && !ckd->wrote_ckd)
		status = reject(ckd, REJECT_SEQUENCE);
	if (!status)
		status = writable(ckd, format_allowed(ckd, false));
	if (!status)
		status = behind(ckd);
	if (status)
		return status;
	if (call_pull(call, ckd->buf, CKD_COUNT) < CKD_COUNT)
		return call->failed ? UNIT_END : reject(ckd, REJECT_COUNT);
	len = ckd->buf[5] + (size_t)(ckd->buf[6] << 8 | ckd->buf[7]);
	if (len > sizeof(ckd->buf) - CKD_COUNT)
		return ckd_check(ckd, 0, SENSE1_INVALID_TRACK_FORMAT, 0);
	call_pull_optional(call, ckd->buf + CKD_COUNT, len);
	if (call->failed)
		return UNIT_END;
	memset(ckd->buf, 0xff, CKD_COUNT);
	status = put(ckd, ckd->at, CKD_COUNT);
	return status ? status : UNIT_END;
}
