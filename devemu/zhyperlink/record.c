/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - finding one record, and moving its data */
#include "devemu/zhyperlink/limits.h"

#include <string.h>

#include "devemu/bytes/storage.h"
#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-image.h"

/* The record, if the track can be read up to it and has it. */
static bool find(const struct ckd_image *image, const struct zhyperlink_request *request,
		 struct ckd_record *record)
{
	const uint8_t *track;
	uint32_t offset = CKD_HOME;

	if (request->cylinder >= image->cylinders || request->head >= CKD_HEADS ||
	    ckd_image_check(image) < 0)
		return false;
	track = ckd_track(image, request->cylinder, request->head);
	while (ckd_record_at(track, image->track_size, offset, record) > 0) {
		/* Record 0 describes the track and holds no user data. */
		if (record->number == request->record && record->number != 0)
			return true;
		offset += CKD_COUNT + record->key_len + record->data_len;
	}
	return false;
}

static enum zhyperlink_outcome move(struct ckd_image *image, struct storage *storage,
				    const struct zhyperlink_request *request)
{
	const enum zhyperlink_outcome limits =
		zhyperlink_check_record(request->bytes, request->address);
	struct ckd_record record;
	uint8_t *at;

	if (limits != ZHYPERLINK_DONE)
		return limits;
	if (!find(image, request, &record) || record.data_len != request->bytes)
		return ZHYPERLINK_RECORD_REJECT;
	if (storage_access(storage, request->address, request->bytes, STORAGE_64, request->key,
			   !request->write, &at) < 0)
		return ZHYPERLINK_STORAGE;
	if (!request->write)
		memcpy(at, record.data, request->bytes);
	else if (ckd_write(image, request->cylinder, request->head,
			   record.offset + CKD_COUNT + record.key_len, at, request->bytes) < 0)
		return ZHYPERLINK_RECORD_REJECT;
	return ZHYPERLINK_DONE;
}

enum zhyperlink_outcome zhyperlink_move(struct ckd_image *image, struct storage *storage,
					const struct zhyperlink_request *request)
{
	struct ckd_image *guarded = ckd_guard(image);
	enum zhyperlink_outcome outcome = move(image, storage, request);

	ckd_guard(guarded);
	return image->shortened ? ZHYPERLINK_RECORD_REJECT : outcome;
}
