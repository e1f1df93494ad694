/* SPDX-License-Identifier: Apache-2.0 */
/* isolation-places.c - run-time directories for the user that lfpd becomes */
#include "lfpd/policy/isolation.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/places.h"

/* Gives away the files of a directory that only root could write; follows no links. */
static int give_entries(DIR *dir, uid_t uid, gid_t gid)
{
	const struct dirent *entry;

	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    fchownat(dirfd(dir), entry->d_name, uid, gid, AT_SYMLINK_NOFOLLOW))
			return -errno;
	return 0;
}

static int give(const char *path, uid_t uid, gid_t gid)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = 0;
	struct stat st;
	DIR *dir;

	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir || fstat(fd, &st)) {
		rc = -errno;
		if (fd >= 0 && !dir)
			close(fd);
	} else if (st.st_uid == 0 && uid) {
		rc = give_entries(dir, uid, gid);
	}
	/* A group other than root's is the operator's choice and stays. */
	if (!rc && fchown(fd, uid, st.st_gid ? (gid_t)-1 : gid))
		rc = -errno;
	if (dir)
		closedir(dir);
	return rc;
}

/* The directory of a run-time file. */
static int give_parent(char path[static LFP_PLACE_MAX], uid_t uid, gid_t gid)
{
	int rc = lfp_place_make_parent(path);
	char *slash = strrchr(path, '/');

	if (rc || !slash)
		return rc;
	*slash = '\0';
	return give(path, uid, gid);
}

int isolation_give_places(const struct lfpd_config *config, uid_t uid, gid_t gid)
{
	char path[LFP_PLACE_MAX];
	const char *nn = lfpd_config_hosted(config);
	int rc = lfp_place_lfpd(path, config->iucv_src_appname, "pid");

	if (!rc)
		rc = give_parent(path, uid, gid);
	if (rc || !nn)
		return rc;
	rc = lfp_place_vse(path, nn, "pid");
	return rc ? rc : give_parent(path, uid, gid);
}
