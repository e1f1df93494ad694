/* SPDX-License-Identifier: Apache-2.0 */
/* windows.c - sleeps before each call of a daemon by which it uses what it may have looked at
 * before
 *
 * Loaded before a daemon (LD_PRELOAD). Between a check and its use a hostile program then has
 * WINDOWS_MS milliseconds. WINDOWS_DIR/PID gets the number of these sleeps, so that a test can tell
 * that there were some.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static int window; /* milliseconds; 0: the library does nothing */
static char counter_name[4096];
static pid_t counted;        /* the process that owns the counter: not one that fork() made */
static atomic_uint *counter; /* a mapped file */

static void map_counter(void)
{
	const char *dir = getenv("WINDOWS_DIR");
	int fd;
	void *at;

	counted = getpid();
	counter = NULL;
	if (!dir)
		return;
	snprintf(counter_name, sizeof(counter_name), "%s/%d", dir, (int)counted);
	fd = open(counter_name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || ftruncate(fd, sizeof(*counter)) < 0)
		return;
	at = mmap(NULL, sizeof(*counter), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at != MAP_FAILED)
		counter = at;
}

static __attribute__((constructor)) void begin(void)
{
	const char *ms = getenv("WINDOWS_MS");

	map_counter();
	window = ms ? atoi(ms) : 0;
}

static void wait_here(void)
{
	if (!window)
		return;
	if (counter)
		atomic_fetch_add(counter, 1);
	poll(NULL, 0, window);
}

/* BEFORE(TYPE, NAME, (PARAMETERS), (ARGUMENTS)): the C library's function, after a sleep */
#define BEFORE(type, name, parameters, arguments)                                                  \
	EXPORT type name parameters                                                                \
	{                                                                                          \
		static type(*real) parameters;                                                     \
                                                                                                   \
		if (!real)                                                                         \
			*(void **)&real = dlsym(RTLD_NEXT, #name);                                 \
		wait_here();                                                                       \
		return real arguments;                                                             \
	}

BEFORE(int, connect, (int fd, const struct sockaddr *addr, socklen_t len), (fd, addr, len))
BEFORE(int, bind, (int fd, const struct sockaddr *addr, socklen_t len), (fd, addr, len))
BEFORE(int, listen, (int fd, int backlog), (fd, backlog))
BEFORE(int, unlink, (const char *path), (path))
BEFORE(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags))
BEFORE(int, rename, (const char *from, const char *to), (from, to))
BEFORE(int, renameat, (int dir, const char *from, int to_dir, const char *to),
       (dir, from, to_dir, to))
BEFORE(int, mkdir, (const char *path, mode_t mode), (path, mode))
BEFORE(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode))
BEFORE(int, rmdir, (const char *path), (path))
BEFORE(int, chmod, (const char *path, mode_t mode), (path, mode))
BEFORE(int, fchmod, (int fd, mode_t mode), (fd, mode))
BEFORE(int, fchmodat, (int dir, const char *path, mode_t mode, int flags), (dir, path, mode, flags))
BEFORE(int, chown, (const char *path, uid_t uid, gid_t gid), (path, uid, gid))
BEFORE(int, fchown, (int fd, uid_t uid, gid_t gid), (fd, uid, gid))
BEFORE(ssize_t, readlink, (const char *restrict path, char *restrict to, size_t size),
       (path, to, size))
BEFORE(ssize_t, readlinkat, (int dir, const char *restrict path, char *restrict to, size_t size),
       (dir, path, to, size))
BEFORE(int, kill, (pid_t pid, int number), (pid, number))
BEFORE(ssize_t, splice,
       (int in, off64_t *in_at, int out, off64_t *out_at, size_t size, unsigned int flags),
       (in, in_at, out, out_at, size, flags))

/* The mode is there only if a file may be created; to pass it always does no harm. */
#define BEFORE_OPEN(name)                                                                          \
	EXPORT int name(const char *path, int flags, ...)                                          \
	{                                                                                          \
		static int (*real)(const char *, int, ...);                                        \
		va_list more;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(more, flags);                                                             \
		mode = va_arg(more, mode_t);                                                       \
		va_end(more);                                                                      \
		if (!real)                                                                         \
			*(void **)&real = dlsym(RTLD_NEXT, #name);                                 \
		wait_here();                                                                       \
		return real(path, flags, mode);                                                    \
	}
#define BEFORE_OPENAT(name)                                                                        \
	EXPORT int name(int dir, const char *path, int flags, ...)                                 \
	{                                                                                          \
		static int (*real)(int, const char *, int, ...);                                   \
		va_list more;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(more, flags);                                                             \
		mode = va_arg(more, mode_t);                                                       \
		va_end(more);                                                                      \
		if (!real)                                                                         \
			*(void **)&real = dlsym(RTLD_NEXT, #name);                                 \
		wait_here();                                                                       \
		return real(dir, path, flags, mode);                                               \
	}
BEFORE_OPEN(open)
BEFORE_OPEN(open64)
BEFORE_OPENAT(openat)
BEFORE_OPENAT(openat64)

/* Descriptors of programs come and go by these. */
BEFORE(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags))
