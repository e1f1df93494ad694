/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c - a UNIX socket that listens at a path */
#include "lfp/endpoint.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/places.h"

int lfp_listen(const char *path, int type, mode_t mode, int backlog)
{
	struct sockaddr_un addr;
	int fd, rc = lfp_unix_addr(&addr, path);

	if (rc)
		return rc;
	fd = socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	/* connect() fails until listen() (net/unix/af_unix.c, unix_stream_connect()), so the file's
	 * mode before chmod() does no harm. */
	if ((unlink(path) && errno != ENOENT) ||
	    bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) || chmod(path, mode) ||
	    listen(fd, backlog)) {
		rc = -errno;
		close(fd);
		return rc;
	}
	return fd;
}
