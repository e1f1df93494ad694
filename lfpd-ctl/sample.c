/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c - copies of the installed samples, for the administrator to edit */
#include "lfpd-ctl/sample.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/log.h"
#include "lfp/places.h"
#include "lfpd-ctl/service.h"

#define SAMPLES VSELFPD_DATADIR "/samples/"

/* Returns 0 or a negative errno. */
static int copy_bytes(int from, int to)
{
	char buf[4096];
	ssize_t len, put;

	while ((len = read(from, buf, sizeof(buf))) > 0) {
		for (ssize_t done = 0; done < len; done += put) {
			put = write(to, buf + done, (size_t)(len - done));
			if (put < 0)
				return -errno;
		}
	}
	return len < 0 ? -errno : 0;
}

int sample_copy(const char *sample, const char *place)
{
	int from = open(sample, O_RDONLY | O_CLOEXEC), to, rc;

	if (from < 0)
		return errno == ENOENT ? 0 : -errno;
	rc = lfp_place_make_parent(place);
	if (rc < 0)
		goto close_from;
	/* A link that leads nowhere is a file, too: it is the administrator's. */
	to = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (to < 0) {
		rc = errno == EEXIST ? 0 : -errno;
		goto close_from;
	}
	rc = copy_bytes(from, to);
	if (close(to) && !rc)
		rc = -errno;
	if (rc)
		unlink(place);
	else
		rc = 1;
close_from:
	close(from);
	return rc;
}

/* Returns 0 or an LSB code. */
static int give(const char *name, const char *sample, const char *place)
{
	int rc = sample_copy(sample, place);

	if (rc > 0)
		lfp_msg("VLFD838I", "%s: %s is a copy of %s.", name, place, sample);
	if (rc >= 0)
		return LSB_OK;
	lfp_msg("VLFD839E", "%s: %s cannot be copied to %s: %s.", name, sample, place,
		strerror(-rc));
	return rc == -EACCES || rc == -EPERM || rc == -EROFS ? LSB_NO_PERMISSION : LSB_FAILURE;
}

int sample_give(const char *name)
{
	char sample[LFP_PLACE_MAX], place[LFP_PLACE_MAX];
	int rc;

	snprintf(sample, sizeof(sample), SAMPLES "lfpd-%s.conf", name);
	if (access(sample, F_OK) || lfp_place_conf(place, "available", name) < 0)
		return LSB_OK;
	rc = give(name, sample, place);
	if (rc || lfp_place_vse_conf(place, "01") < 0)
		return rc;
	return give(name, SAMPLES "lfp-01.conf", place);
}
