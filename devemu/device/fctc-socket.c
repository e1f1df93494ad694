/* SPDX-License-Identifier: Apache-2.0 */
/* fctc-socket.c - the UNIX sockets that two FCTC devices meet on */
#include <errno.h>
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

int fctc_listen(const char *path)
{
	struct sockaddr_un addr;
	struct stat st;
	int fd, rc;

	rc = address(path, &addr);
	if (rc)
		return rc;
	fd = make_socket();
	if (fd < 0)
		return fd;
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
		unlink(path);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 || listen(fd, 1) < 0) {
		rc = -errno;
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
