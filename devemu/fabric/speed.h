/* SPDX-License-Identifier: Apache-2.0 */
/* speed.h - the speed on which both ends of a channel's link agree, and how reports show it */
#ifndef DEVEMU_FABRIC_SPEED_H
#define DEVEMU_FABRIC_SPEED_H

#include <stdbool.h>

#include "devemu/fabric/preset.h"

/*
 * The fastest speed of @generation that is not above @gbps (what the other end can), with error
 * correction if both ends have it and the generation knows that speed with it. NULL: there is none.
 * A speed that exists with error correction only (32 Gbps) is not agreed on without it.
 */
const struct preset_speed *speed_negotiate(const struct preset_generation *generation,
					   unsigned int gbps, bool fec);

#endif
