/* SPDX-License-Identifier: Apache-2.0 */
/* near-names.c - the paths to which near ends are bound */
#include "ijblfp/near/near-names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/ctl.h"
#include "lfp/datagram.h"

/* "vselfp/NN", and with the run's directory */
#define DIR_LEN     (LFP_NEAR_PREFIX_LEN + 2u)
#define RUN_DIR_LEN (DIR_LEN + 17u)

#define KIND_BITS (LFP_NEAR_DATAGRAM | LFP_NEAR_V6)

static void run_dir(const struct near_names *names, char path[static RUN_DIR_LEN + 1])
{
	snprintf(path, RUN_DIR_LEN + 1, LFP_NEAR_PREFIX "%.2s/%016llx", names->nn,
		 (unsigned long long)names->run);
}

/* Removes a directory that has nothing but files. */
static void remove_flat(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		(void)unlinkat(fd, entry->d_name, 0);
	closedir(dir);
	(void)unlinkat(at, name, AT_REMOVEDIR);
}

/* Runs of this instance that were killed have left their directories. */
static void remove_runs(const struct near_names *names)
{
	char path[DIR_LEN + 1];
	struct dirent *entry;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), LFP_NEAR_PREFIX "%.2s", names->nn);
	fd = openat(names->dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			remove_flat(fd, entry->d_name);
	closedir(dir);
}

static int make_probe(void)
{
	return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static int make_dir(int at, const char *path)
{
	return mkdirat(at, path, 0700) && errno != EEXIST ? -errno : 0;
}

int near_names_init(struct near_names *names, const char *nn, const char *private)
{
	char path[RUN_DIR_LEN + 1];
	int rc;

	*names = (struct near_names){.dir = -1, .probe = -1, .home = -1};
	snprintf(names->nn, sizeof(names->nn), "%s", nn);
	if (getrandom(&names->run, sizeof(names->run), 0) != sizeof(names->run))
		return -EIO;
	names->dir = open(private, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (names->dir < 0)
		return -errno;
	names->probe = make_probe();
	if (private[0] == '/' && strlen(private) + 1 < sizeof(names->path))
		snprintf(names->path, sizeof(names->path), "%s/", private);
	remove_runs(names);
	run_dir(names, path);
	rc = make_dir(names->dir, "vselfp");
	path[DIR_LEN] = '\0';
	if (!rc)
		rc = make_dir(names->dir, path);
	path[DIR_LEN] = '/';
	if (!rc)
		rc = make_dir(names->dir, path);
	if (rc)
		near_names_finish(names);
	return rc;
}

void near_names_finish(struct near_names *names)
{
	char path[RUN_DIR_LEN + 1];

	if (names->dir < 0)
		return;
	run_dir(names, path);
	remove_flat(names->dir, path);
	path[DIR_LEN] = '\0';
	(void)unlinkat(names->dir, path, AT_REMOVEDIR);
	(void)unlinkat(names->dir, "vselfp", AT_REMOVEDIR);
	close(names->dir);
	if (names->probe >= 0)
		close(names->probe);
	if (names->home >= 0)
		close(names->home);
	names->dir = names->probe = names->home = -1;
}

uint64_t near_names_draw(struct near_names *names, uint64_t kind)
{
	/* The kernel gives up to 256 bytes at once (getrandom(2)). */
	if (!names->nr_drawn &&
	    getrandom(names->drawn, sizeof(names->drawn), 0) == sizeof(names->drawn))
		names->nr_drawn = NEAR_NAMES_DRAWN;
	if (!names->nr_drawn)
		return 0;
	return (names->drawn[--names->nr_drawn] & ~KIND_BITS) | kind;
}

/* Writes 16 hex digits. Returns the place behind them. */
static char *put_hex(char *at, uint64_t value)
{
	for (int shift = 60; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[value >> shift & 0xf];
	return at;
}

/* Each connection needs its path three times. snprintf() would take six times as long. */
socklen_t near_names_addr(const struct near_names *names, uint64_t name, struct sockaddr_un *addr)
{
	char *at = addr->sun_path;

	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	memcpy(at, LFP_NEAR_PREFIX, LFP_NEAR_PREFIX_LEN);
	at += LFP_NEAR_PREFIX_LEN;
	memcpy(at, names->nn, 2);
	at[2] = '/';
	at = put_hex(at + 3, names->run);
	*at++ = '/';
	(void)put_hex(at, name);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + LFP_NEAR_PATH_LEN + 1);
}

/* Parses 16 hex digits, as near_names_addr() writes them. */
static bool parse_hex(const char *text, uint64_t *value)
{
	*value = 0;
	for (int i = 0; i < 16; i++) {
		char c = text[i];
		unsigned int digit;

		if (c >= '0' && c <= '9')
			digit = (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'f')
			digit = (unsigned int)(c - 'a') + 10;
		else
			return false;
		*value = *value << 4 | digit;
	}
	return true;
}

int near_names_read(const struct near_names *names, int fd, uint64_t *name)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);
	const char *nn = addr.sun_path + LFP_NEAR_PREFIX_LEN;
	uint64_t run;

	if (getsockname(fd, (struct sockaddr *)&addr, &len) || !lfp_near_path(&addr, len) ||
	    memcmp(nn, names->nn, 2) || nn[2] != '/' || nn[19] != '/' || !parse_hex(nn + 3, &run) ||
	    !parse_hex(nn + 20, name))
		return -EBADF;
	return run == names->run ? 0 : -ESTALE;
}

