/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - the time for deadlines */
#ifndef LFP_CLOCK_H
#define LFP_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns milliseconds of a clock that is never set (CLOCK_MONOTONIC). Never 0, so that 0 can mean
 * "not yet". */
static inline uint64_t lfp_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000 + 1;
}

#endif
