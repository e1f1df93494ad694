/* SPDX-License-Identifier: Apache-2.0 */
/* fctc-socket.c - the UNIX sockets that two FCTC devices meet on */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "devemu/device/fctc.h"

static int address(const char *path, struct sockaddr_un *addr)
{
	*addr = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(addr->sun_path))
		return -ENAMETOOLONG;
	memcpy(addr->sun_path, path, strlen(path) + 1);
	return 0;
}

static int make_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

/* Removes a socket that an earlier process left. */
static int make_place(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return 0;
	if (!S_ISSOCK(st.st_mode))
		return -EADDRINUSE;
	unlink(path);
	return 0;
}

/* A bound socket that does not listen yet refuses connections. So it has a temporary name until it
 * listens, and then gets its final name. */
int fctc_listen(const char *path)
{
	struct sockaddr_un addr;
	char first[sizeof(addr.sun_path) + 16];
	int fd, rc;

	snprintf(first, sizeof(first), "%s.%d", path, (int)getpid());
	rc = address(first, &addr);
	if (!rc)
		rc = make_place(path);
	if (!rc)
		rc = make_place(first);
	if (rc)
		return rc;
	fd = make_socket();
	if (fd < 0)
		return fd;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		rc = -errno;
		close(fd);
		return rc;
	}
	if (listen(fd, 1) < 0 || rename(first, path) < 0) {
		rc = -errno;
		unlink(first);
		close(fd);
		return rc;
	}
	return fd;
}

int fctc_connect(const char *path)
{
	struct sockaddr_un addr;
	int fd, rc;

	rc = address(path, &addr);
	if (rc)
		return rc;
	fd = make_socket();
	if (fd < 0)
		return fd;
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0) {
		rc = -errno;
		close(fd);
		return rc;
	}
	return fd;
}

int fctc_accept(int fd)
{
	int new = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	return new < 0 ? -errno : new;
}
