/* SPDX-License-Identifier: Apache-2.0 */
/* watched.c - the entries of an epoll set, from /proc */
#include "libvsesock/core/watched.h"

#include <string.h>
#include <sys/stat.h>

#include "libvsesock/core/raw.h"

#define FD_DIR    "/proc/self/fd/"
#define INFO_DIR  "/proc/self/fdinfo/"
#define PATH_MOST (sizeof(INFO_DIR) + 10)

static void make_path(char path[static PATH_MOST], const char *dir, int fd)
{
	char digits[11];
	size_t at = sizeof(digits), len = strlen(dir);

	digits[--at] = '\0';
	do {
		digits[--at] = (char)('0' + fd % 10);
		fd /= 10;
	} while (fd > 0);
	memcpy(path, dir, len);
	memcpy(path + len, digits + at, sizeof(digits) - at);
}

bool watched_is_set(int fd)
{
	static const char set[] = "anon_inode:[eventpoll]";
	char path[PATH_MOST], link[sizeof(set)];
	long n;

	if (fd < 0)
		return false;
	make_path(path, FD_DIR, fd);
	n = raw_call(SYS_readlinkat, AT_FDCWD, (long)path, (long)link, sizeof(link), 0, 0);
	return n == (long)sizeof(set) - 1 && memcmp(link, set, sizeof(set) - 1) == 0;
}

bool watched_is_there(const struct watched *entry)
{
	struct stat st;

	return raw_call(SYS_newfstatat, entry->fd, (long)"", (long)&st, AT_EMPTY_PATH, 0, 0) == 0 &&
	       st.st_ino == entry->ino;
}

int watched_number(const char *text, unsigned int base, uint64_t *value)
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

/* Reads the number behind @label and blanks. */
static bool find_number(const char *line, const char *label, unsigned int base, uint64_t *value)
{
	const char *at = strstr(line, label);

	if (!at)
		return false;
	for (at += strlen(label); *at == ' ';)
		at++;
	return watched_number(at, base, value) > 0;
}

/* A line of fdinfo (fs/eventpoll.c, ep_show_fdinfo()): "tfd: 5 events: 19 data: 5 pos:0 ino:2e
 * sdev:d" */
static bool parse(const char *line, struct watched *entry)
{
	uint64_t fd, events;

	if (!find_number(line, "tfd:", 10, &fd) || !find_number(line, "events:", 16, &events) ||
	    !find_number(line, "data:", 16, &entry->data) ||
	    !find_number(line, "ino:", 16, &entry->ino))
		return false;
	entry->fd = (int)fd;
	entry->events = (uint32_t)events;
	return true;
}

/* The text may be longer than the buffer: it is read in pieces, cut at the ends of lines. */
void watched_each(int set, bool (*fn)(void *arg, const struct watched *entry), void *arg)
{
	char path[PATH_MOST], buf[1024];
	struct watched entry;
	bool more = true;
	size_t kept = 0;
	long n;
	int fd;

	if (set < 0)
		return;
	make_path(path, INFO_DIR, set);
	fd = (int)raw_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return;
	while (more && (n = raw_call(SYS_read, fd, (long)(buf + kept),
				     (long)(sizeof(buf) - 1 - kept), 0, 0, 0)) > 0) {
		char *line = buf, *end;

		kept += (size_t)n;
		buf[kept] = '\0';
		for (; more && (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			if (parse(line, &entry))
				more = fn(arg, &entry);
		}
		kept = (size_t)(buf + kept - line);
		if (kept == sizeof(buf) - 1)
			kept = 0;
		memmove(buf, line, kept);
	}
	raw_close(fd);
}
