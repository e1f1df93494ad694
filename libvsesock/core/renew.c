/* SPDX-License-Identifier: Apache-2.0 */
/* renew.c - another near end for a socket that is to connect again */
#include "libvsesock/core/renew.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "libvsesock/core/ctl.h"
#include "libvsesock/core/inherit.h"
#include "libvsesock/core/raw.h"

/*
 * Theory of operation
 *
 * A TCP socket that has failed to connect can connect again; a UNIX socket that was connected once
 * can't. So the instance makes another near end for the same socket, and here it takes the place of
 * the old one: dup3() over every descriptor that the process has of it. An epoll set holds the
 * old socket and not its number, so what it has of it is read from /proc and put in again. Other
 * processes that hold the old near end see a connection that is over.
 *
 * All this happens only after a failure, so it may take its time.
 */
#define SAME_MAX  16 /* descriptors of the socket */
#define ENTRY_MAX 16 /* places in epoll sets */
#define FD_DIR    "/proc/self/fd"
#define INFO_DIR  "/proc/self/fdinfo/"

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
};

static int open_proc(const char *path)
{
	return (int)raw_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
}

static int to_number(const char *text, unsigned int base, uint64_t *value)
{
	int len = 0;

	for (*value = 0;; len++) {
		unsigned int c = (unsigned char)text[len];
		unsigned int digit = c >= '0' && c <= '9'   ? c - '0'
				     : c >= 'a' && c <= 'f' ? c - 'a' + 10
							    : 16;

		if (digit >= base)
			return len;
		*value = *value * base + digit;
	}
}

/* The number behind @label and blanks. */
static bool find_number(const char *line, const char *label, unsigned int base, uint64_t *value)
{
	const char *at = strstr(line, label);

	if (!at)
		return false;
	for (at += strlen(label); *at == ' ';)
		at++;
	return to_number(at, base, value) > 0;
}

static bool is_same(const struct job *job, uint64_t fd)
{
	for (int i = 0; i < job->nr_same; i++)
		if ((uint64_t)job->same[i] == fd)
			return true;
	return false;
}

/* A line of an epoll set's fdinfo: "tfd: 5 events: 19 data: 5 pos:0 ino:2e sdev:d". */
static void take_entry(struct job *job, int set, const char *line)
{
	uint64_t fd, events, data, ino;

	if (job->nr_entries == ENTRY_MAX || !find_number(line, "tfd:", 10, &fd) ||
	    !find_number(line, "events:", 16, &events) || !find_number(line, "data:", 16, &data) ||
	    !find_number(line, "ino:", 16, &ino) || ino != job->old.st_ino || !is_same(job, fd))
		return;
	job->entries[job->nr_entries++] =
		(struct entry){set, (int)fd, {.events = (uint32_t)events, .data.u64 = data}};
}

/* Sets that hold so much that it does not fit are read in pieces, cut at the ends of lines. */
static void read_set(struct job *job, int set, const char *name)
{
	char path[sizeof(INFO_DIR) + 16] = INFO_DIR, buf[1024];
	size_t kept = 0;
	ssize_t n;
	int fd;

	strncat(path, name, 15);
	fd = open_proc(path);
	if (fd < 0)
		return;
	while ((n = raw_call(SYS_read, fd, (long)(buf + kept), (long)(sizeof(buf) - 1 - kept), 0, 0,
			     0)) > 0) {
		char *line = buf, *end;

		kept += (size_t)n;
		buf[kept] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			take_entry(job, set, line);
		}
		kept = (size_t)(buf + kept - line);
		if (kept == sizeof(buf) - 1)
			kept = 0;
		memmove(buf, line, kept);
	}
	raw_close(fd);
}

static bool is_set(const char *name)
{
	static const char set[] = "anon_inode:[eventpoll]";
	char path[sizeof(FD_DIR) + 16] = FD_DIR "/", link[sizeof(set)];
	long n;

	strncat(path, name, 15);
	n = raw_call(SYS_readlinkat, AT_FDCWD, (long)path, (long)link, sizeof(link), 0, 0);
	return n == (long)sizeof(set) - 1 && memcmp(link, set, sizeof(set) - 1) == 0;
}

static void look_same(struct job *job, int fd, const char *name)
{
	struct stat st;

	(void)name;
	if (job->nr_same < SAME_MAX &&
	    raw_call(SYS_newfstatat, fd, (long)"", (long)&st, AT_EMPTY_PATH, 0, 0) == 0 &&
	    st.st_dev == job->old.st_dev && st.st_ino == job->old.st_ino)
		job->same[job->nr_same++] = fd;
}

static void look_set(struct job *job, int fd, const char *name)
{
	if (is_set(name))
		read_set(job, fd, name);
}

/* All descriptors of the process. */
static void each_fd(struct job *job, void (*fn)(struct job *job, int fd, const char *name))
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

			if (to_number(entry->name, 10, &fd) > 0 && fd != (uint64_t)dir)
				fn(job, (int)fd, entry->name);
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

/* O_NONBLOCK and who gets SIGIO. */
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
	if (!is_same(&job, (uint64_t)fd)) /* no /proc */
		job.same[job.nr_same++] = fd;
	each_fd(&job, look_set);
	replace(&job, fresh);
	raw_close(fresh);
	return 0;
}
