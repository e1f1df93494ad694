/* SPDX-License-Identifier: Apache-2.0 */
/* serve-socket.c - socket, bind, listen, shutdown, connect, accept */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lfp-run/guard.h"
#include "lfp-run/handlers.h"
#include "lfp-run/near-call.h"
#include "lfp-run/target.h"
#include "lfp-run/unix-door.h"
#include "libvsesock/core/near.h"
#include "libvsesock/core/raw.h"

long serve_socket(struct trap *trap)
{
	int family = (int)trap->arg[0], type = (int)trap->arg[1], protocol = (int)trap->arg[2];
	int fd, rc;
	char nn[3];

	/* From socketcall() only: the filter does not stop socket() for other families. */
	if (family != AF_INET && family != AF_INET6)
		return serve_other_socket(trap);
	rc = target_check(trap);
	if (rc == -ESRCH)
		return rc;
	/* The supervisor could not serve later calls on the socket. */
	if (rc < 0) {
		serve_refuse(family == AF_INET ? "socket(AF_INET)" : "socket(AF_INET6)",
			     "the supervisor of lfp-run may not read the process");
		return -EAFNOSUPPORT;
	}
	fd = socket(family, type | SOCK_CLOEXEC, protocol);
	if (fd < 0)
		return -errno;
	/* The instance has just made this near end. */
	if (near_end(fd, nn))
		ours_note(fd);
	return trap_give(trap, fd, type & SOCK_CLOEXEC);
}

/* Returns true if program and supervisor are in the same namespace of this kind, such as "net". */
static bool shares_namespace(const struct trap *trap, const char *kind)
{
	struct stat ours, its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/ns/%s", kind);
	if (stat(path, &ours) < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%ld/ns/%s", (long)trap->tid, kind);
	return stat(path, &its) == 0 && trap_is_valid(trap) && its.st_dev == ours.st_dev &&
	       its.st_ino == ours.st_ino;
}

/* The kernel checks no rights when it makes a socket of these families; it checks those of the
 * caller later. */
static bool needs_no_rights(int family)
{
	return family == AF_UNIX || family == AF_NETLINK;
}

long serve_other_socket(struct trap *trap)
{
	int family = (int)trap->arg[0], type = (int)trap->arg[1], protocol = (int)trap->arg[2];
	char call[32];
	int fd;

	if (!shares_namespace(trap, "net") ||
	    (!needs_no_rights(family) &&
	     (!shares_namespace(trap, "user") || !target_has_our_rights(trap)))) {
		snprintf(call, sizeof(call), "socketcall(socket, %d)", family);
		serve_refuse(call, "the supervisor of lfp-run has other rights or another network "
				   "namespace than the program");
		return -EAFNOSUPPORT;
	}
	fd = raw_socket(family, type | SOCK_CLOEXEC, protocol);
	return fd < 0 ? fd : trap_give(trap, fd, type & SOCK_CLOEXEC);
}

long serve_bind(struct trap *trap)
{
	long fd = serve_take_near(trap), rc;
	struct sockaddr_storage addr;

	if (fd == TRAP_CONTINUE && unix_door_is_shut())
		return unix_door_bind(trap);
	if (fd < 0)
		return fd;
	rc = target_read_addr(trap, &addr, trap->arg[1], (int)trap->arg[2]);
	if (!rc && bind((int)fd, (struct sockaddr *)&addr, (socklen_t)trap->arg[2]) < 0)
		rc = -errno;
	close((int)fd);
	return rc;
}

static uint64_t inode(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 ? 0 : st.st_ino;
}

/* Makes a call on the near end. A socket that connects again, or no longer listens, may get another
 * near end by that: gives that to the program, too. */
static long on_near(struct trap *trap, long (*call)(struct trap *trap, int fd))
{
	long fd = serve_take_near(trap), rc;
	uint64_t before;

	if (fd < 0)
		return fd;
	before = inode((int)fd);
	rc = call(trap, (int)fd);
	if (inode((int)fd) != before)
		target_replace(trap, before, (int)fd);
	close((int)fd);
	return rc;
}

static long listen_near(struct trap *trap, int fd)
{
	(void)guard_ensure();
	return listen(fd, (int)trap->arg[1]) < 0 ? -errno : 0;
}

long serve_listen(struct trap *trap)
{
	return on_near(trap, listen_near);
}

static long shutdown_near(struct trap *trap, int fd)
{
	return shutdown(fd, (int)trap->arg[1]) < 0 ? -errno : 0;
}

long serve_shutdown(struct trap *trap)
{
	return on_near(trap, shutdown_near);
}

static long connect_near(struct trap *trap, int fd)
{
	socklen_t addrlen = (socklen_t)trap->arg[2];
	struct sockaddr_storage addr;
	long rc;

	(void)guard_ensure();
	rc = target_read_addr(trap, &addr, trap->arg[1], (int)trap->arg[2]);
	return rc < 0 ? rc : serve_connect_to(trap, fd, (struct sockaddr *)&addr, addrlen);
}

long serve_connect(struct trap *trap)
{
	long rc = on_near(trap, connect_near);

	return rc == TRAP_CONTINUE && unix_door_is_shut() ? unix_door_connect(trap) : rc;
}

/* Returns the supervisor's new descriptor, or the answer to the call. */
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
