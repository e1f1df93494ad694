/* SPDX-License-Identifier: Apache-2.0 */
/* ratelimit.c - a message that is logged rarely, with the number of those left out */
#include "lfp/ratelimit.h"

#include <stdio.h>

bool lfp_ratelimit_due(struct lfp_ratelimit *limit, uint64_t now,
		       char more[static LFP_RATELIMIT_TEXT])
{
	if (limit->told && now - limit->told < LFP_RATELIMIT_MS) {
		limit->more++;
		return false;
	}
	*more = '\0';
	if (limit->more)
		snprintf(more, LFP_RATELIMIT_TEXT, " (%u more since the last such message)",
			 limit->more);
	limit->told = now ? now : 1;
	limit->more = 0;
	return true;
}
