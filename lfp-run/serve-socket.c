/* SPDX-License-Identifier: Apache-2.0 */
/* serve-socket.c - socket, bind, listen, shutdown, connect, accept */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lfp-run/serve.h"
#include "lfp-run/target.h"
#include "lfp-run/wait.h"

long serve_socket(struct trap *trap)
{
	int family = (int)trap->arg[0], type = (int)trap->arg[1], protocol = (int)trap->arg[2];
	int fd, rc = target_check(trap);

	if (rc == -ESRCH)
		return rc;
	/* Its later calls could not be served. */
	if (rc < 0) {
		serve_refuse(family == AF_INET ? "socket(AF_INET)" : "socket(AF_INET6)",
			     "the supervisor of lfp-run may not look into the process");
		return -EAFNOSUPPORT;
	}
	fd = socket(family, type | SOCK_CLOEXEC, protocol);
	if (fd < 0)
		return -errno;
	return trap_give(trap, fd, type & SOCK_CLOEXEC);
}

long serve_bind(struct trap *trap)
{
	long fd = serve_take_near(trap), rc;
	struct sockaddr_storage addr;

	if (fd < 0)
		return fd;
	rc = target_read_addr(trap, &addr, trap->arg[1], (int)trap->arg[2]);
	if (!rc && bind((int)fd, (struct sockaddr *)&addr, (socklen_t)trap->arg[2]) < 0)
		rc = -errno;
	close((int)fd);
	return rc;
}

long serve_listen(struct trap *trap)
{
	long fd = serve_take_near(trap), rc;

	if (fd < 0)
		return fd;
	rc = listen((int)fd, (int)trap->arg[1]) < 0 ? -errno : 0;
	close((int)fd);
	return rc;
}

static uint64_t inode(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 ? 0 : st.st_ino;
}

/* A socket that connects once more, or listens no more, may have got another near end, here: the
 * program is to have it, too. */
static void put_renewed(struct trap *trap, int fd, uint64_t before)
{
	if (inode(fd) != before)
		target_replace(trap, before, fd);
}

long serve_shutdown(struct trap *trap)
{
	long fd = serve_take_near(trap), rc;
	uint64_t before;

	if (fd < 0)
		return fd;
	before = inode((int)fd);
	rc = shutdown((int)fd, (int)trap->arg[1]) < 0 ? -errno : 0;
	put_renewed(trap, (int)fd, before);
	close((int)fd);
	return rc;
}

static long connect_near(struct trap *trap, int fd)
{
	socklen_t addrlen = (socklen_t)trap->arg[2];
	struct sockaddr_storage addr;
	bool waits = serve_may_wait(fd);
	struct wait wait;
	long rc;

	rc = target_read_addr(trap, &addr, trap->arg[1], (int)trap->arg[2]);
	if (rc < 0)
		return rc;
	if (!waits)
		return connect(fd, (struct sockaddr *)&addr, addrlen) < 0 ? -errno : 0;
	rc = serve_wait_begin(&wait, trap);
	if (rc < 0)
		return rc;
	do
		rc = connect(fd, (struct sockaddr *)&addr, addrlen) < 0 ? -errno : 0;
	while (wait_again(&wait, rc));
	return wait_end(&wait, rc, serve_is_limited(fd, SO_SNDTIMEO));
}

long serve_connect(struct trap *trap)
{
	long fd = serve_take_near(trap), rc;
	uint64_t before;

	if (fd < 0)
		return fd;
	before = inode((int)fd);
	rc = connect_near(trap, (int)fd);
	put_renewed(trap, (int)fd, before);
	close((int)fd);
	return rc;
}

/* Returns the new descriptor, for the supervisor, or what is to be answered. */
static long accept_near(struct trap *trap, int fd, struct sockaddr_storage *addr, socklen_t *len,
			int flags)
{
	struct wait wait;
	long rc;

	if (!serve_may_wait(fd)) {
		rc = accept4(fd, (struct sockaddr *)addr, len, flags);
		return rc < 0 ? -errno : rc;
	}
	rc = serve_wait_begin(&wait, trap);
	if (rc < 0)
		return rc;
	do {
		rc = accept4(fd, (struct sockaddr *)addr, len, flags);
		if (rc < 0)
			rc = -errno;
	} while (wait_again(&wait, rc));
	return wait_end(&wait, rc, serve_is_limited(fd, SO_RCVTIMEO));
}

long serve_accept(struct trap *trap)
{
	int flags = trap->nr == SYS_accept4 ? (int)trap->arg[3] : 0;
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	long fd, taken, rc = 0;
	int room = 0;

	fd = serve_take_near(trap);
	if (fd < 0)
		return fd;
	if (flags & ~(SOCK_CLOEXEC | SOCK_NONBLOCK))
		rc = -EINVAL;
	else if (trap->arg[1])
		rc = target_addr_room(trap, trap->arg[2], &room);
	if (!rc && !target_has_room(trap))
		rc = -EMFILE;
	taken = rc ? rc : accept_near(trap, (int)fd, &addr, &len, flags | SOCK_CLOEXEC);
	close((int)fd);
	if (taken < 0)
		return taken;
	if (trap->arg[1])
		rc = target_write_addr(trap, trap->arg[1], trap->arg[2], room, &addr, len);
	if (!rc)
		return trap_give(trap, (int)taken, flags & SOCK_CLOEXEC);
	close((int)taken);
	return rc;
}
