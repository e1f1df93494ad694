/* SPDX-License-Identifier: Apache-2.0 */
/* thread-sanitizer.h - for tests that fork, and whose children start threads */
#ifndef TESTS_THREAD_SANITIZER_H
#define TESTS_THREAD_SANITIZER_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define HAS_THREAD_SANITIZER
#endif

#ifdef HAS_THREAD_SANITIZER
const char *__tsan_default_options(void);

/* The sanitizer ends a child that starts a thread, as it may miss something there. */
const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}
#endif

#endif
