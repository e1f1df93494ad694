/* SPDX-License-Identifier: Apache-2.0 */
/* unix-door.c - UNIX sockets with a path, closed to programs but for some (--no-unix) */
#include "lfp-run/unix-door.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/netlink.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "lfp-run/near-call.h"
#include "lfp-run/target.h"
#include "lfp/places.h"

#define OPEN_MAX_NR 32u

static struct {
	bool shut;
	unsigned int nr;
	struct allowed {
		char path[PATH_MAX];
		int fd; /* keeps the inode, so that no other socket gets its number */
		struct stat st;
	} of[OPEN_MAX_NR];
} door;

static int allow(const char *path)
{
	struct allowed *one = &door.of[door.nr];
	struct stat st;

	if (door.nr == OPEN_MAX_NR)
		return -E2BIG;
	if (!realpath(path, one->path) || stat(one->path, &st))
		return -errno;
	if (!S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	door.nr++;
	return 0;
}

int unix_door_shut(const char *nn, const struct lfp_texts *open, const char **which)
{
	static char ctl[LFP_PLACE_MAX];
	int rc = lfp_place_vse(ctl, nn, "ctl");

	door.shut = true;
	*which = ctl;
	if (!rc)
		rc = allow(ctl);
	for (size_t i = 0; i < open->nr && !rc; i++) {
		*which = open->of[i].text;
		rc = allow(*which);
	}
	return rc;
}

int unix_door_open(void)
{
	for (unsigned int i = 0; i < door.nr; i++) {
		struct allowed *one = &door.of[i];

		one->fd = open(one->path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
		if (one->fd < 0 || fstat(one->fd, &one->st))
			return -errno;
		if (!S_ISSOCK(one->st.st_mode))
			return -ENOTSOCK;
	}
	return 0;
}

bool unix_door_is_shut(void)
{
	return door.shut;
}

/* Opens what the path leads to, as the supervisor sees it. The answer does not depend on that: the
 * inode has to be an allowed one. */
static int open_path(const struct trap *trap, const char *path)
{
	char cwd[64];
	int dir, fd;

	snprintf(cwd, sizeof(cwd), "/proc/%ld/cwd", (long)trap->tid);
	dir = open(cwd, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = openat(dir, path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	if (dir >= 0)
		close(dir);
	return fd;
}

static bool is_allowed(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	for (unsigned int i = 0; i < door.nr; i++)
		if (st.st_dev == door.of[i].st.st_dev && st.st_ino == door.of[i].st.st_ino)
			return true;
	return false;
}

static long refuse(const char *call)
{
	static atomic_flag told = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&told))
		serve_refuse(call, "--no-unix closes UNIX sockets with a path");
	return -EACCES;
}

/* Returns true for an address with a path. */
static bool has_path(const struct sockaddr_storage *addr, socklen_t len)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)addr;

	return len > offsetof(struct sockaddr_un, sun_path) && un->sun_family == AF_UNIX &&
	       *un->sun_path;
}

/* The supervisor may have more rights than the program. Returns true if they have no part in this
 * call. */
static bool needs_no_rights(struct trap *trap, const struct sockaddr_storage *addr)
{
	const struct sockaddr_nl *nl = (const struct sockaddr_nl *)addr;

	if (addr->ss_family == AF_UNSPEC)
		return true;
	if (addr->ss_family == AF_UNIX)
		return target_has_our_user(trap);
	return (addr->ss_family == AF_NETLINK && !nl->nl_groups) || target_has_our_rights(trap);
}

/* Takes the descriptor and the address. Returns the descriptor, or the answer to the call. */
static int take(struct trap *trap, struct sockaddr_storage *addr)
{
	int fd = target_take(trap, (int)trap->arg[0]), rc;

	if (fd < 0)
		return fd == -EPERM ? -EACCES : fd;
	memset(addr, 0, sizeof(*addr));
	rc = target_read_addr(trap, addr, trap->arg[1], (int)trap->arg[2]);
	if (!rc && !needs_no_rights(trap, addr))
		rc = -EACCES;
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

/* Connects to the socket with this path, if it is allowed. */
static long connect_path(struct trap *trap, int fd, const struct sockaddr_un *asked, socklen_t len)
{
	struct sockaddr_un there = {.sun_family = AF_UNIX};
	char path[sizeof(asked->sun_path) + 1] = "";
	int to;
	long rc;

	memcpy(path, asked->sun_path, len - offsetof(struct sockaddr_un, sun_path));
	to = open_path(trap, path);
	if (to < 0)
		return to == -ENOENT || to == -ENOTDIR ? to : refuse("connect(AF_UNIX)");
	if (is_allowed(to)) {
		snprintf(there.sun_path, sizeof(there.sun_path), "/proc/self/fd/%d", to);
		rc = serve_connect_to(trap, fd, (const struct sockaddr *)&there, sizeof(there));
	} else {
		rc = refuse("connect(AF_UNIX)");
	}
	close(to);
	return rc;
}

long unix_door_connect(struct trap *trap)
{
	socklen_t len = (socklen_t)trap->arg[2];
	struct sockaddr_storage addr;
	int fd = take(trap, &addr);
	long rc;

	if (fd < 0)
		return fd;
	if (has_path(&addr, len) && len <= sizeof(struct sockaddr_un))
		rc = connect_path(trap, fd, (const struct sockaddr_un *)&addr, len);
	else if (has_path(&addr, len))
		rc = -EINVAL;
	else
		rc = serve_connect_to(trap, fd, (const struct sockaddr *)&addr, len);
	close(fd);
	return rc;
}

long unix_door_bind(struct trap *trap)
{
	socklen_t len = (socklen_t)trap->arg[2];
	struct sockaddr_storage addr;
	int fd = take(trap, &addr);
	long rc;

	if (fd < 0)
		return fd;
	if (has_path(&addr, len))
		rc = refuse("bind(AF_UNIX)");
	else
		rc = bind(fd, (const struct sockaddr *)&addr, len) < 0 ? -errno : 0;
	close(fd);
	return rc;
}

long unix_door_send(struct trap *trap)
{
	int domain = 0, type = 0, fd;
	socklen_t len = sizeof(domain);

	/* Without an address there is no path. That stands in registers, and does not change. */
	if (trap->nr == SYS_sendto && !trap->arg[4])
		return TRAP_CONTINUE;
	fd = target_take(trap, (int)trap->arg[0]);
	if (fd < 0)
		return fd == -EPERM ? -EACCES : TRAP_CONTINUE;
	(void)getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len);
	(void)getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len);
	close(fd);
	return domain == AF_UNIX && type == SOCK_DGRAM ? refuse("sendmsg(AF_UNIX)") : TRAP_CONTINUE;
}
