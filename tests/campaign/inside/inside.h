/* SPDX-License-Identifier: Apache-2.0 */
/* inside.h - the page by which a test fails allocations in a process, and lets its clock jump */
#ifndef TESTS_CAMPAIGN_INSIDE_INSIDE_H
#define TESTS_CAMPAIGN_INSIDE_INSIDE_H

#include <stdatomic.h>
#include <stdint.h>

/* Calls that make no system call, or none that a tracer sees. Their numbers are past all system
 * calls. */
enum { INSIDE_FIRST = 508, INSIDE_MALLOC = INSIDE_FIRST, INSIDE_CLOCK, INSIDE_END };

/* How the clock may jump at a call of clock_gettime(). */
enum { JUMP_BACK = 1, JUMP_ON, JUMP_ALL_ON, JUMPS };

/* The file INSIDE_PAGE. */
struct inside {
	atomic_uint counts[2];            /* calls, since the test's order */
	atomic_int call;                  /* the one of those that fails or jumps; 0: none */
	atomic_uint at;                   /* its n */
	atomic_int jump;                  /* of the clock */
	atomic_int done;                  /* it has failed, or jumped */
	_Atomic int64_t realtime, others; /* seconds by which the clocks are off */
};

#endif
