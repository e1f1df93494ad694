/* SPDX-License-Identifier: Apache-2.0 */
/* interval.h - the times of an interval of HISTORY, in us since 1970 */
#ifndef LFPD_WATCH_INTERVAL_H
#define LFPD_WATCH_INTERVAL_H

#include <stdint.h>

/* Returns the first time after @now that @seconds divide. */
static inline uint64_t interval_due(uint64_t now, unsigned int seconds)
{
	uint64_t us = seconds * UINT64_C(1000000);

	return now + us - now % us;
}

/* Returns the begin of an interval that ends at @end, after @length us. A clock that was not set
 * before may say that this was before 1970. */
static inline uint64_t interval_begin(uint64_t end, uint64_t length)
{
	return length < end ? end - length : 0;
}

#endif
