/* SPDX-License-Identifier: Apache-2.0 */
/* volume-open.c - the files of a fabric's devices */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devemu/device/ckd-geometry.h"
#include "devemu/device/ckd-records.h"
#include "devemu/fabric/build.h"
#include "devemu/fabric/volume.h"

/* The loads of a device, as far as they matter to its volume. */
struct use {
	bool writes;
	uint32_t largest;
};

static bool drives(const struct load_config *load, const struct fabric_device *device)
{
	return device->number >= load->device && device->number - load->device < load->devices;
}

static bool is_fcp(const struct fabric_device *device)
{
	return device->path[0]->channel->config->type == CHANNEL_FCP;
}

static int look_at_loads(const struct fabric_device *device, const struct config *config,
			 struct use *use, struct fabric_error *error)
{
	const bool fcp = is_fcp(device);
	const uint32_t unit = fcp ? SCSI_BLOCK : CKD_4K;
	const uint32_t most = fcp ? VOLUME_SCSI_MAX : VOLUME_RECORDS_MAX * CKD_4K;

	for (size_t i = 0; i < config->loads; i++) {
		const struct load_config *load = &config->load[i];

		if (!drives(load, device))
			continue;
		if (load->bytes % unit || load->bytes > most)
			return build_fail(
				error, load->line,
				"load %s: device %04X has a file, so 'bytes' must be a multiple "
				"of %u, at most %u",
				load->name, device->number, unit, most);
		use->writes |= load->read < 100;
		use->largest = load->bytes > use->largest ? load->bytes : use->largest;
	}
	return 0;
}

/* A '*' stands for the device number; a relative name is beside @beside. */
static int make_path(const struct fabric_device *device, const char *beside, char path[PATH_MAX],
		     struct fabric_error *error)
{
	const char *file = device->config->file, *star = strchr(file, '*');
	const char *slash = *file != '/' && beside ? strrchr(beside, '/') : NULL;
	const int folder = slash ? (int)(slash + 1 - beside) : 0;
	int len;

	if (!star && device->config->count > 1)
		return build_fail(
			error, device->config->line,
			"device %04X: '%.80s' cannot be the file of %u devices: put a '*' "
			"in it for their numbers",
			device->number, file, device->config->count);
	if (star)
		len = snprintf(path, PATH_MAX, "%.*s%.*s%04X%s", folder, beside ? beside : "",
			       (int)(star - file), file, device->number, star + 1);
	else
		len = snprintf(path, PATH_MAX, "%.*s%s", folder, beside ? beside : "", file);
	return len < PATH_MAX ? 0
			      : build_fail(error, device->config->line,
					   "device %04X: the path of its file is too long",
					   device->number);
}

static int fail(struct fabric_error *error, const struct fabric_device *device, const char *path,
		int rc, const char *why)
{
	if (rc == -ENOMEM)
		return rc;
	build_fail(error, device->config->line, "device %04X: %.120s: %s", device->number, path,
		   why            ? why
		   : rc == -EBUSY ? "it is open elsewhere"
				  : strerror(-rc));
	return rc;
}

/* A file without a name that is as large as the volume, in $TMPDIR. */
static int scratch(struct fabric_device *device, struct volume *volume, const char **why)
{
	const char *tmp = getenv("TMPDIR");
	const unsigned int cylinders = device->config->cylinders;
	const uint64_t blocks =
		(uint64_t)cylinders * CKD_HEADS * CKD_4K_PER_TRACK * (CKD_4K / SCSI_BLOCK);
	int rc;

	*why = NULL;
	if (asprintf(&volume->path, "%s/zdev-%ld-%04X", tmp ? tmp : "/tmp", (long)getpid(),
		     device->number) < 0) {
		volume->path = NULL;
		return -ENOMEM;
	}
	if (is_fcp(device)) {
		rc = scsi_disk_open(&volume->disk, volume->path, blocks, false, "SCRATCH");
		if (rc == 0)
			unlink(volume->path);
		return rc;
	}
	rc = ckd_create(volume->path, cylinders);
	if (rc < 0)
		return rc;
	rc = ckd_open(&volume->image, volume->path, false, why);
	unlink(volume->path);
	if (rc < 0)
		return rc;
	volume->image->unshared = true;
	return ckd_4k_format(volume->image, 0, cylinders * CKD_HEADS - 1);
}

static int open_file(struct fabric_device *device, struct volume *volume, const struct use *use,
		     const char *path, const char **why)
{
	char serial[17];
	int rc;

	*why = NULL;
	volume->path = strdup(path);
	if (!volume->path)
		return -ENOMEM;
	if (!is_fcp(device))
		return ckd_open(&volume->image, path, !use->writes, why);
	snprintf(serial, sizeof(serial), "%.12s%04X", device->control_unit->config->serial,
		 device->number);
	rc = scsi_disk_open(&volume->disk, path, 0, !use->writes, serial);
	if (rc == -EINVAL)
		*why = "it is not a regular file of 512-byte blocks";
	return rc;
}

/* The largest I/O has to have a place. */
static int check_room(const struct fabric_device *device, const struct volume *volume,
		      struct fabric_error *error)
{
	const uint64_t bytes = volume->disk ? volume->disk->blocks * SCSI_BLOCK
					    : ckd_4k_records(volume->image) * CKD_4K;

	/* By tracks, an I/O may leave room at the end of its last one. */
	if (bytes >= volume->room + (volume->disk ? 0 : CKD_4K_PER_TRACK * CKD_4K))
		return 0;
	return build_fail(error, device->config->line,
			  "device %04X: its volume has no room for I/Os of %u bytes",
			  device->number, volume->room);
}

static int open_volume(struct fabric *fabric, struct fabric_device *device, const char *beside,
		       struct fabric_error *error)
{
	const bool is_scratch = !strcmp(device->config->file, VOLUME_SCRATCH);
	struct use use = {0};
	struct volume *volume;
	char path[PATH_MAX];
	const char *why;
	int rc;

	for (unsigned int p = 1; p < device->paths; p++)
		if ((device->path[p]->channel->config->type == CHANNEL_FCP) != is_fcp(device))
			return build_fail(error, device->config->line,
					  "device %04X: its file cannot be reached by FICON and by "
					  "FCP",
					  device->number);
	if (is_scratch && device->config->cylinders > VOLUME_SCRATCH_CYLINDERS)
		return build_fail(error, device->config->line,
				  "device %04X: a scratch volume has at most %u cylinders",
				  device->number, VOLUME_SCRATCH_CYLINDERS);
	rc = look_at_loads(device, fabric->config, &use, error);
	if (rc == 0 && !is_scratch)
		rc = make_path(device, beside, path, error);
	if (rc < 0)
		return rc;
	volume = calloc(1, sizeof(*volume));
	if (!volume)
		return -ENOMEM;
	device->volume = volume;
	volume->room = use.largest ? use.largest : CKD_4K;
	rc = is_scratch ? scratch(device, volume, &why)
			: open_file(device, volume, &use, path, &why);
	if (rc < 0)
		return fail(error, device, volume->path ? volume->path : path, rc, why);
	if (volume->image)
		device->cylinders = volume->image->cylinders;
	return check_room(device, volume, error);
}

int volumes_open(struct fabric *fabric, const char *beside, struct fabric_error *error)
{
	for (size_t i = 0; i < fabric->devices; i++) {
		struct fabric_device *device = &fabric->device[i];
		int rc = 0;

		if (device->config->file[0])
			rc = open_volume(fabric, device, beside, error);
		if (rc < 0)
			return rc;
	}
	return 0;
}
