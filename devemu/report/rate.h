/* SPDX-License-Identifier: Apache-2.0 */
/* rate.h - counters as rates and means */
#ifndef DEVEMU_REPORT_RATE_H
#define DEVEMU_REPORT_RATE_H

#include "devemu/clock/sim.h"

/* A second, of what was counted in @interval ps; 0 in no time. */
static inline double rate_of(uint64_t count, int64_t interval)
{
	return interval > 0 ? (double)count * (double)SIM_SEC / (double)interval : 0;
}

/* @busy of @interval, both ps. */
static inline double percent_of(uint64_t busy, int64_t interval)
{
	return interval > 0 ? (double)busy * 100 / (double)interval : 0;
}

static inline double mean_of(uint64_t sum, uint64_t count)
{
	return count ? (double)sum / (double)count : 0;
}

/* A mean of ps, as milliseconds. */
static inline double mean_ms(uint64_t sum, uint64_t count)
{
	return mean_of(sum, count) / (double)SIM_MS;
}

#endif
