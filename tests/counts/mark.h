/* SPDX-License-Identifier: Apache-2.0 */
/* mark.h - marks by which a program reports its place to the tracer of tests/counts/count.c */
#ifndef TESTS_COUNTS_MARK_H
#define TESTS_COUNTS_MARK_H

#include <sys/syscall.h>
#include <unistd.h>

/* No system call has this number, so a mark does nothing without the tracer. */
#define MARK_CALL 0x4c4650

/*
 * MARK_SETTLE: wait until all other traced threads sleep. Operations then do not overlap.
 * MARK_WINDOW: the same, and a window of counts ends here and the next one begins.
 */
enum mark { MARK_SETTLE, MARK_WINDOW };

static inline void mark(enum mark kind)
{
	(void)syscall(MARK_CALL, (long)kind);
}

#endif
