/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-motion.c - moving over tracks and their records */
#include <string.h>

#include "lfp/bigend.h"
#include "devemu/device/ckd-state.h"

/* A track without a good home address cannot be used at all. */
static uint8_t bad_track(struct ckd_device *ckd)
{
	ckd->orientation = AT_NOTHING;
	return ckd_check(ckd, SENSE_DATA_CHECK, SENSE1_INVALID_TRACK_FORMAT, 0);
}

uint8_t ckd_go_to_index(struct ckd_device *ckd)
{
	const uint8_t *home = ckd->track;

	ckd->at = CKD_HOME;
	ckd->orientation = AT_INDEX;
	if (be16_get(home + 1) != ckd->cylinder || be16_get(home + 3) != ckd->head)
		return bad_track(ckd);
	return 0;
}

uint8_t ckd_go_to(struct ckd_device *ckd, uint32_t cylinder, uint32_t head)
{
	struct device_work *work = &ckd->device.work;

	ckd->cylinder = cylinder;
	ckd->head = head;
	ckd->track = ckd_track(ckd->image, cylinder, head);
	if (!work->tracks++)
		work->first_track = cylinder * CKD_HEADS + head;
	return ckd_go_to_index(ckd);
}

bool ckd_in_extent(const struct ckd_device *ckd, uint32_t cylinder, uint32_t head)
{
	uint32_t track = cylinder * CKD_HEADS + head;

	return track >= ckd->first && track <= ckd->last;
}

uint8_t ckd_advance(struct ckd_device *ckd)
{
	uint32_t cylinder = ckd->cylinder, head = ckd->head + 1;

	if (!ckd->left) {
		if ((ckd->file_mask & MASK_SEEK) == MASK_SEEK_NONE)
			return ckd_check(ckd, 0, SENSE1_FILE_PROTECTED, 0);
		if (head >= CKD_HEADS)
			return ckd_check(ckd, 0, SENSE1_END_OF_CYLINDER, 0);
	}
	if (head >= CKD_HEADS) {
		head = 0;
		cylinder++;
	}
	if (!ckd_in_extent(ckd, cylinder, head))
		return ckd_check(ckd, 0, SENSE1_FILE_PROTECTED, 0);
	return ckd_go_to(ckd, cylinder, head);
}

/* Skips the rest of the present record. */
static void pass(struct ckd_device *ckd)
{
	if (ckd->orientation == AT_COUNT)
		ckd->at += ckd->record.key_len + (uint32_t)ckd->record.data_len;
	else if (ckd->orientation == AT_KEY)
		ckd->at += ckd->record.data_len;
}

/* At the end of a track: round it, or on to the next. */
static uint8_t turn(struct ckd_device *ckd, uint8_t cmd, unsigned int how)
{
	uint8_t status;

	/* The index passes a second time without data moved: the record does not exist. */
	if (how & NEXT_ONCE || (ckd->index_passed && (ckd->left || !multitrack(cmd))))
		return ckd_check(ckd, 0, SENSE1_NO_RECORD_FOUND, 0);
	if (!multitrack(cmd)) {
		ckd->index_passed = true;
		return ckd_go_to_index(ckd);
	}
	status = ckd_advance(ckd);
	if (!status && !(how & NEXT_SEARCH))
		ckd->index_passed = true;
	return status;
}

uint8_t ckd_next_count(struct ckd_device *ckd, uint8_t cmd, unsigned int how)
{
	uint32_t size = ckd->image->track_size;
	struct ckd_record record;
	uint8_t status;
	int rc;

	if (ckd->orientation == AT_NOTHING || (ckd->orientation == AT_END && !multitrack(cmd))) {
		status = ckd_go_to_index(ckd);
		if (status)
			return status;
	} else if (ckd->orientation == AT_END) {
		status = ckd_advance(ckd);
		if (status)
			return status;
	}
	for (;;) {
		pass(ckd);
		rc = ckd_record_at(ckd->track, size, ckd->at, &record);
		if (rc < 0)
			return bad_track(ckd);
		if (rc > 0) {
			ckd->record = record;
			ckd->at = record.offset + CKD_COUNT;
			ckd->orientation = AT_COUNT;
			if (record.number || how & NEXT_R0)
				return 0;
			continue;
		}
		ckd->orientation = AT_END;
		if (how & NEXT_END)
			return 0;
		status = turn(ckd, cmd, how);
		if (status)
			return status;
	}
}

bool ckd_continue(struct ckd_device *ckd, uint8_t *status)
{
	if (*status || ckd->left == 1)
		return false;
	*status = ckd_advance(ckd);
	if (*status)
		return false;
	ckd->left--;
	*status = ckd_next_count(ckd, 0, NEXT_END);
	return true;
}
