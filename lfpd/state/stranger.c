/* SPDX-License-Identifier: Apache-2.0 */
/* stranger.c - messages about connections that were not admitted, at a limited rate */
#include "lfpd/state/stranger.h"

#include "lfpd/state/instance.h"

/* The next one of the ring was told longest ago. It also counts those that were left out. */
bool stranger_is_told(struct instance *inst, char more[static LFP_RATELIMIT_TEXT])
{
	struct refusals *refusals = &inst->refusals;
	struct lfp_ratelimit *limit = &refusals->strangers[refusals->next_stranger];

	if (!lfp_ratelimit_due(limit, uv_now(inst->loop), more))
		return false;
	refusals->next_stranger = (refusals->next_stranger + 1) % STRANGERS_TOLD;
	return true;
}
