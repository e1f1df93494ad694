/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c - a UNIX socket that listens at a path */
#include "lfp/endpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/places.h"

int lfp_socket_mode(const char *path, mode_t mode)
{
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC), rc = 0;
	struct stat st;
	char link[32];

	if (fd < 0)
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (fstat(fd, &st) || !S_ISSOCK(st.st_mode))
		rc = -ENOTSOCK;
	else if (chmod(link, mode))
		rc = -errno;
	close(fd);
	return rc;
}

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
	    bind(fd, (const struct sockaddr *)&addr, sizeof(addr)))
		rc = -errno;
	if (!rc)
		rc = lfp_socket_mode(path, mode);
	if (!rc && listen(fd, backlog))
		rc = -errno;
	if (!rc)
		return fd;
	close(fd);
	return rc;
}
