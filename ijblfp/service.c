/* SPDX-License-Identifier: Apache-2.0 */
/* service.c - an LFP instance as a service of systemd, lfp@NN.service */
#include "ijblfp/service.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ijblfp/server.h"
#include "lfp/exit.h"
#include "lfp/log.h"
#include "lfp/pidfile.h"
#include "lfp/places.h"
#include "lfp/unit.h"

#define REASON_MAX 1280

static bool look(const char *nn, char name[static LFP_UNIT_MAX], struct lfp_unit *unit)
{
	lfp_unit_name(name, "lfp", nn);
	return !lfp_unit_look(unit, name);
}

bool service_is_unit(const char *nn)
{
	char name[LFP_UNIT_MAX];
	struct lfp_unit unit;

	return geteuid() == 0 && lfp_unit_manages() && look(nn, name, &unit) && unit.exists;
}

/* Reports an instance that is up, also one that systemd has not started. */
static bool is_up(const char *nn)
{
	char path[LFP_PLACE_MAX];
	pid_t pid = 0;

	if (lfp_place_vse(path, nn, "pid") || lfp_pidfile_query(path, &pid) != LFP_PIDFILE_HELD)
		return false;
	lfp_msg("VLFB011E", "Instance %s is already up, in process %ld.", nn, (long)pid);
	return true;
}

int service_start(const char *nn)
{
	char name[LFP_UNIT_MAX], reason[REASON_MAX];
	struct lfp_unit unit;
	int status;

	if (is_up(nn))
		return SERVER_ALREADY_UP;
	/* systemd counts starts against a limit, and this one comes from a person. */
	if (look(nn, name, &unit) && unit.state == LFP_UNIT_FAILED)
		(void)lfp_unit_do("reset-failed", name);
	status = lfp_unit_do("start", name);
	if (status < 0) {
		lfp_msg("VLFB071E", "Instance %s: cannot run systemctl: %s.", nn,
			strerror(-status));
		return LFP_EXIT_FAILURE;
	}
	if (!look(nn, name, &unit) || (!status && unit.state == LFP_UNIT_RUNNING))
		return status ? LFP_EXIT_FAILURE : LFP_EXIT_OK;
	lfp_unit_reason(&unit, "ijblfpop", reason, sizeof(reason));
	lfp_msg("VLFB072E", "Instance %s was not started by systemd, because %s.", nn, reason);
	if (unit.state == LFP_UNIT_AGAIN)
		lfp_msg("VLFB073W",
			"Instance %s: systemd tries to start it again for some minutes; ijblfpop STOP %s ends that.",
			nn, nn);
	return unit.code && !unit.by_signal && *unit.said ? unit.code : LFP_EXIT_FAILURE;
}

bool service_stop_trying(const char *nn)
{
	char name[LFP_UNIT_MAX];
	struct lfp_unit unit;

	return geteuid() == 0 && lfp_unit_manages() && look(nn, name, &unit) &&
	       (unit.state == LFP_UNIT_AGAIN || unit.state == LFP_UNIT_STARTING) &&
	       !lfp_unit_do("stop", name);
}

/* Gives an entry of a directory to the user, if it is root's. Another name of the same file, which
 * that user may have made, keeps it root's. */
static int give_entry(int dir, const char *name, uid_t uid, gid_t gid)
{
	int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), rc = 0;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	if (fstat(fd, &st))
		rc = -errno;
	else if (!st.st_uid && st.st_nlink == 1 && (S_ISREG(st.st_mode) || S_ISSOCK(st.st_mode)) &&
		 fchownat(fd, "", uid, gid, AT_EMPTY_PATH))
		rc = -errno;
	close(fd);
	return rc;
}

/* Gives a directory of root to the user, and what is in it, @depth levels of directories deep. No
 * directory is no error. Returns 0 or a negative errno. */
static int give(int parent, const char *path, uid_t uid, gid_t gid, int depth)
{
	int fd = openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;

	if (!dir) {
		rc = errno == ENOENT ? 0 : -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while (!rc && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR)
			rc = give_entry(fd, entry->d_name, uid, gid);
		else if (depth && *entry->d_name != '.')
			rc = give(fd, entry->d_name, uid, gid, depth - 1);
	}
	if (!rc && (fstat(fd, &st) || (!st.st_uid && fchown(fd, uid, gid))))
		rc = -errno;
	closedir(dir);
	return rc;
}

/* Writes the directory that is @levels above a file. */
static void cut(char *path, int levels)
{
	while (levels--)
		*strrchr(path, '/') = '\0';
}

int service_claim(const char *nn, const char *user)
{
	const struct passwd *who = getpwnam(user);
	char path[LFP_PLACE_MAX];
	int rc;

	if (!who) {
		lfp_msg("VLFB074E", "Instance %s: there is no user %s.", nn, user);
		return LFP_EXIT_CONFIG;
	}
	if (is_up(nn))
		return SERVER_ALREADY_UP;
	/* Root makes no file here: that user may have made a link of the directory. */
	rc = lfp_place_vse(path, nn, "pid");
	if (!rc) {
		cut(path, 1);
		rc = give(AT_FDCWD, path, who->pw_uid, who->pw_gid, 4); /* private/vselfp/NN/RUN */
	}
	if (!rc)
		rc = lfp_place_vm(path, "X", 1);
	if (!rc) {
		cut(path, 2);
		rc = give(AT_FDCWD, path, who->pw_uid, who->pw_gid, 1);
	}
	if (rc)
		lfp_msg("VLFB075E", "Instance %s: cannot give %s to the user %s: %s.", nn, path,
			user, lfp_place_strerror(rc));
	return rc ? LFP_EXIT_FAILURE : LFP_EXIT_OK;
}
