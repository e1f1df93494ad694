/* SPDX-License-Identifier: Apache-2.0 */
/* preload.c - a library that fails the n-th allocation of a daemon, or lets its clock jump
 *
 * A tracer cannot do either: an allocation mostly makes no system call, and neither does
 * clock_gettime(). The orders come from the file INSIDE_PAGE: inside.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/campaign/inside/inside.h"

#define EXPORT __attribute__((visibility("default")))

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t nr, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static struct inside *page; /* NULL: nothing fails */

static __attribute__((constructor)) void map_page(void)
{
	const char *path = getenv("INSIDE_PAGE");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *at;

	if (fd < 0)
		return;
	at = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at != MAP_FAILED)
		page = at;
}

/* Counts a call. Returns true if it is the ordered one. */
static bool is_ordered(int call)
{
	unsigned int n;

	if (!page)
		return false;
	n = 1 + atomic_fetch_add(&page->counts[call - INSIDE_FIRST], 1);
	if (atomic_load(&page->call) != call || n != atomic_load(&page->at))
		return false;
	atomic_store(&page->done, 1);
	return true;
}

static bool fails(void)
{
	if (!is_ordered(INSIDE_MALLOC))
		return false;
	errno = ENOMEM;
	return true;
}

EXPORT void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t nr, size_t size)
{
	return fails() ? NULL : __libc_calloc(nr, size);
}

EXPORT void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

static void jump(void)
{
	static const int64_t seconds[JUMPS] = {
		[JUMP_BACK] = -86400, [JUMP_ON] = 86400, [JUMP_ALL_ON] = 3600};
	int how = atomic_load(&page->jump);

	atomic_fetch_add(&page->realtime, seconds[how]);
	/* Only the real time ever goes back. */
	if (how == JUMP_ALL_ON)
		atomic_fetch_add(&page->others, seconds[how]);
}

EXPORT int clock_gettime(clockid_t id, struct timespec *ts)
{
	if (syscall(SYS_clock_gettime, id, ts) < 0)
		return -1;
	if (!page)
		return 0;
	if (is_ordered(INSIDE_CLOCK))
		jump();
	ts->tv_sec += id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE
			      ? atomic_load(&page->realtime)
			      : atomic_load(&page->others);
	return 0;
}
