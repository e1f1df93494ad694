/* SPDX-License-Identifier: Apache-2.0 */
/* times.h - how long the single operations of a measurement took */
#ifndef BENCH_LFP_BENCH_TIMES_H
#define BENCH_LFP_BENCH_TIMES_H

#include <stdint.h>

/* One took @ns; after the first million no more are kept. */
void times_note(uint64_t ns);

/* Median and 99th percentile, ns; 0 without measurements. */
void times_settle(uint32_t *p50, uint32_t *p99);

#endif
