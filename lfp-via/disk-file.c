/* SPDX-License-Identifier: Apache-2.0 */
/* disk-file.c - writes and shows a configuration disk */
#include "lfp-via/disk-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/exit.h"
#include "lfp/log.h"
#include "via/disk.h"
#include "via/settings.h"

/* Everything of one run, released at its end. */
struct work {
	struct via_files files;
	uint8_t *archive, *disk;
	size_t archive_len, disk_len, half;
	int fd;
};

static int cannot(const char *what, const char *path, int rc)
{
	lfp_msg("VLFD563E", "%s cannot be %s: %s.", path, what, strerror(rc));
	return LFP_EXIT_FAILURE;
}

static void finish(struct work *work)
{
	for (size_t i = 0; i < work->files.nr; i++)
		free((void *)(uintptr_t)work->files.of[i].data);
	free(work->archive);
	free(work->disk);
	if (work->fd >= 0)
		close(work->fd);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct via_file *)a)->name, ((const struct via_file *)b)->name);
}

static int read_file(int dir, const char *name, struct via_file *file)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC), rc = 0;
	struct stat st;
	uint8_t *data;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		rc = -errno;
	else if (!S_ISREG(st.st_mode))
		rc = -EINVAL;
	else if (st.st_size > VIA_ARCHIVE_MAX)
		rc = -EFBIG;
	data = rc ? NULL : malloc((size_t)st.st_size + 1);
	if (!rc && !data)
		rc = -ENOMEM;
	if (!rc && read(fd, data, (size_t)st.st_size) != st.st_size)
		rc = -EIO;
	close(fd);
	if (rc) {
		free(data);
		return rc;
	}
	memcpy(file->name, name, strlen(name) + 1);
	file->data = data;
	file->size = (size_t)st.st_size;
	return 0;
}

static int read_files(struct work *work, const char *path)
{
	DIR *list = opendir(path);
	const struct dirent *entry;
	int code = LFP_EXIT_OK;

	if (!list)
		return cannot("read", path, errno);
	while (!code && (entry = readdir(list))) {
		int rc;

		if (*entry->d_name == '.')
			continue;
		if (work->files.nr == VIA_FILES_MAX)
			rc = -E2BIG;
		else if (via_name_check(entry->d_name))
			rc = -EILSEQ;
		else
			rc = read_file(dirfd(list), entry->d_name, &work->files.of[work->files.nr]);
		if (!rc)
			work->files.nr++;
		else if (rc == -EILSEQ)
			code = LFP_EXIT_CONFIG;
		else
			code = cannot("put on the disk", entry->d_name, -rc);
		if (rc == -EILSEQ)
			lfp_msg("VLFD564E",
				"%s has a name that no file of a configuration may have: up to %d "
				"letters, digits and $#@_+-.",
				entry->d_name, VIA_NAME_MAX - 1);
	}
	closedir(list);
	qsort(work->files.of, work->files.nr, sizeof(work->files.of[0]), by_name);
	return code;
}

static int check_files(const struct work *work, const char *dir)
{
	const struct via_file *file = via_files_find(&work->files, VIA_SETTINGS_FILE);
	struct via_settings settings;
	struct lfp_reader_errors errs;

	if (!file) {
		lfp_msg("VLFD565E", "There is no %s in %s.", VIA_SETTINGS_FILE, dir);
		return LFP_EXIT_CONFIG;
	}
	if (!via_settings_read(file, &settings, &errs)) {
		if (!settings.nr_controllers)
			lfp_msg("VLFD566W", "%s has no CONTROLLER: nobody may give commands.",
				VIA_SETTINGS_FILE);
		return LFP_EXIT_OK;
	}
	for (size_t i = 0; i < lfp_reader_errors_listed(&errs); i++)
		lfp_msg("VLFD521E", "%s.", errs.list[i].text);
	return LFP_EXIT_CONFIG;
}

static int make_archive(struct work *work)
{
	FILE *out = open_memstream((char **)&work->archive, &work->archive_len);
	int rc = out ? via_archive_write(&work->files, out) : -ENOMEM;

	if (out && fclose(out))
		rc = -ENOMEM;
	return rc;
}

