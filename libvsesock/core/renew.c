/* SPDX-License-Identifier: Apache-2.0 */
/* renew.c - replaces the near end of a socket that connects again */

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "libvsesock/core/ctl-client.h"
#include "libvsesock/core/near.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/core/watched.h"

/*
 * Theory of operation
 *
 * A TCP socket that has failed to connect can connect again; a UNIX socket that was connected once
 * can't. So the instance makes another near end for the same socket. This file puts it in the place
 * of the old one: dup3() over every descriptor that the process has of it. An epoll set holds the
 * old socket, not its number. So this file reads the set's entries for it from /proc, and adds them
 * again. Other processes that hold the old near end see a connection that is over.
 *
 * All this happens only after a failure, so it may take its time.
 */
#define SAME_MAX  16 /* descriptors of the socket */
#define ENTRY_MAX 16 /* places in epoll sets */
#define FD_DIR    "/proc/self/fd"

struct dirent64 {
	uint64_t ino;
	int64_t off;
	uint16_t reclen;
	uint8_t type;
	char name[];
};

struct entry {
	int set, fd;
	struct epoll_event event;
};

struct job {
	struct stat old;
	int same[SAME_MAX], nr_same;
	struct entry entries[ENTRY_MAX];
	int nr_entries;
	int set; /* the set that is searched */
};

static int open_proc(const char *path)
{
	return (int)raw_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
}

static bool is_same(const struct job *job, uint64_t fd)
{
	for (int i = 0; i < job->nr_same; i++)
		if ((uint64_t)job->same[i] == fd)
			return true;
	return false;
}

static bool take_entry(void *arg, const struct watched *found)
{
	struct job *job = arg;

	if (found->ino == job->old.st_ino && is_same(job, (uint64_t)found->fd))
		job->entries[job->nr_entries++] = (struct entry){
			job->set, found->fd, {.events = found->events, .data.u64 = found->data}};
	return job->nr_entries < ENTRY_MAX;
}

static void look_same(struct job *job, int fd)
{
	struct stat st;

	if (job->nr_same < SAME_MAX &&
	    raw_call(SYS_newfstatat, fd, (long)"", (long)&st, AT_EMPTY_PATH, 0, 0) == 0 &&
	    st.st_dev == job->old.st_dev && st.st_ino == job->old.st_ino)
		job->same[job->nr_same++] = fd;
}

static void look_set(struct job *job, int fd)
{
	if (job->nr_entries == ENTRY_MAX || !watched_is_set(fd))
		return;
	job->set = fd;
	watched_each(fd, take_entry, job);
}

/* Calls @fn for each descriptor of the process. */
static void each_fd(struct job *job, void (*fn)(struct job *job, int fd))
{
	_Alignas(8) char buf[1024];
	int dir = open_proc(FD_DIR);
	long n;

	if (dir < 0)
		return;
	while ((n = raw_call(SYS_getdents64, dir, (long)buf, sizeof(buf), 0, 0, 0)) > 0)
		for (long at = 0; at < n;) {
			const struct dirent64 *entry = (const struct dirent64 *)(buf + at);
			uint64_t fd;

			if (watched_number(entry->name, 10, &fd) > 0 && fd != (uint64_t)dir)
				fn(job, (int)fd);
			at += entry->reclen;
		}
	raw_close(dir);
}

static long control(const struct entry *entry, int op)
{
	struct epoll_event event = entry->event;

	return raw_call(SYS_epoll_ctl, entry->set, op, entry->fd, (long)&event, 0, 0);
}

static void replace(struct job *job, int fresh)
{
	for (int i = 0; i < job->nr_entries; i++)
		control(&job->entries[i], EPOLL_CTL_DEL);
	for (int i = 0; i < job->nr_same; i++) {
		int flags = raw_fcntl(job->same[i], F_GETFD, 0);

		raw_dup3(fresh, job->same[i], flags > 0 && (flags & FD_CLOEXEC) ? O_CLOEXEC : 0);
	}
	for (int i = 0; i < job->nr_entries; i++)
		control(&job->entries[i], EPOLL_CTL_ADD);
}

/* Copies O_NONBLOCK and the receiver of SIGIO. */
static void copy_flags(int from, int to)
{
	struct f_owner_ex owner;
	int sig = raw_fcntl(from, F_GETSIG, 0);

	if (raw_fcntl(from, F_GETOWN_EX, (long)&owner) == 0 && owner.pid)
		raw_fcntl(to, F_SETOWN_EX, (long)&owner);
	if (sig > 0)
		raw_fcntl(to, F_SETSIG, sig);
	raw_fcntl(to, F_SETFL, raw_fcntl(from, F_GETFL, 0));
}

int renew(int fd, const char *nn)
{
	struct ctl_call call = {.nn = nn, .op = LFP_CTL_RENEW, .fd = fd};
	struct job job = {.nr_same = 0};
	int fresh;

	if (raw_call(SYS_newfstatat, fd, (long)"", (long)&job.old, AT_EMPTY_PATH, 0, 0) < 0)
		return -EBADF;
	fresh = ctl_take(&call, O_CLOEXEC);
	if (fresh < 0)
		return fresh;
	copy_flags(fd, fresh);
	inherit_options(fd, fresh);
	each_fd(&job, look_same);
	if (!is_same(&job, (uint64_t)fd)) /* without /proc */
		job.same[job.nr_same++] = fd;
	each_fd(&job, look_set);
	replace(&job, fresh);
	raw_close(fresh);
	return 0;
}
