/* SPDX-License-Identifier: Apache-2.0 */
/* times.c - how long the single operations of a measurement took */
#include "bench/lfp-bench/times.h"

#include <stddef.h>
#include <stdlib.h>

static uint32_t times[1u << 20];
static size_t nr_times;

void times_note(uint64_t ns)
{
	if (nr_times < sizeof(times) / sizeof(times[0]))
		times[nr_times++] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void times_settle(uint32_t *p50, uint32_t *p99)
{
	*p50 = *p99 = 0;
	if (!nr_times)
		return;
	qsort(times, nr_times, sizeof(times[0]), compare);
	*p50 = times[nr_times / 2];
	*p99 = times[nr_times - 1 - nr_times / 100];
}
