/* SPDX-License-Identifier: Apache-2.0 */
/* peer.c - the process at the other end of a connection of the control channel */
#include "ijblfp/ctl/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux 6.5, which older headers do not have. */
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/* struct pidfd_info of Linux 6.13, a form that every later kernel takes, too */
struct facts_of_pidfd {
	uint64_t mask, cgroup;
	uint32_t pid, tgid, ppid;
	uint32_t ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
	uint32_t more;
};
#define ASK_PIDFD  _IOWR(0xff, 11, struct facts_of_pidfd)
#define PIDFD_USER UINT64_C(2) /* PIDFD_INFO_CREDS */

#define NUMBERS 0x7ffffff0u

static int open_pid(pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

static uint64_t inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

/* Before pidfs (Linux 6.9) all pidfds have one inode number, so that of this process equals that of
 * another process. */
static bool inodes_differ(uint64_t inode)
{
	static uint64_t own;

	if (!own) {
		int fd = open_pid(getpid());

		if (fd < 0)
			return false;
		own = inode_of(fd);
		close(fd);
	}
	return own && inode && inode != own;
}

int peer_pidfd(int fd)
{
	socklen_t len = sizeof(int);
	int pidfd = -1;

	return getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &len) ? -errno : pidfd;
}

/* The same, with the inode number, if this tells processes apart. */
static int open_peer(int fd, uint64_t *inode)
{
	int pidfd = peer_pidfd(fd);

	if (pidfd < 0)
		return pidfd;
	*inode = inode_of(pidfd);
	if (inodes_differ(*inode))
		return pidfd;
	close(pidfd);
	return -ENOTSUP;
}

bool peer_lives(int pidfd)
{
	struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};

	return pidfd >= 0 && poll(&poll_fd, 1, 0) == 0;
}

bool peer_is(int fd, int pidfd)
{
	uint64_t inode;
	int peer = open_peer(fd, &inode);

	if (peer < 0)
		return false;
	close(peer);
	return inode == inode_of(pidfd);
}

int peer_user(int pidfd, uid_t *uid)
{
	struct facts_of_pidfd facts = {.mask = PIDFD_USER};

	if (ioctl(pidfd, ASK_PIDFD, &facts))
		return -errno;
	if (!(facts.mask & PIDFD_USER))
		return -ENODATA;
	*uid = facts.euid;
	return 0;
}

int peer_read(int fd, struct peer *peer)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	uint64_t inode = 0;
	int pidfd;

	*peer = (struct peer){0};
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return -errno;
	peer->pid = cred.pid;
	peer->uid = cred.uid;
	if (cred.pid)
		return 0;
	pidfd = open_peer(fd, &inode);
	/* An older kernel leaves pid 0. */
	if (pidfd == -ENOTSUP || pidfd == -ENOPROTOOPT)
		return 0;
	if (pidfd < 0)
		return pidfd;
	close(pidfd);
	peer->inode = inode;
	peer->pid = -1 - (pid_t)(inode % NUMBERS);
	return 0;
}

int peer_open(int fd, pid_t pid, uint64_t inode)
{
	uint64_t now = 0;
	int pidfd;

	if (pid > 0) {
		pidfd = fd < 0 ? -ENOPROTOOPT : peer_pidfd(fd);
		if (pidfd == -ENOPROTOOPT)
			return open_pid(pid);
		if (pidfd < 0 || peer_lives(pidfd))
			return pidfd;
		close(pidfd);
		return -ESRCH;
	}
	pidfd = open_peer(fd, &now);
	if (pidfd < 0 || now == inode)
		return pidfd;
	close(pidfd);
	return -ESRCH;
}

int peer_open_ids(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

const char *peer_read_open_ids(int fd, char text[static PEER_STATUS_MAX])
{
	ssize_t n = pread(fd, text, PEER_STATUS_MAX - 1, 0);
	const char *line;

	if (n <= 0)
		return NULL;
	text[n] = '\0';
	/* The name of the program is the first line, and the kernel escapes what is in it. */
	line = strstr(text, "\nUid:");
	return line ? line + 1 : NULL;
}

const char *peer_read_ids(pid_t pid, char text[static PEER_STATUS_MAX])
{
	int fd = peer_open_ids(pid);
	const char *line = fd < 0 ? NULL : peer_read_open_ids(fd, text);

	if (fd >= 0)
		close(fd);
	return line;
}
