/* SPDX-License-Identifier: Apache-2.0 */
/* cap.h - a card, a PCIe domain, a fan-out: one limit each for reading, for writing, and for both
 */
#ifndef DEVEMU_FABRIC_CAP_H
#define DEVEMU_FABRIC_CAP_H

#include <stdbool.h>

#include "devemu/fabric/preset.h"
#include "devemu/fabric/server.h"

struct cap {
	struct server direction[2]; /* [0] read, [1] write */
	struct server total;
};

static inline void cap_init(struct cap *cap, const struct preset_cap *preset)
{
	*cap = (struct cap){.direction[0].rate = preset->read * UINT64_C(1000),
			    .direction[1].rate = preset->write * UINT64_C(1000),
			    .total.rate = preset->total * UINT64_C(1000)};
}

static inline void cap_pass(struct cap *cap, bool write, struct burst *burst, uint64_t bytes)
{
	server_pass(&cap->direction[write], burst, bytes);
	server_pass(&cap->total, burst, bytes);
}

#endif
