/* SPDX-License-Identifier: Apache-2.0 */
/* ckd-device.c - a 3390: its commands, and its state within a program */
#include "devemu/device/ckd-device.h"

#include <stdlib.h>
#include <string.h>

#include "devemu/device/ckd-state.h"

static uint8_t no_operation(struct ckd_device *ckd, struct device_call *call)
{
	(void)ckd;
	(void)call;
	return UNIT_END;
}

static uint8_t set_sector(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t sector, status;

	if (ckd->left)
		return reject(ckd, REJECT_SEQUENCE);
	status = ckd_parameters(ckd, call, &sector, 1);
	if (status)
		return status;
	return sector < CKD_SECTORS || sector == 0xff ? UNIT_END : reject(ckd, REJECT_PARAMETER);
}

/* Start of the last record, as a fraction of the track. */
static uint8_t read_sector(struct ckd_device *ckd, struct device_call *call)
{
	uint8_t sector = 0;

	if (ckd->orientation != AT_NOTHING)
		sector = (uint8_t)((uint64_t)ckd->at * CKD_SECTORS / (ckd->image->track_size + 1));
	call_push(call, &sector, 1);
	return UNIT_END;
}

/* Reserve and release are for several systems. The only system here always gets the device. */
static uint8_t reserve(struct ckd_device *ckd, struct device_call *call)
{
	if (ckd->left || ckd->extent_defined || ckd->mask_set)
		return reject(ckd, REJECT_SEQUENCE);
	return ckd_sense(ckd, call);
}

#define DATA  1u /* counts in a domain */
#define INDEX 2u /* does not forget that the index was passed */
#define KEEP  4u /* does not forget that a search was equal */

struct command {
	uint8_t (*run)(struct ckd_device *ckd, struct device_call *call);
	unsigned int is;
};

static const struct command commands[256] = {
	[0x02] = {ckd_read_ipl, 0},
	[0x03] = {no_operation, KEEP},
	[0x04] = {ckd_sense, 0},
	[0x05] = {ckd_write_data, DATA | KEEP},
	[0x06] = {ckd_read_data, DATA | KEEP},
	[0x07] = {ckd_seek, 0},
	[0x0b] = {ckd_seek, 0},
	[0x0d] = {ckd_write_kd, DATA | KEEP},
	[0x0e] = {ckd_read_kd, DATA | KEEP},
	[0x11] = {ckd_erase, DATA | KEEP},
	[0x12] = {ckd_read_count, DATA | INDEX},
	[0x14] = {reserve, 0},
	[0x15] = {ckd_write_r0, DATA},
	[0x16] = {ckd_read_r0, DATA},
	[0x19] = {ckd_write_home, DATA},
	[0x1a] = {ckd_read_home, DATA},
	[0x1b] = {ckd_seek, 0},
	[0x1d] = {ckd_write_ckd, DATA | KEEP},
	[0x1e] = {ckd_read_ckd, DATA},
	[0x1f] = {ckd_set_file_mask, KEEP},
	[0x22] = {read_sector, INDEX | KEEP},
	[0x23] = {set_sector, 0},
	[0x27] = {ckd_subsystem_function, 0},
	[0x29] = {ckd_search_key, INDEX | KEEP},
	[0x31] = {ckd_search_id, INDEX | KEEP},
	[0x34] = {ckd_sense_path_group, 0},
	[0x39] = {ckd_search_home, INDEX},
	[0x3e] = {ckd_subsystem_data, 0},
	[0x47] = {ckd_locate, 0},
	[0x49] = {ckd_search_key, INDEX | KEEP},
	[0x4b] = {ckd_locate_extended, 0},
	[0x51] = {ckd_search_id, INDEX | KEEP},
	[0x54] = {ckd_subsystem_status, 0},
	[0x5b] = {no_operation, 0},
	[0x5e] = {ckd_read_multiple, DATA},
	[0x63] = {ckd_define_extent, 0},
	[0x64] = {ckd_characteristics, 0},
	[0x69] = {ckd_search_key, INDEX | KEEP},
	[0x71] = {ckd_search_id, INDEX | KEEP},
	[0x85] = {ckd_write_data, DATA | KEEP},
	[0x86] = {ckd_read_data, DATA | KEEP},
	[0x8d] = {ckd_write_kd, DATA | KEEP},
	[0x8e] = {ckd_read_kd, DATA | KEEP},
	[0x92] = {ckd_read_count, DATA},
	[0x94] = {reserve, 0},
	[0x96] = {ckd_read_r0, DATA},
	[0x9a] = {ckd_read_home, DATA},
	[0x9d] = {ckd_write_next, DATA},
	[0x9e] = {ckd_read_ckd, DATA},
	[0xa5] = {ckd_write_track_data, DATA},
	[0xa6] = {ckd_read_track_data, DATA},
	[0xa9] = {ckd_search_key, INDEX | KEEP},
	[0xaf] = {ckd_set_path_group, 0},
	[0xb1] = {ckd_search_id, INDEX | KEEP},
	[0xb4] = {reserve, 0},
	[0xb9] = {ckd_search_home, INDEX},
	[0xc9] = {ckd_search_key, INDEX | KEEP},
	[0xd1] = {ckd_search_id, INDEX | KEEP},
	[0xde] = {ckd_read_track, DATA},
	[0xe4] = {ckd_sense_id, 0},
	[0xe7] = {ckd_prefix, 0},
	[0xe9] = {ckd_search_key, INDEX | KEEP},
	[0xf1] = {ckd_search_id, INDEX | KEEP},
	[0xfa] = {ckd_configuration, 0},
};

