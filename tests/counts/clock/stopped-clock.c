/* SPDX-License-Identifier: Apache-2.0 */
/* stopped-clock.c - a library that stops the clock of the daemons, and so their timers, while calls
 * are counted */

/*
 * A timer's calls fall into an operation by chance, the more the slower the machine is. While the
 * first byte of the file STOPPED_CLOCK is not 0, the clock keeps the time at which it was seen
 * first, and a wait for events has no time limit. Both are libuv's. The reactor's alarm, which the
 * kernel's clock would end, is never there.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define CLOCKS 16 /* clockid_t that is known */

static const volatile char *file; /* NULL: the clock goes on */
static __thread struct timespec stopped[CLOCKS];
static __thread bool seen[CLOCKS];

static __attribute__((constructor)) void map_file(void)
{
	const char *path = getenv("STOPPED_CLOCK");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *at;

	if (fd < 0)
		return;
	at = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (at != MAP_FAILED)
		file = at;
}

static bool stands(void)
{
	return file && *file;
}

EXPORT int clock_gettime(clockid_t id, struct timespec *ts)
{
	bool known = id >= 0 && id < CLOCKS;

	if (known && stands() && seen[id]) {
		*ts = stopped[id];
		return 0;
	}
	if (syscall(SYS_clock_gettime, id, ts) < 0)
		return -1;
	if (known) {
		seen[id] = stands();
		stopped[id] = *ts;
	}
	return 0;
}

static int limit(int timeout)
{
	return timeout > 0 && stands() ? -1 : timeout;
}

EXPORT int timerfd_create(int clock, int flags)
{
	(void)clock;
	(void)flags;
	errno = ENOSYS;
	return -1;
}

EXPORT int epoll_pwait(int epfd, struct epoll_event *events, int nr, int timeout,
		       const sigset_t *mask)
{
	return (int)syscall(SYS_epoll_pwait, epfd, events, nr, limit(timeout), mask, _NSIG / 8);
}

EXPORT int epoll_wait(int epfd, struct epoll_event *events, int nr, int timeout)
{
#ifdef SYS_epoll_wait
	return (int)syscall(SYS_epoll_wait, epfd, events, nr, limit(timeout));
#else
	return epoll_pwait(epfd, events, nr, timeout, NULL);
#endif
}
