/* SPDX-License-Identifier: Apache-2.0 */
/* config.c - the configuration in force: from the disk to the network and the instances */
#include "via/config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/places.h"
#include "via/boot.h"
#include "via/disk.h"
#include "via/instance.h"
#include "via/journal.h"
#include "via/network.h"
#include "via/time-server.h"

struct via_config via_config;

static FILE *answer; /* of the load that is under way; or NULL */

static bool __attribute__((format(printf, 2, 3))) complain(const char *id, const char *fmt, ...)
{
	char text[VIA_JOURNAL_LINE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	via_say(id, "%s", text);
	if (answer)
		fprintf(answer, "%s %s\n", id, text);
	return false;
}

static uint64_t size_of(int fd)
{
	struct stat st;
	uint64_t size = 0;

	if (fstat(fd, &st))
		return 0;
	if (S_ISREG(st.st_mode))
		return (uint64_t)st.st_size;
	return S_ISBLK(st.st_mode) && !ioctl(fd, BLKGETSIZE64, &size) ? size : 0;
}

/* Reads the part of the disk that counts. The kernel's copy of a block device is thrown away first:
 * the other side may have changed it. Returns the bytes, to be freed, or NULL with errno. */
static uint8_t *read_disk(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t size = fd < 0 ? 0 : size_of(fd);
	uint8_t *data = NULL;
	size_t got = 0;
	ssize_t n = 1;

	*len = (size_t)(size < VIA_DISK_MAX ? size : VIA_DISK_MAX);
	if (fd >= 0)
		data = malloc(*len + 1);
	if (data)
		(void)ioctl(fd, BLKFLSBUF, 0);
	while (data && got < *len && n > 0) {
		n = read(fd, data + got, *len - got);
		if (n > 0)
			got += (size_t)n;
	}
	if (data && got < *len) {
		n = errno;
		free(data);
		data = NULL;
		errno = n ? (int)n : EIO;
	}
	if (fd >= 0)
		close(fd);
	return data;
}

static bool has_configuration(const char *path)
{
	struct via_disk disk;
	size_t len;
	uint8_t *data = read_disk(path, &len);

	if (!data)
		return false;
	via_disk_read(data, len, &disk);
	free(data);
	return disk.places[0].half != VIA_HALF_EMPTY || disk.places[1].half != VIA_HALF_EMPTY;
}

const char *via_config_disk(void)
{
	static char path[300];
	const char *given = getenv("VIA_DISK");
	const struct dirent *entry;
	bool found = false;
	DIR *list;

	if (given && *given)
		return given;
	list = opendir("/sys/class/block");
	while (list && !found && (entry = readdir(list))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "/dev/%s", entry->d_name);
		found = has_configuration(path);
	}
	if (list)
		closedir(list);
	return found ? path : NULL;
}

static bool take_settings(const struct via_files *files, uint64_t generation)
{
	const struct via_file *file = via_files_find(files, VIA_SETTINGS_FILE);
	struct via_settings settings;
	struct lfp_reader_errors errs;

	if (!file)
		return complain("VLFD520E", "There is no %s.", VIA_SETTINGS_FILE);
	if (via_settings_read(file, &settings, &errs)) {
		for (size_t i = 0; i < lfp_reader_errors_listed(&errs); i++)
			(void)complain("VLFD521E", "%s.", errs.list[i].text);
		return false;
	}
	via_network_apply(via_config.has_settings ? &via_config.settings : NULL, &settings);
	if (!via_in_container())
		via_time_server_use(settings.time_server);
	via_config.settings = settings;
	via_config.has_settings = true;
	via_config.settings_generation = generation;
	return true;
}

/* The NAME of lfpd-NAME.conf. Returns false if the file is none. */
static bool instance_name(const char *file, char name[static 9])
{
	size_t len = strlen(file);

	if (len < 11 || len > 18 || strncmp(file, "lfpd-", 5) != 0 ||
	    strcmp(file + len - 5, ".conf") != 0)
		return false;
	memcpy(name, file + 5, len - 10);
	name[len - 10] = '\0';
	return !lfp_check_name(name);
}

static bool take_instance(const struct via_files *files, const char *name, uint64_t generation)
{
	struct via_instance *inst = via_instance_make(name);

	if (!inst)
		return complain("VLFD522E", "%s does not serve: there are %d others already.", name,
				VIA_INSTANCES_MAX);
	inst->goes = false;
	if (via_instance_configure(inst, files, generation))
		return true;
	if (answer)
		fprintf(answer, "%s: %s\n", name, inst->reason);
	return false;
}

