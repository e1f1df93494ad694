/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - for test programs of LE/C: prints a line for each failed check */
#ifndef TESTS_LEC_CHECK_H
#define TESTS_LEC_CHECK_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks, failures;

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		checks++;                                                                          \
		if (!(condition)) {                                                                \
			int check_error = errno;                                                   \
			failures++;                                                                \
			printf("FAILED: %s:%d: %s (errno %d)\n", __FILE__, __LINE__, #condition,   \
			       check_error);                                                       \
		}                                                                                  \
	} while (0)

/* The call fails with this errno. */
#define FAILS(call, error)                                                                         \
	do {                                                                                       \
		errno = 0;                                                                         \
		CHECK((call) == -1);                                                               \
		CHECK(errno == (error));                                                           \
	} while (0)

static inline int finish(void)
{
	printf("%d passed, %d failed, 0 skipped\n", checks - failures, failures);
	return failures != 0;
}

#endif
