/* SPDX-License-Identifier: Apache-2.0 */
/* partition-dir.c - the directory of a partition, which is removed when nobody holds its lock */
#include "lfp-run/partition-inner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX      "P."
#define NAME_DIGITS 6 /* after PREFIX */

int partition_fail(char why[static PATH_MAX], const char *what, const char *name, int error)
{
	snprintf(why, PATH_MAX, "%s %s: %s", what, name, lfp_place_strerror(error));
	return -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path) && errno != ENOENT ? -1 : 0;
}

void partition_remove(const char *dir)
{
	(void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Takes the lock of a directory. Returns the descriptor, or a negative errno. */
static int lock_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), rc;

	if (fd < 0)
		return -errno;
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

/* Removes the directories whose lock nobody holds. The caller holds the lock of @stacks. */
static void sweep(const char *stacks)
{
	char path[LFP_PLACE_MAX + 300];
	const struct dirent *entry;
	DIR *dir = opendir(stacks);
	int fd;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", stacks, entry->d_name);
		fd = lock_dir(path);
		if (fd < 0)
			continue;
		partition_remove(path);
		close(fd);
	}
	closedir(dir);
}

/* Makes the directory of all partitions of this user, 0700, and takes its lock. Returns the
 * descriptor, or a negative errno. */
static int open_stacks(char stacks[static LFP_PLACE_MAX])
{
	char run[LFP_PLACE_MAX];
	struct stat st;
	int rc = lfp_place_run_dir(run), fd;

	if (rc < 0)
		return rc;
	if (snprintf(stacks, LFP_PLACE_MAX, "%s/vselfp/stacks-%u", run, (unsigned int)geteuid()) >=
	    LFP_PLACE_MAX)
		return -ENAMETOOLONG;
	rc = lfp_place_make_parent(stacks);
	if (rc < 0)
		return rc;
	if (mkdir(stacks, 0700) && errno != EEXIST)
		return -errno;
	fd = open(stacks, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_uid != geteuid() || (st.st_mode & 077))
		rc = -EPERM;
	else if (flock(fd, LOCK_EX))
		rc = -errno;
	if (rc < 0) {
		close(fd);
		return rc;
	}
	return fd;
}

int partition_choose(struct partition *part, char why[static PATH_MAX])
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
	char stacks[LFP_PLACE_MAX] = "", name[NAME_DIGITS + 1] = "";
	int fd = open_stacks(stacks);

	if (fd < 0)
		return partition_fail(why, "cannot use the directory", stacks, fd);
	sweep(stacks);
	close(fd);
	if (getrandom(name, NAME_DIGITS, 0) != NAME_DIGITS)
		return partition_fail(why, "cannot get random numbers for", "a name", -errno);
	for (unsigned int i = 0; i < NAME_DIGITS; i++)
		name[i] = digits[(unsigned char)name[i] % (sizeof(digits) - 1)];
	if (snprintf(part->dir, sizeof(part->dir), "%s/" PREFIX "%s", stacks, name) >=
	    (int)sizeof(part->dir))
		return partition_fail(why, "cannot use the directory", stacks, -ENAMETOOLONG);
	return 0;
}

static int make_dir(struct partition *part, char why[static PATH_MAX])
{
	char stacks[LFP_PLACE_MAX] = "";
	int fd = open_stacks(stacks), rc = 0; /* nobody sweeps meanwhile */

	if (fd < 0)
		return partition_fail(why, "cannot use the directory", stacks, fd);
	if (mkdir(part->dir, 0700))
		rc = -errno;
	else
		rc = part->lock = lock_dir(part->dir);
	close(fd);
	return rc < 0 ? partition_fail(why, "cannot make the directory", part->dir, rc) : 0;
}

int partition_make(struct partition *part, char why[static PATH_MAX])
{
	int rc = make_dir(part, why);

	return rc ? rc : partition_fill(part, why);
}
