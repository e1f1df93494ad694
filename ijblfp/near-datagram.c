/* SPDX-License-Identifier: Apache-2.0 */
/* near-datagram.c - making near ends of datagram sockets, and finding them by their paths */
#include "ijblfp/near-datagram.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lfp/datagram.h"

/* The kernel's default is larger; what the largest datagram takes with what travels beside it. */
#define SNDBUF_LEAST (2 * 65536 + 8192)

/* "vselfp/NN", and with the run's directory */
#define DIR_LEN     (LFP_NEAR_PREFIX_LEN + 2u)
#define RUN_DIR_LEN (DIR_LEN + 17u)

/* --- directories --------------------------------------------------------------------------------
 */

static void run_dir(const struct near_maker *maker, char path[static RUN_DIR_LEN + 1])
{
	snprintf(path, RUN_DIR_LEN + 1, LFP_NEAR_PREFIX "%.2s/%016llx", maker->nn,
		 (unsigned long long)maker->run);
}

/* Remove a directory that has nothing but files. */
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

/* The runs of this instance that were killed have left their directories. */
static void remove_runs(const struct near_maker *maker)
{
	char path[DIR_LEN + 1];
	struct dirent *entry;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), LFP_NEAR_PREFIX "%.2s", maker->nn);
	fd = openat(maker->dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
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

static int make_spare(void)
{
	return open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int make_dir(int at, const char *path)
{
	return mkdirat(at, path, 0700) && errno != EEXIST ? -errno : 0;
}

int near_datagram_init(struct near_maker *maker, const char *private)
{
	char path[RUN_DIR_LEN + 1];
	int rc;

	maker->dir = open(private, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (maker->dir < 0)
		return -errno;
	maker->datagram_probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	maker->spare = make_spare();
	remove_runs(maker);
	run_dir(maker, path);
	rc = make_dir(maker->dir, "vselfp");
	path[DIR_LEN] = '\0';
	if (!rc)
		rc = make_dir(maker->dir, path);
	path[DIR_LEN] = '/';
	if (!rc)
		rc = make_dir(maker->dir, path);
	if (rc)
		near_datagram_finish(maker);
	return rc;
}

void near_datagram_finish(struct near_maker *maker)
{
	char path[RUN_DIR_LEN + 1];

	if (maker->dir < 0)
		return;
	run_dir(maker, path);
	remove_flat(maker->dir, path);
	path[DIR_LEN] = '\0';
	(void)unlinkat(maker->dir, path, AT_REMOVEDIR);
	(void)unlinkat(maker->dir, "vselfp", AT_REMOVEDIR);
	close(maker->dir);
	if (maker->datagram_probe >= 0)
		close(maker->datagram_probe);
	if (maker->spare >= 0)
		close(maker->spare);
	maker->dir = maker->datagram_probe = maker->spare = -1;
}

/* --- names --------------------------------------------------------------------------------------
 */

socklen_t near_datagram_name(const struct near_maker *maker, uint64_t id, struct sockaddr_un *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	snprintf(addr->sun_path, sizeof(addr->sun_path), LFP_NEAR_PREFIX "%.2s/%016llx/%016llx",
		 maker->nn, (unsigned long long)maker->run, (unsigned long long)id);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + LFP_NEAR_PATH_LEN + 1);
}

typedef int (*name_function)(int fd, const struct sockaddr *addr, socklen_t len);

static int open_home(void)
{
	return open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void close_home(struct near_maker *maker, int home)
{
	close(home);
	if (maker->spare < 0)
		maker->spare = make_spare();
}

int near_datagram_enter(struct near_maker *maker)
{
	int home = open_home();
	int rc;

	if (home < 0 && maker->spare >= 0) {
		close(maker->spare);
		maker->spare = -1;
		home = open_home();
	}
	if (home < 0)
		return -errno;
	if (!fchdir(maker->dir))
		return home;
	rc = -errno;
	close_home(maker, home);
	return rc;
}

void near_datagram_leave(struct near_maker *maker, int home)
{
	/* It was the working directory a moment ago. */
	(void)!fchdir(home);
	close_home(maker, home);
}

/* bind() or connect() with the path of near end @id, from within the directory. */
static int with_path(struct near_maker *maker, name_function function, int fd, uint64_t id)
{
	struct sockaddr_un addr;
	socklen_t len = near_datagram_name(maker, id, &addr);
	int home = near_datagram_enter(maker), rc;

	if (home < 0)
		return home;
	rc = function(fd, (const struct sockaddr *)&addr, len) ? -errno : 0;
	near_datagram_leave(maker, home);
	return rc;
}

static int name_near(struct near_maker *maker, int fd, uint64_t id, uint64_t *ino)
{
	int size = 0, least = SNDBUF_LEAST, rc;
	socklen_t len = sizeof(size);
	struct stat st;

	if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &len) ||
	    (size < 2 * least && setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least))))
		return -errno;
	rc = with_path(maker, bind, fd, id);
	if (rc)
		return rc;
	if (fstat(fd, &st))
		return -errno;
	*ino = st.st_ino;
	return 0;
}

int near_datagram_create(struct near_maker *maker, uint64_t id, uint64_t *ino)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), rc;

	if (fd < 0)
		return -errno;
	rc = name_near(maker, fd, id, ino);
	if (rc) {
		close(fd);
		return rc;
	}
	return fd;
}

static int option_of(int fd, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &len) ? -1 : value;
}

static uint64_t netns_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	(void)getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len);
	return cookie;
}

int near_datagram_adopt(struct near_maker *maker, int fd, uint64_t id, uint64_t *ino)
{
	struct sockaddr_un peer;
	socklen_t len = sizeof(peer);

	if (option_of(fd, SO_DOMAIN) != AF_UNIX || option_of(fd, SO_TYPE) != SOCK_DGRAM ||
	    !getpeername(fd, (struct sockaddr *)&peer, &len))
		return -EINVAL;
	/* From another network namespace it would not find its head. */
	if (netns_of(fd) != netns_of(maker->listener))
		return -EMFILE;
	return name_near(maker, fd, id, ino);
}

int near_datagram_connect(struct near_maker *maker, int fd, uint64_t id)
{
	return with_path(maker, connect, fd, id);
}

bool near_datagram_is_gone(struct near_maker *maker, uint64_t id)
{
	const struct sockaddr unspec = {.sa_family = AF_UNSPEC};
	struct sockaddr_un addr;
	socklen_t len = near_datagram_name(maker, id, &addr);
	int probe = maker->datagram_probe;

	if (probe < 0)
		probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	maker->datagram_probe = probe;
	if (probe < 0)
		return false;
	if (connect(probe, (const struct sockaddr *)&addr, len))
		return errno == ECONNREFUSED || errno == ENOENT;
	/* Nothing is to hold the near end but its program. */
	(void)connect(probe, &unspec, sizeof(unspec));
	return false;
}

void near_datagram_forget(const struct near_maker *maker, uint64_t id)
{
	struct sockaddr_un addr;

	near_datagram_name(maker, id, &addr);
	(void)unlinkat(maker->dir, addr.sun_path, 0);
}