static void begin(struct device *device)
{
	struct ckd_device *ckd = ckd_of(device);

	ckd->extent_defined = ckd->mask_set = ckd->seeked = ckd->located = false;
	ckd->id_equal = ckd->key_equal = ckd->wrote_ckd = ckd->index_passed = false;
	ckd->file_mask = ckd->attributes = 0;
	ckd->block_size = ckd->transfer_length = 0;
	ckd->first = 0;
	ckd->last = ckd->image->cylinders * CKD_HEADS - 1;
	ckd->last_cmd = 0;
	ckd->operation = OPERATION_ORIENT;
	ckd->orientation_asked = 0;
	ckd->left = 0;
	ckd->subsystem_len = 0;
	ckd->orientation = AT_NOTHING;
	ckd->failed = ckd_image_check(ckd->image) != 0;
}

static uint8_t command(struct device *device, struct device_call *call)
{
	struct ckd_device *ckd = ckd_of(device);
	const struct command *c = &commands[call->cmd];
	bool wrote_ckd = ckd->wrote_ckd, in_domain = ckd->left;
	struct ckd_image *guarded;
	uint8_t status;

	if (!c->run)
		return reject(ckd, REJECT_COMMAND);
	if (ckd->failed && c->run != ckd_sense)
		return ckd_check(ckd, SENSE_INTERVENTION, 0, 0);
	/* Only data commands come within a domain, and nothing between a function and its data. */
	if ((in_domain && !(c->is & DATA)) || (ckd->subsystem_len && c->run != ckd_subsystem_data))
		return reject(ckd, REJECT_SEQUENCE);
	if (!(c->is & INDEX))
		ckd->index_passed = false;
	if (!(c->is & KEEP))
		ckd->id_equal = ckd->key_equal = false;
	guarded = ckd_guard(ckd->image);
	status = c->run(ckd, call);
	ckd_guard(guarded);
	if (ckd->image->shortened && !ckd->failed) {
		ckd->failed = true;
		status = ckd_check(ckd, SENSE_INTERVENTION, 0, 0);
	}
	if (wrote_ckd && call->cmd != 0x1d)
		ckd->wrote_ckd = false;
	if (in_domain && ckd->left && !(status & UNIT_CHECK))
		ckd->left--;
	ckd->last_cmd = call->cmd;
	return status;
}

static void reset(struct device *device)
{
	begin(device);
}

static const struct device_ops ops = {
	.name = "3390",
	.begin = begin,
	.command = command,
	.reset = reset,
	.destroy = ckd_device_destroy,
};

struct device *ckd_device_create(struct ckd_image *image, uint16_t number)
{
	struct ckd_device *ckd = calloc(1, sizeof(*ckd));

	if (!ckd)
		return NULL;
	ckd->image = image;
	ckd->device.ops = &ops;
	ckd->device.number = number;
	ckd->device.transport = true;
	ckd->device.sense_len = DEVICE_SENSE;
	begin(&ckd->device);
	return &ckd->device;
}

void ckd_device_destroy(struct device *device)
{
	free(ckd_of(device));
}
