/* SPDX-License-Identifier: Apache-2.0 */
/* holder.c - find the processes that have near ends, and send a byte through these */
#include "lfp-run/holder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "libvsesock/core/raw.h"

/* FIONREAD does not tell: from Linux 6.17 on it always counts the urgent byte of accept(), even
 * after that was skipped (ijblfp/near/near-facts.c). */
bool holder_has_unread(const struct held_near *near)
{
	int at_urgent = 0;
	char c;

	if (raw_call(SYS_recvfrom, near->far, (long)&c, 1, MSG_PEEK | MSG_DONTWAIT, 0, 0) > 0)
		return true;
	return raw_call(SYS_ioctl, near->far, SIOCATMARK, (long)&at_urgent, 0, 0, 0) == 0 &&
	       at_urgent;
}

static bool is_done(const struct held_near *near)
{
	return near->is_mute || holder_has_unread(near);
}

static bool all_done(const struct held_near *list)
{
	for (; list; list = list->next)
		if (!is_done(list))
			return false;
	return true;
}

/* Returns true if @fd is this near end. */
static bool is_near(const struct held_near *near, int fd)
{
	struct sockaddr_un own, seen;
	socklen_t own_len = sizeof(own), seen_len = sizeof(seen);
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_ino == near->ino &&
	       raw_getsockname(fd, &own, &own_len) == 0 &&
	       raw_getpeername(near->far, &seen, &seen_len) == 0 && own_len == seen_len &&
	       own_len > sizeof(sa_family_t) && memcmp(&own, &seen, own_len) == 0;
}

static void send_byte(struct held_near *near, int fd)
{
	long rc = raw_call(SYS_sendto, fd, (long)"", 1, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);

	/* EAGAIN: the queue is full, which is as good. */
	near->is_mute = rc == -EPIPE;
}

static void try_descriptor(struct held_near *near, int pidfd, int number)
{
	int fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);

	if (fd < 0)
		return;
	if (is_near(near, fd))
		send_byte(near, fd);
	close(fd);
}

/* Returns the inode of a socket from the link of its descriptor; 0 for anything else. */
static uint64_t link_inode(int dir, const char *number)
{
	char link[64];
	ssize_t n = readlinkat(dir, number, link, sizeof(link) - 1);

	if (n <= 8 || memcmp(link, "socket:[", 8) != 0)
		return 0;
	link[n] = '\0';
	return strtoull(link + 8, NULL, 10);
}

/* Searches the descriptors of one process. */
static void search(struct held_near *list, pid_t pid)
{
	const struct dirent *entry;
	char path[64];
	int pidfd = -1;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		uint64_t ino = link_inode(dirfd(dir), entry->d_name);

		for (struct held_near *near = ino ? list : NULL; near; near = near->next) {
			if (near->ino != ino || is_done(near))
				continue;
			if (pidfd < 0)
				pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
			if (pidfd >= 0)
				try_descriptor(near, pidfd, (int)strtol(entry->d_name, NULL, 10));
		}
	}
	if (pidfd >= 0)
		close(pidfd);
	closedir(dir);
}

static void search_all(struct held_near *list)
{
	const struct dirent *entry;
	DIR *dir = opendir("/proc");

	if (!dir)
		return;
	while (!all_done(list) && (entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			search(list, (pid_t)strtol(entry->d_name, NULL, 10));
	closedir(dir);
}

void holder_leave_byte(struct held_near *list)
{
	/* One search of a process finds all of its near ends. */
	for (struct held_near *near = list; near; near = near->next)
		if (near->holder > 0 && !is_done(near))
			search(list, near->holder);
	if (!all_done(list))
		search_all(list);
}
