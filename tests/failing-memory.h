/* SPDX-License-Identifier: Apache-2.0 */
/* failing-memory.h - for unit tests: makes one allocation of this thread fail */
#ifndef TESTS_FAILING_MEMORY_H
#define TESTS_FAILING_MEMORY_H

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* Include it in one file of a test. It replaces malloc(), calloc() and realloc() for the program
 * and for the libraries that it uses, except under a sanitizer, which has its own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_OWN_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_OWN_MALLOC 1
#endif
#endif
#ifndef HAS_OWN_MALLOC
#define HAS_OWN_MALLOC 0
#endif

static __thread bool memory_watched;        /* allocations of this thread count now */
static __thread unsigned long memory_asked; /* allocations that counted */
static __thread unsigned long memory_fails; /* number of the allocation that fails; 0: none */

#if !HAS_OWN_MALLOC
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *old, size_t size);

static bool memory_fails_now(void)
{
	if (!memory_watched || ++memory_asked != memory_fails)
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return memory_fails_now() ? NULL : __libc_malloc(size);
}

void *calloc(size_t nr, size_t size)
{
	return memory_fails_now() ? NULL : __libc_calloc(nr, size);
}

void *realloc(void *old, size_t size)
{
	return memory_fails_now() ? NULL : __libc_realloc(old, size);
}
#endif

#endif
