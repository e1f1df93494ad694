/* SPDX-License-Identifier: Apache-2.0 */
/* enabled.c - enabled instances: the links in confs-enabled */
#include "lfpd-ctl/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/log.h"
#include "lfp/pidfile.h"
#include "lfp/places.h"
#include "lfpd-ctl/dropin.h"
#include "lfpd-ctl/instance.h"
#include "lfpd-ctl/sample.h"
#include "lfpd-ctl/service.h"
#include "lfpd-ctl/systemd.h"

static int fail(const char *name, const char *what, const char *path, int error)
{
	lfp_msg("VLFD830E", "%s: %s cannot be %s: %s.", name, path, what, strerror(error));
	return error == EACCES || error == EPERM || error == EROFS ? LSB_NO_PERMISSION
								   : LSB_FAILURE;
}

/* Sets the paths of both files of the instance. Returns 0 or an LSB code. */
static int find_places(const char *name, char available[static LFP_PLACE_MAX],
		       char enabled[static LFP_PLACE_MAX])
{
	int rc = lfp_place_conf(available, "available", name);

	if (!rc)
		rc = lfp_place_conf(enabled, "enabled", name);
	if (rc < 0) {
		lfp_msg("VLFD820E", "%s: the path of its configuration is invalid: %s.", name,
			strerror(-rc));
		return LSB_FAILURE;
	}
	return LSB_OK;
}

/* A relative link stays valid if the whole directory is moved. */
static int make_link(const char *name, const char *enabled)
{
	char target[64];

	snprintf(target, sizeof(target), "../confs-available/lfpd-%s.conf", name);
	if (symlink(target, enabled))
		return fail(name, "made", enabled, errno);
	return LSB_OK;
}

int enabled_add(const char *name)
{
	char available[LFP_PLACE_MAX], enabled[LFP_PLACE_MAX];
	struct stat st;
	int rc = find_places(name, available, enabled);

	if (!rc)
		rc = sample_give(name);
	if (rc)
		return rc;
	if (lstat(enabled, &st) == 0 && access(enabled, F_OK) == 0) {
		lfp_msg("VLFD831I", "%s is already enabled.", name);
		return instance_by_systemd() ? dropin_fit(name, enabled) : LSB_OK;
	}
	if (access(available, R_OK)) {
		lfp_msg("VLFD822E", "%s is not configured: %s: %s.", name, available,
			strerror(errno));
		return errno == EACCES ? LSB_NO_PERMISSION : LSB_NOT_CONFIGURED;
	}
	rc = service_check(name, available);
	if (rc)
		return rc;
	/* A dangling link is left over from a file that was moved. */
	if (unlink(enabled) && errno != ENOENT)
		return fail(name, "replaced", enabled, errno);
	rc = make_link(name, enabled);
	if (!rc && instance_by_systemd())
		rc = dropin_fit(name, enabled);
	if (!rc && instance_by_systemd())
		rc = systemd_do("enable", name);
	if (!rc)
		lfp_msg("VLFD832I", "%s is enabled.", name);
	return rc;
}

int enabled_remove(const char *name)
{
	char available[LFP_PLACE_MAX], enabled[LFP_PLACE_MAX];
	struct stat st;
	pid_t pid;
	int rc = find_places(name, available, enabled);

	if (rc)
		return rc;
	if (lstat(enabled, &st)) {
		if (errno != ENOENT)
			return fail(name, "looked at", enabled, errno);
		lfp_msg("VLFD833I", "%s is not enabled.", name);
		return LSB_OK;
	}
	if (!S_ISLNK(st.st_mode)) {
		lfp_msg("VLFD834E",
			"%s: %s is a file, not a link, and was not removed. Move it to %s.", name,
			enabled, available);
		return LSB_FAILURE;
	}
	if (instance_by_systemd()) {
		rc = systemd_do("disable", name);
		if (!rc)
			rc = dropin_remove(name);
		if (rc)
			return rc;
	}
	if (unlink(enabled))
		return fail(name, "removed", enabled, errno);
	lfp_msg("VLFD835I", "%s is disabled.", name);
	if (instance_query(name, &pid) == LFP_PIDFILE_HELD)
		lfp_msg("VLFD836W", "%s keeps running until it is stopped, process %ld.", name,
			(long)pid);
	return LSB_OK;
}
