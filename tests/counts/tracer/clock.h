/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - the time of the tracer, in nanoseconds */
#ifndef TESTS_COUNTS_TRACER_CLOCK_H
#define TESTS_COUNTS_TRACER_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

#endif
