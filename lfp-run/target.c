/* SPDX-License-Identifier: Apache-2.0 */
/* target.c - the program behind a trap: its descriptors, its memory, its signals */
#include "lfp-run/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STATUS_SIZE 8192

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL /* Linux 6.9 */
#endif

/* Reads /proc/TID/status of the thread. Returns false if the thread is gone. */
static bool read_status(pid_t tid, char text[static STATUS_SIZE])
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/status", (long)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, STATUS_SIZE - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static uint64_t status_value(const char *text, const char *key, int base)
{
	const char *line = strstr(text, key);

	return line ? strtoull(line + strlen(key), NULL, base) : 0;
}

/* Returns the line of @text that begins with @key and sets *@len to its length without the newline.
 */
static const char *find_line(const char *text, const char *key, size_t *len)
{
	const char *line = strstr(text, key);

	*len = line ? strcspn(line + 1, "\n") + 1 : 0;
	return line;
}

/* Returns true if the first @nr of user, group, groups and capabilities are the supervisor's. */
static bool has_our(const struct trap *trap, size_t nr)
{
	static const char *const keys[] = {"\nUid:", "\nGid:", "\nGroups:", "\nCapEff:"};
	char ours[STATUS_SIZE], its[STATUS_SIZE];

	if (!read_status(gettid(), ours) || !read_status(trap->tid, its) || !trap_is_valid(trap))
		return false;
	for (size_t i = 0; i < nr; i++) {
		size_t our_len, its_len;
		const char *our_line = find_line(ours, keys[i], &our_len);
		const char *its_line = find_line(its, keys[i], &its_len);

		if (!our_len || our_len != its_len || memcmp(our_line, its_line, our_len) != 0)
			return false;
	}
	return true;
}

bool target_has_our_rights(const struct trap *trap)
{
	return has_our(trap, 4);
}

bool target_has_our_user(const struct trap *trap)
{
	return has_our(trap, 3);
}

static int open_pidfd(pid_t id, unsigned int flags)
{
	int fd = (int)syscall(SYS_pidfd_open, id, flags);

	return fd < 0 ? -errno : fd;
}

/* Returns the process of the thread from /proc; 0 if the thread is gone. */
static pid_t find_process(pid_t tid)
{
	char text[STATUS_SIZE];

	return read_status(tid, text) ? (pid_t)status_value(text, "\nTgid:", 10) : 0;
}

pid_t target_process(struct trap *trap)
{
	pid_t process;

	if (trap->process)
		return trap->process;
	if (target_open(trap) == 0 && trap->process)
		return trap->process;
	process = find_process(trap->tid);
	if (!process || !trap_is_valid(trap))
		return -ESRCH;
	trap->process = process;
	return process;
}

int target_open(struct trap *trap)
{
	pid_t process = 0;
	int rc;

	if (trap->pidfd >= 0)
		return 0;
	/* pidfd_open() accepts only main threads, and says so without a look at /proc. */
	rc = open_pidfd(trap->tid, 0);
	if (rc >= 0)
		process = trap->tid;
	/* Threads may have descriptor tables of their own; newer kernels open a thread's
	 * (PIDFD_THREAD, Linux 6.9). */
	if (rc == -ENOENT || rc == -EINVAL)
		rc = open_pidfd(trap->tid, PIDFD_THREAD);
	if (rc == -EINVAL) {
		process = find_process(trap->tid);
		if (process)
			rc = open_pidfd(process, 0);
	}
	if (rc < 0)
		return rc;
	if (!trap_is_valid(trap)) {
		close(rc);
		return -ESRCH;
	}
	if (process)
		trap->process = process;
	trap->pidfd = rc;
	return 0;
}

void target_close(struct trap *trap)
{
	if (trap->pidfd >= 0)
		close(trap->pidfd);
	trap->pidfd = -1;
}

int target_take(struct trap *trap, int fd)
{
	int rc = target_open(trap);

	if (rc < 0)
		return rc;
	rc = (int)syscall(SYS_pidfd_getfd, trap->pidfd, fd, 0);
	if (rc < 0)
		return -errno;
	/* After another thread's execve() the process descriptor is that of the new program. */
	if (trap_is_valid(trap))
		return rc;
	close(rc);
	return -ESRCH;
}

int target_check(struct trap *trap)
{
	/* pidfd_getfd() checks the right before the descriptor (kernel/pid.c, __pidfd_fget()). */
	int rc = target_take(trap, -1);

	if (rc == -ESRCH)
		return rc;
	return rc == -EBADF ? 0 : -EPERM;
}

/* Counts the descriptors in use below the limit. */
static bool count_room(pid_t tid, rlim_t limit)
{
	char path[64];
	const struct dirent *entry;
	rlim_t used = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%ld/fd", (long)tid);
	dir = opendir(path);
	if (!dir)
		return true;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strtoul(entry->d_name, NULL, 10) < limit)
			used++;
	closedir(dir);
	return used < limit;
}

bool target_has_room(struct trap *trap)
{
	struct rlimit limit;
	int last;

	if (prlimit(trap->tid, RLIMIT_NOFILE, NULL, &limit) < 0 || limit.rlim_cur > INT32_MAX)
		return true;
	if (limit.rlim_cur == 0)
		return false;
	/* The highest number is mostly free; then there is no need to count. */
	last = target_take(trap, (int)limit.rlim_cur - 1);
	if (last < 0)
		return true;
	close(last);
	return count_room(trap->tid, limit.rlim_cur);
}

