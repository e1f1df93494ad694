/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - time and CPU time of lfp-bench, in nanoseconds */
#ifndef BENCH_LFP_BENCH_CLOCK_H
#define BENCH_LFP_BENCH_CLOCK_H

#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#define NS_PER_S 1000000000ull

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* Of this process, user and system. */
static inline uint64_t cpu_ns(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * NS_PER_S +
	       (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000;
}

#endif
