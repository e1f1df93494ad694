/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - the files of an instance's configuration, in memory */
#include "via/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "via/boot.h"

/* Where there is one user, all is its own. */
static int give(int fd, uid_t user, gid_t group)
{
	return via_has_users() ? fchown(fd, user, group) : 0;
}

static int write_file(int dir, const struct via_file *file, uid_t user)
{
	char name[VIA_NAME_MAX + 4];
	int fd, rc = 0;

	snprintf(name, sizeof(name), ".%s", file->name); /* no file of an archive is named so */
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0640);
	if (fd < 0)
		return -errno;
	if (write(fd, file->data, file->size) != (ssize_t)file->size)
		rc = errno ? -errno : -ENOSPC;
	else if (give(fd, 0, user) || renameat(dir, name, dir, file->name))
		rc = -errno;
	close(fd);
	return rc;
}

/* Removes all files but those of the list; NULL: all. */
static void remove_others(int dir, const struct via_files *files)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *entry;

	while (list && (entry = readdir(list)))
		if (!files || !via_files_find(files, entry->d_name))
			(void)unlinkat(dir, entry->d_name, 0);
	if (list)
		closedir(list);
	else if (copy >= 0)
		close(copy);
}

static int open_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int place_write(const char *dir, const struct via_files *files, uid_t user)
{
	int fd, rc = mkdir(dir, 0750) && errno != EEXIST ? -errno : 0;

	fd = rc ? rc : open_dir(dir);
	if (fd < 0)
		return fd;
	if (give(fd, 0, user))
		rc = -errno;
	for (size_t i = 0; i < files->nr && !rc; i++)
		rc = write_file(fd, &files->of[i], user);
	if (!rc)
		remove_others(fd, files);
	close(fd);
	return rc;
}

void place_remove(const char *dir)
{
	int fd = open_dir(dir);

	if (fd < 0)
		return;
	remove_others(fd, NULL);
	close(fd);
	(void)rmdir(dir);
}

int place_make(const char *parent, const char *name, uid_t user)
{
	char path[128];
	int fd, rc;

	if (mkdir(parent, 0755) && errno != EEXIST)
		return -1;
	snprintf(path, sizeof(path), "%s/%s", parent, name);
	if (mkdir(path, 0755) && errno != EEXIST)
		return -1;
	fd = open_dir(path);
	if (fd < 0) {
		errno = -fd;
		return -1;
	}
	rc = give(fd, user, user);
	close(fd);
	return rc;
}
