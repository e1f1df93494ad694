/* SPDX-License-Identifier: Apache-2.0 */
/* deadline.h - the timeout of recvmmsg() */
#ifndef VSESOCK_DEADLINE_H
#define VSESOCK_DEADLINE_H

#include <stdbool.h>
#include <time.h>

/* Sets @end to the CLOCK_MONOTONIC time when @timeout ends, at most the end of time. Returns 0, or
 * -EINVAL for a timeout that the kernel refuses too (timespec64_valid()). */
int deadline_set(struct timespec *end, const struct timespec *timeout);

/* Sets @left to the time until @end. Returns true, with @left zero, if @end has passed. */
bool deadline_passed(const struct timespec *end, struct timespec *left);

#endif