int near_names_enter(struct near_names *names)
{
	/* Kept open, so that a check of a near end needs no free descriptor. */
	if (names->home < 0)
		names->home = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (names->home < 0)
		return -errno;
	if (!names->entered && fchdir(names->dir))
		return -errno;
	names->entered++;
	return 0;
}

void near_names_leave(struct near_names *names)
{
	/* This was the working directory a moment ago. */
	if (!--names->entered)
		(void)!fchdir(names->home);
}

typedef int (*name_function)(int fd, const struct sockaddr *addr, socklen_t len);

static int with_path(struct near_names *names, name_function function, int fd, uint64_t name)
{
	struct sockaddr_un addr;
	socklen_t len = near_names_addr(names, name, &addr);
	int rc = near_names_enter(names);

	if (rc)
		return rc;
	rc = function(fd, (const struct sockaddr *)&addr, len) ? -errno : 0;
	near_names_leave(names);
	return rc;
}

int near_names_bind(struct near_names *names, int fd, uint64_t name)
{
	return with_path(names, bind, fd, name);
}

int near_names_connect(struct near_names *names, int fd, uint64_t name)
{
	return with_path(names, connect, fd, name);
}

/* Connects the probe by the directory's own path, which spares two calls of fchdir(). Returns
 * -ENOENT if that says nothing: somebody may have moved the directory. */
static int probe_by_path(const struct near_names *names, uint64_t name)
{
	size_t dir_len = strlen(names->path);
	struct sockaddr_un addr;
	socklen_t len;
	int rc;

	if (!dir_len || names->entered)
		return -ENOENT;
	len = near_names_addr(names, name, &addr) + (socklen_t)dir_len;
	memmove(addr.sun_path + dir_len, addr.sun_path, LFP_NEAR_PATH_LEN + 1);
	memcpy(addr.sun_path, names->path, dir_len);
	rc = connect(names->probe, (const struct sockaddr *)&addr, len) ? -errno : 0;
	return !rc || rc == -ECONNREFUSED || rc == -EPROTOTYPE || rc == -EPERM ? rc : -ENOENT;
}

bool near_names_is_gone(struct near_names *names, uint64_t name)
{
	const struct sockaddr unspec = {.sa_family = AF_UNSPEC};
	int rc;

	if (names->probe < 0)
		names->probe = make_probe();
	if (names->probe < 0)
		return false;
	rc = probe_by_path(names, name);
	if (rc == -ENOENT)
		rc = with_path(names, connect, names->probe, name);
	/* Only the program may hold the near end. */
	if (!rc)
		(void)connect(names->probe, &unspec, sizeof(unspec));
	return rc == -ECONNREFUSED || rc == -ENOENT;
}

void near_names_forget(const struct near_names *names, uint64_t name)
{
	struct sockaddr_un addr;

	if (!name || names->dir < 0)
		return;
	near_names_addr(names, name, &addr);
	(void)unlinkat(names->dir, addr.sun_path, 0);
}
