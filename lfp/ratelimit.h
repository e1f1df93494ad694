/* SPDX-License-Identifier: Apache-2.0 */
/* ratelimit.h - a message that is logged rarely, with the number of those left out */
#ifndef LFP_RATELIMIT_H
#define LFP_RATELIMIT_H

#include <stdbool.h>
#include <stdint.h>

#define LFP_RATELIMIT_MS   10000u
#define LFP_RATELIMIT_TEXT 64u /* bytes of text about those left out */

/* One kind of message. All zero at first. */
struct lfp_ratelimit {
	uint64_t told;     /* ms, the time of the last message; 0: none yet */
	unsigned int more; /* left out since then */
};

/*
 * Returns true if the message is to be logged at @now (ms of a clock that never goes back). @more
 * is then set to " (N more since the last such message)", or to nothing. Returns false, and counts
 * the message, less than LFP_RATELIMIT_MS after the last one.
 */
bool lfp_ratelimit_due(struct lfp_ratelimit *limit, uint64_t now,
		       char more[static LFP_RATELIMIT_TEXT]);

#endif
