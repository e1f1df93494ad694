/* SPDX-License-Identifier: Apache-2.0 */
/* speed.c - autonegotiation */
#include "devemu/fabric/preset.h"

#include <stddef.h>

const struct preset_speed *speed_negotiate(const struct preset_generation *generation,
					   unsigned int gbps, bool fec)
{
	const struct preset_speed *best = NULL;

	for (size_t i = 0; i < PRESET_SPEEDS && generation->speed[i].gbps; i++) {
		const struct preset_speed *speed = &generation->speed[i];

		if (speed->gbps > gbps || (speed->fec && !fec))
			continue;
		if (!best || speed->gbps > best->gbps ||
		    (speed->gbps == best->gbps && speed->fec > best->fec))
			best = speed;
	}
	return best;
}
