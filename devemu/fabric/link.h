/* SPDX-License-Identifier: Apache-2.0 */
/* link.h - one fibre link: two directions, each with a line, buffer credits and a distance */
#ifndef DEVEMU_FABRIC_LINK_H
#define DEVEMU_FABRIC_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "devemu/fabric/config.h"
#include "devemu/fabric/counters.h"
#include "devemu/fabric/server.h"

/*
 * The line runs at 106.25 MB/s per Gbps (1.0625 Gbaud with 8b/10b; 14.025 and 28.05 Gbaud with
 * 64b/66b give the same). After each data frame comes a fill of 92 bytes (preset.c says what it is
 * fitted to), so that full frames carry 100 MB/s of data per Gbps. Control frames go in fills as
 * far as those last, and hold the line for the rest of their bytes.
 *
 * A frame needs a credit. The credit comes back when the frame is in the receiver's buffer and the
 * answer has travelled. Light takes 5 ns a metre.
 */
struct link_direction {
	struct server line;
	uint64_t fill;   /* bytes of fill not used by control frames */
	int64_t *credit; /* ring: when each credit is back */
	uint32_t credits, next;
	struct link_counters counters;
};

struct link {
	char name[CONFIG_NAME_MAX];
	unsigned int gbps;
	bool fec;
	bool up;
	int64_t propagation;                /* ps, one way */
	struct link_direction direction[2]; /* [0] to the control unit, [1] from it */
};

/* @credits > 0. Return: 0 or -ENOMEM. */
int fabric_link_init(struct link *link, const struct link_config *config);
void fabric_link_finish(struct link *link);

/*
 * Send @bytes of data and @controls control frames. @burst: the times when the first and the last
 * byte can be sent; afterwards, the times of their arrival. @extra: bytes that endpoint security
 * adds to each of these frames; frames of other connections on the link may have none. Call it in
 * the order of time.
 */
void fabric_link_send(struct link *link, bool from_cu, struct burst *burst, uint64_t bytes,
		      unsigned int controls, uint32_t extra);

enum {
	FRAME_PAYLOAD = 2048, /* bytes of data in a full frame */
	FRAME_OVERHEAD = 36,  /* start of frame 4, header 24, CRC 4, end of frame 4 */
};

/* Data frames of @bytes. */
static inline uint32_t frames_of(uint64_t bytes)
{
	return (uint32_t)((bytes + FRAME_PAYLOAD - 1) / FRAME_PAYLOAD);
}

#endif
