/* SPDX-License-Identifier: Apache-2.0 */
/* deadline.c - the timeout of recvmmsg() */
#include "libvsesock/core/deadline.h"

#include <errno.h>
#include <sys/syscall.h>

#include "libvsesock/core/raw.h"

#define NSEC_PER_SEC 1000000000L

static struct timespec now(void)
{
	struct timespec time;

	raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&time, 0, 0, 0, 0);
	return time;
}

int deadline_set(struct timespec *end, const struct timespec *timeout)
{
	if (timeout->tv_sec < 0 || timeout->tv_nsec < 0 || timeout->tv_nsec >= NSEC_PER_SEC)
		return -EINVAL;
	*end = now();
	end->tv_nsec += timeout->tv_nsec;
	if (end->tv_nsec >= NSEC_PER_SEC) {
		end->tv_nsec -= NSEC_PER_SEC;
		end->tv_sec++;
	}
	if (__builtin_add_overflow(end->tv_sec, timeout->tv_sec, &end->tv_sec))
		*end = (struct timespec){.tv_sec = INT64_MAX};
	return 0;
}

bool deadline_passed(const struct timespec *end, struct timespec *left)
{
	struct timespec time = now();

	*left = (struct timespec){0};
	if (time.tv_sec > end->tv_sec ||
	    (time.tv_sec == end->tv_sec && time.tv_nsec >= end->tv_nsec))
		return true;
	left->tv_sec = end->tv_sec - time.tv_sec;
	left->tv_nsec = end->tv_nsec - time.tv_nsec;
	if (left->tv_nsec < 0) {
		left->tv_nsec += NSEC_PER_SEC;
		left->tv_sec--;
	}
	return false;
}
