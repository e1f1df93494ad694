/* SPDX-License-Identifier: Apache-2.0 */
/* preload.c - a library that fails the n-th allocation of a process, or lets its clock jump
 *
 * A tracer cannot do either: an allocation mostly makes no system call, and neither does
 * clock_gettime(). The orders come from the file INSIDE_PAGE: inside.h.
 *
 * INSIDE_ONLY=NAME: only the calls of the program NAME, or those that the library NAME makes in
 * another program.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
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

/* Only calls from these addresses count: all, or those of the library INSIDE_ONLY. */
static struct {
	uintptr_t from, to;
} callers = {0, UINTPTR_MAX};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int look_at(struct dl_phdr_info *object, size_t size, void *name)
{
	(void)size;
	if (strcmp(base_name(object->dlpi_name), name) != 0)
		return 0;
	callers.from = UINTPTR_MAX;
	callers.to = 0;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		if (start < callers.from)
			callers.from = start;
		if (start + segment->p_memsz > callers.to)
			callers.to = start + segment->p_memsz;
	}
	return 1;
}

/* Returns true if this process has callers that count. */
static bool finds_callers(void)
{
	char *only = getenv("INSIDE_ONLY");

	return !only || strcmp(only, program_invocation_short_name) == 0 ||
	       dl_iterate_phdr(look_at, only) == 1;
}

static __attribute__((constructor)) void map_page(void)
{
	const char *path = getenv("INSIDE_PAGE");
	int fd = path && finds_callers() ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *at;

	if (fd < 0)
		return;
	at = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (at != MAP_FAILED)
		page = at;
}

/* Counts a call that returns to @caller. Returns true if it is the ordered one. */
static bool is_ordered(int call, void *caller)
{
	unsigned int n;

	if (!page || (uintptr_t)caller < callers.from || (uintptr_t)caller >= callers.to)
		return false;
	n = 1 + atomic_fetch_add(&page->counts[call - INSIDE_FIRST], 1);
	if (atomic_load(&page->call) != call || n != atomic_load(&page->at))
		return false;
	atomic_store(&page->done, 1);
	return true;
}

static bool fails(void *caller)
{
	if (!is_ordered(INSIDE_MALLOC, caller))
		return false;
	errno = ENOMEM;
	return true;
}

EXPORT void *malloc(size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t nr, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(nr, size);
}

EXPORT void *realloc(void *old, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
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
	if (is_ordered(INSIDE_CLOCK, __builtin_return_address(0)))
		jump();
	ts->tv_sec += id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE
			      ? atomic_load(&page->realtime)
			      : atomic_load(&page->others);
	return 0;
}
