/* SPDX-License-Identifier: Apache-2.0 */
/* replace.c - a file is replaced as a whole */
#include "vsejob/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/places.h"

int replace_file(const char *path, void (*put)(FILE *out, const void *data), const void *data)
{
	char fresh[LFP_PLACE_MAX + 8];
	int fd, rc = lfp_place_make_parent(path);
	FILE *out;

	if (rc < 0)
		return rc;
	if (snprintf(fresh, sizeof(fresh), "%s.XXXXXX", path) >= (int)sizeof(fresh))
		return -ENAMETOOLONG;
	fd = mkostemp(fresh, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	out = fdopen(fd, "w");
	if (!out) {
		rc = -errno;
		close(fd);
		unlink(fresh);
		return rc;
	}
	put(out, data);
	if (fflush(out) || fchmod(fd, 0644))
		rc = -errno;
	if (fclose(out) && !rc)
		rc = -errno;
	if (!rc && rename(fresh, path) < 0)
		rc = -errno;
	if (rc)
		unlink(fresh);
	return rc;
}