static bool take_instances(const struct via_files *files, uint64_t generation)
{
	bool good = true;
	char name[9];

	for (size_t i = 0; i < files->nr; i++)
		if (!strncmp(files->of[i].name, "lfpd-", 5) &&
		    !instance_name(files->of[i].name, name))
			good = complain("VLFD523W",
					"%s is not used: it must be named lfpd-NAME.conf.",
					files->of[i].name);
	for (size_t i = 0; i < VIA_INSTANCES_MAX; i++) {
		struct via_instance *inst = &via_instances[i];
		char file[32];

		snprintf(file, sizeof(file), "lfpd-%s.conf", inst->name);
		if (inst->state && !via_files_find(files, file))
			via_instance_stop(inst, true);
	}
	for (size_t i = 0; i < files->nr; i++)
		if (instance_name(files->of[i].name, name))
			good &= take_instance(files, name, generation);
	return good;
}

/* New ones begin; those that the controller has stopped have been there before. */
static void start_new(const bool was_there[VIA_INSTANCES_MAX])
{
	for (size_t i = 0; i < VIA_INSTANCES_MAX; i++)
		if (via_instances[i].state == VIA_STOPPED && !was_there[i])
			(void)via_instance_start(&via_instances[i]);
}

static bool take_place(const struct via_place *place, struct via_files *files)
{
	char why[VIA_WHY];

	if (!via_archive_read(place->archive, place->size, files, why))
		return true;
	return complain("VLFD524E", "Generation %llu of the configuration cannot be read: %s.",
			(unsigned long long)place->generation, why);
}

/* At boot a wrong via.conf has no good one before it but that on the other half of the disk. */
static void take_older_settings(const struct via_place *place)
{
	struct via_files *files = calloc(1, sizeof(*files));

	if (files && place->half == VIA_HALF_WHOLE && take_place(place, files) &&
	    take_settings(files, place->generation))
		(void)complain("VLFD525W", "%s of generation %llu, the last good one, is used.",
			       VIA_SETTINGS_FILE, (unsigned long long)place->generation);
	free(files);
}

static bool put_into_force(const struct via_disk *disk, int which, struct via_files *files)
{
	const struct via_place *place = &disk->places[which];
	bool was_there[VIA_INSTANCES_MAX], good;

	for (size_t i = 0; i < VIA_INSTANCES_MAX; i++)
		was_there[i] = via_instances[i].state && via_instances[i].state != VIA_BAD;
	good = take_settings(files, place->generation);
	if (!good && via_config.has_settings)
		(void)complain("VLFD525W", "%s of generation %llu, the last good one, is used.",
			       VIA_SETTINGS_FILE,
			       (unsigned long long)via_config.settings_generation);
	else if (!good)
		take_older_settings(&disk->places[!which]);
	good &= take_instances(files, place->generation);
	start_new(was_there);
	via_config.generation = place->generation;
	return good;
}

static bool load_disk(const uint8_t *data, size_t len)
{
	struct via_files *files = calloc(1, sizeof(*files));
	struct via_disk disk;
	bool good = true, read;
	int which;

	via_disk_read(data, len, &disk);
	for (int i = 0; i < 2; i++)
		if (disk.places[i].half == VIA_HALF_DAMAGED)
			good = complain("VLFD526W",
					"Half %d of the configuration disk is damaged: the other "
					"one counts.",
					i + 1);
	which = disk.chosen;
	read = files && which >= 0 && take_place(&disk.places[which], files);
	if (!read && files && which >= 0 && disk.places[!which].half == VIA_HALF_WHOLE) {
		which = !which;
		good = false;
		read = take_place(&disk.places[which], files);
	}
	if (read)
		good &= put_into_force(&disk, which, files);
	else
		good = complain("VLFD527E", "The configuration disk has no configuration.");
	free(files);
	return good;
}

bool via_config_load(FILE *out)
{
	const char *path = via_config_disk();
	uint8_t *data;
	size_t len;
	bool good;

	answer = out;
	data = path ? read_disk(path, &len) : NULL;
	if (data)
		good = load_disk(data, len);
	else
		good = complain("VLFD528E", "The configuration disk %s cannot be read: %s.",
				path ? path : "(a block device)",
				path ? strerror(errno) : "there is none");
	free(data);
	answer = NULL;
	return good;
}
