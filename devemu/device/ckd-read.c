/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-read.c - commands that read records */
#include <string.h>

#include "devemu/device/ckd-state.h"

static bool domain_reads(const struct ckd_device *ckd)
{
	return ckd->operation == OPERATION_READ_DATA || ckd->operation == OPERATION_READ ||
	       ckd->operation == OPERATION_READ_ANY;
}

/* Behind the key; what comes next is data. */
static void pass_key(struct ckd_device *ckd)
{
	if (ckd->orientation == AT_COUNT) {
		ckd->at += ckd->record.key_len;
		ckd->orientation = AT_KEY;
	}
}

static void push_key(struct ckd_device *ckd, struct device_call *call)
{
	call_push(call, ckd->record.key, ckd->record.key_len);
	pass_key(ckd);
}

static void push_data(struct ckd_device *ckd, struct device_call *call)
{
	call_push(call, ckd->record.data, ckd->record.data_len);
	ckd->at += ckd->record.data_len;
	ckd->orientation = AT_DATA;
	ckd->device.work.records++;
}

/* An end-of-file record is a unit exception. */
static uint8_t read_end(const struct ckd_device *ckd)
{
	return ckd->record.data_len ? UNIT_END : UNIT_END | UNIT_EXCEPTION;
}

/* Multi-track commands for index fields go to the next track first, unless a domain says where to
 * be. */
static uint8_t at_index(struct ckd_device *ckd, uint8_t cmd)
{
	if (multitrack(cmd) && !ckd->left)
		return ckd_advance(ckd);
	return ckd_go_to_index(ckd);
}

uint8_t ckd_read_home(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t status = positioned(ckd, domain_reads(ckd));

	if (!status)
		status = at_index(ckd, call->cmd);
	if (status)
		return status;
	call_push(call, ckd->track, CKD_HOME);
	return UNIT_END;
}

uint8_t ckd_read_r0(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t status = positioned(ckd, domain_reads(ckd));

	if (!status)
		status = at_index(ckd, call->cmd);
	if (!status)
		status = ckd_next_count(ckd, 0, NEXT_R0 | NEXT_ONCE);
	if (status)
		return status;
	call_push(call, ckd->record.count, CKD_COUNT);
	push_key(ckd, call);
	push_data(ckd, call);
	return read_end(ckd);
}

uint8_t ckd_read_count(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t status =
		positioned(ckd, domain_reads(ckd) ||
					(ckd->operation == OPERATION_WRITE_DATA && ckd->left == 1));

	if (!status)
		status = ckd_next_count(ckd, call->cmd, 0);
	if (status)
		return status;
	call_push(call, ckd->record.count, CKD_COUNT);
	return UNIT_END;
}

uint8_t ckd_read_data(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t status = positioned(ckd, domain_reads(ckd));

	if (!status && ckd->orientation != AT_COUNT && ckd->orientation != AT_KEY)
		status = ckd_next_count(ckd, call->cmd, 0);
	if (status)
		return status;
	pass_key(ckd);
	push_data(ckd, call);
	return read_end(ckd);
}

uint8_t ckd_read_kd(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t status = positioned(ckd, domain_reads(ckd));

	if (!status && ckd->orientation != AT_COUNT)
		status = ckd_next_count(ckd, call->cmd, 0);
	if (status)
		return status;
	push_key(ckd, call);
	push_data(ckd, call);
	return read_end(ckd);
}

uint8_t ckd_read_ckd(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t status = positioned(ckd, domain_reads(ckd));

	if (!status)
		status = ckd_next_count(ckd, call->cmd, 0);
	if (status)
		return status;
	call_push(call, ckd->record.count, CKD_COUNT);
	push_key(ckd, call);
	push_data(ckd, call);
	return read_end(ckd);
}

/* All records from the next one to the end of the track. */
uint8_t ckd_read_multiple(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t status = positioned(ckd, domain_reads(ckd));

	if (!status)
		status = ckd_next_count(ckd, 0, 0);
	if (status)
		return status;
	while (ckd->orientation == AT_COUNT) {
		call_push(call, ckd->record.count, CKD_COUNT);
		push_key(ckd, call);
		push_data(ckd, call);
		if (call->failed)
			break;
		status = ckd_next_count(ckd, 0, NEXT_END);
		if (status)
			return status;
	}
	return UNIT_END;
}

/* Within a domain of tracks: on to the next one from the second command on. */
static uint8_t next_track(struct ckd_device *ckd, uint8_t cmd)
{
	return ckd->last_cmd == cmd ? ckd_advance(ckd) : 0;
}

/* Count, key and data of all records of the track with R0, and the end-of-track mark of eight
 * X'FF'. */
uint8_t ckd_read_track(struct ckd_device *ckd, struct device_call *call)
{
	static const uint8_t end[CKD_COUNT] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	uint8_t status;

	if (!ckd->left ||
	    (ckd->operation != OPERATION_READ_TRACKS && ckd->operation != OPERATION_READ_TRACK_SET))
		return reject(ckd, REJECT_SEQUENCE);
	status = next_track(ckd, call->cmd);
	if (!status)
		status = ckd_go_to_index(ckd);
	while (!status && !call->failed) {
		status = ckd_next_count(ckd, 0, NEXT_R0 | NEXT_END);
		if (status || ckd->orientation == AT_END)
			break;
		call_push(call, ckd->record.count, CKD_COUNT);
		push_key(ckd, call);
		push_data(ckd, call);
	}
	if (status)
		return status;
	call_push(call, end, sizeof(end));
	return UNIT_END;
}

/* The data of all records from the located one on, over the tracks of the domain; the program may
 * end anywhere. */
uint8_t ckd_read_track_data(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t status = 0;

	if (!ckd->left ||
	    (ckd->operation != OPERATION_READ_TRACKS && ckd->operation != OPERATION_READ_ANY))
		return reject(ckd, REJECT_SEQUENCE);
	call_push(call, NULL, 0);
	if (ckd->orientation == AT_COUNT && !ckd->record.number)
		status = ckd_next_count(ckd, 0, NEXT_END);
	do {
		while (!status && ckd->orientation == AT_COUNT) {
			pass_key(ckd);
			if (call_push_optional(call, ckd->record.data, ckd->record.data_len) <
			    ckd->record.data_len)
				return UNIT_END;
			ckd->at += ckd->record.data_len;
			ckd->orientation = AT_DATA;
			ckd->device.work.records++;
			status = ckd_next_count(ckd, 0, NEXT_END);
		}
	} while (ckd_continue(ckd, &status));
	return status ? status : UNIT_END;
}

/* Record 1 of track 0, as if it had been located. */
uint8_t ckd_read_ipl(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t status;

	if (ckd->left || ckd->extent_defined || ckd->mask_set)
		return reject(ckd, REJECT_SEQUENCE);
	ckd->extent_defined = ckd->mask_set = true;
	status = ckd_go_to(ckd, 0, 0);
	if (!status)
		status = ckd_next_count(ckd, 0, NEXT_ONCE);
	if (status)
		return status;
	pass_key(ckd);
	push_data(ckd, call);
	ckd->located = true;
	return read_end(ckd);
}