/* The size of a block device, or of a file, which is made first. */
static int open_disk(struct work *work, const char *path, bool writes)
{
	struct stat st;
	uint64_t size;

	work->fd = open(path, (writes ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0640);
	if (work->fd < 0 || fstat(work->fd, &st))
		return -errno;
	size = (uint64_t)st.st_size;
	if (S_ISBLK(st.st_mode) && ioctl(work->fd, BLKGETSIZE64, &size))
		return -errno;
	if (S_ISREG(st.st_mode) && !size && writes) {
		size = VIA_DISK_DEFAULT;
		if (ftruncate(work->fd, (off_t)size))
			return -errno;
	}
	if (size < VIA_DISK_MIN)
		return -ENOSPC;
	work->disk_len = (size_t)(size < VIA_DISK_MAX ? size : VIA_DISK_MAX);
	work->half = via_disk_half(size);
	work->disk = malloc(work->disk_len);
	if (!work->disk)
		return -ENOMEM;
	return pread(work->fd, work->disk, work->disk_len, 0) == (ssize_t)work->disk_len ? 0 : -EIO;
}

static int put(int fd, const void *data, size_t len, size_t at)
{
	if (pwrite(fd, data, len, (off_t)at) != (ssize_t)len)
		return errno ? -errno : -ENOSPC;
	return fsync(fd) ? -errno : 0;
}

/* Whether a disk without a configuration is empty where one is written. Another disk, given by
 * mistake, is not: it has a table of partitions, or a file system. */
static bool is_free(const struct work *work)
{
	for (size_t i = 0; i < VIA_DISK_HEAD + work->archive_len; i++)
		if (work->disk[i])
			return false;
	return true;
}

/* First the old head goes, then the archive comes, then its head. */
static int put_archive(const struct work *work, uint64_t *generation)
{
	uint8_t head[VIA_DISK_HEAD] = {0};
	struct via_disk disk;
	size_t at;
	int rc;

	if (work->archive_len > work->half - VIA_DISK_HEAD)
		return -ENOSPC;
	via_disk_read(work->disk, work->disk_len, &disk);
	if (disk.places[0].half == VIA_HALF_EMPTY && disk.places[1].half == VIA_HALF_EMPTY &&
	    !is_free(work))
		return -EEXIST;
	*generation = disk.chosen < 0 ? 1 : disk.places[disk.chosen].generation + 1;
	at = disk.chosen == 0 ? work->half : 0;
	rc = put(work->fd, head, sizeof(head), at);
	if (!rc)
		rc = put(work->fd, work->archive, work->archive_len, at + VIA_DISK_HEAD);
	via_disk_head(head, *generation, work->archive, work->archive_len);
	return rc ? rc : put(work->fd, head, sizeof(head), at);
}

int disk_check(const char *dir)
{
	struct work work = {.fd = -1};
	int code = read_files(&work, dir);

	if (!code)
		code = check_files(&work, dir);
	finish(&work);
	return code;
}

int disk_write(const char *dir, const char *path)
{
	struct work work = {.fd = -1};
	uint64_t generation = 0;
	int code = read_files(&work, dir), rc = 0;

	if (!code)
		code = check_files(&work, dir);
	if (!code)
		rc = make_archive(&work);
	if (!code && !rc)
		rc = open_disk(&work, path, true);
	if (!code && !rc)
		rc = put_archive(&work, &generation);
	if (rc == -EEXIST) {
		lfp_msg("VLFD567E",
			"%s has other data than a configuration, and is not written. Wipe it first.",
			path);
		code = LFP_EXIT_FAILURE;
	} else if (rc) {
		code = cannot("written", path, -rc);
	} else if (!code) {
		printf("%s: generation %llu, %zu files, %zu of %zu bytes\n", path,
		       (unsigned long long)generation, work.files.nr, work.archive_len,
		       work.half - VIA_DISK_HEAD);
	}
	finish(&work);
	return code;
}

static void show_files(const struct via_place *place)
{
	struct via_files *files = calloc(1, sizeof(*files));
	char why[VIA_WHY];

	if (files && via_archive_read(place->archive, place->size, files, why))
		printf("  cannot be read: %s\n", why);
	for (size_t i = 0; files && i < files->nr; i++)
		printf("  %8zu %s\n", files->of[i].size, files->of[i].name);
	free(files);
}

int disk_show(const char *path)
{
	static const char *const texts[] = {"empty", "damaged", "whole"};
	struct work work = {.fd = -1};
	struct via_disk disk;
	int rc = open_disk(&work, path, false), code;

	if (rc) {
		code = cannot("read", path, -rc);
		finish(&work);
		return code;
	}
	via_disk_read(work.disk, work.disk_len, &disk);
	for (int i = 0; i < 2; i++) {
		const struct via_place *place = &disk.places[i];

		printf("half %d: %s", i + 1, texts[place->half]);
		if (place->half == VIA_HALF_WHOLE)
			printf(", generation %llu%s", (unsigned long long)place->generation,
			       disk.chosen == i ? ", the one that counts" : "");
		putchar('\n');
		if (disk.chosen == i)
			show_files(place);
	}
	finish(&work);
	return disk.chosen < 0 ? LFP_EXIT_CONFIG : LFP_EXIT_OK;
}