static bool is_cloexec(pid_t tid, const char *number)
{
	char path[64], text[256];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/fdinfo/%.16s", (long)tid, number);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return status_value(text, "flags:", 8) & O_CLOEXEC;
}

void target_replace(struct trap *trap, uint64_t ino, int fd)
{
	char path[64], want[64], link[64];
	const struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%ld/fd", (long)trap->tid);
	snprintf(want, sizeof(want), "socket:[%llu]", (unsigned long long)ino);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);

		link[n > 0 ? n : 0] = '\0';
		if (strcmp(link, want) == 0)
			trap_replace(trap, fd, (int)strtol(entry->d_name, NULL, 10),
				     is_cloexec(trap->tid, entry->d_name));
	}
	closedir(dir);
}

int target_gather(const struct trap *trap, void *to, const struct iovec *from, size_t count,
		  size_t len)
{
	struct iovec local = {.iov_base = to, .iov_len = len};
	ssize_t n;

	if (!len)
		return 0;
	n = process_vm_readv(trap->tid, &local, 1, from, count, 0);
	if (n < 0 && errno == EPERM)
		return -EPERM;
	/* Another process may have got the thread's id meanwhile. Then these are not the program's
	 * bytes. */
	if (!trap_is_valid(trap))
		return -ESRCH;
	return n == (ssize_t)len ? 0 : -EFAULT;
}

int target_scatter(const struct trap *trap, const struct iovec *to, size_t count, const void *from,
		   size_t len)
{
	struct iovec local = {.iov_base = (void *)(uintptr_t)from, .iov_len = len};
	ssize_t n;

	if (!len)
		return 0;
	if (!trap_is_valid(trap))
		return -ESRCH;
	n = process_vm_writev(trap->tid, &local, 1, to, count, 0);
	return n == (ssize_t)len ? 0 : -EFAULT;
}

int target_read(const struct trap *trap, void *to, uint64_t from, size_t len)
{
	struct iovec remote = {.iov_base = (void *)(uintptr_t)from, .iov_len = len};

	return target_gather(trap, to, &remote, 1, len);
}

int target_write(const struct trap *trap, uint64_t to, const void *from, size_t len)
{
	struct iovec remote = {.iov_base = (void *)(uintptr_t)to, .iov_len = len};

	return target_scatter(trap, &remote, 1, from, len);
}

ssize_t target_read_text(const struct trap *trap, char *to, uint64_t from, size_t room)
{
	const size_t page = 4096;
	size_t have = 0;

	while (have < room) {
		size_t piece = page - (size_t)(from + have) % page;
		const char *end;
		int rc;

		if (piece > room - have)
			piece = room - have;
		rc = target_read(trap, to + have, from + have, piece);
		if (rc < 0)
			return rc;
		end = memchr(to + have, '\0', piece);
		if (end)
			return end - to;
		have += piece;
	}
	return -ENAMETOOLONG;
}

int target_read_addr(const struct trap *trap, struct sockaddr_storage *to, uint64_t from,
		     int64_t len)
{
	memset(to, 0, sizeof(*to));
	if (len < 0 || len > (int64_t)sizeof(*to))
		return -EINVAL;
	return target_read(trap, to, from, (size_t)len);
}

int target_addr_room(const struct trap *trap, uint64_t at_len, int *len)
{
	int rc = target_read(trap, len, at_len, sizeof(*len));

	if (rc < 0)
		return rc;
	return *len < 0 ? -EINVAL : 0;
}

int target_write_addr(const struct trap *trap, uint64_t to, uint64_t at_len, int room,
		      const struct sockaddr_storage *from, socklen_t len)
{
	size_t most = (size_t)room < len ? (size_t)room : len;
	int rc;

	if (most > sizeof(*from))
		most = sizeof(*from);
	rc = target_write(trap, to, from, most);
	return rc < 0 ? rc : target_write(trap, at_len, &len, sizeof(len));
}

enum target_signal target_signal(const struct trap *trap)
{
	char text[STATUS_SIZE];
	uint64_t own, shared, blocked;

	if (!read_status(trap->tid, text))
		return TARGET_NO_SIGNAL;
	own = status_value(text, "\nSigPnd:", 16);
	shared = status_value(text, "\nShdPnd:", 16);
	blocked = status_value(text, "\nSigBlk:", 16);
	if (own & ~blocked)
		return TARGET_SIGNAL;
	if (!(shared & ~blocked))
		return TARGET_NO_SIGNAL;
	/* The kernel prefers the main thread (kernel/signal.c, complete_signal()). */
	if (status_value(text, "\nThreads:", 10) == 1 ||
	    status_value(text, "\nTgid:", 10) == (uint64_t)trap->tid)
		return TARGET_SIGNAL;
	return TARGET_SIGNAL_MAYBE;
}

void target_raise(struct trap *trap, int sig)
{
	pid_t process = target_process(trap);

	if (process > 0 && trap_is_valid(trap))
		syscall(SYS_tgkill, process, trap->tid, sig);
}
