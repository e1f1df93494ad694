/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - the clock of waits in the z/VSE interfaces */
#ifndef VSESOCK_VSE_CLOCK_H
#define VSESOCK_VSE_CLOCK_H

#include <stdint.h>
#include <time.h>

/*
 * Polling interval in ms, for changes that wake no thread: a post only stores into an ECB, and a
 * call without a near end has no descriptor to poll.
 */
#define VSE_LOOK_MS 10

/* Returns the time of the monotonic clock in ms. */
static inline int64_t vse_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

#endif
