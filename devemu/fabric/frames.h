/* SPDX-License-Identifier: Apache-2.0 */
/* frames.h - how many frames of how many bytes carry an information unit
 */
#ifndef DEVEMU_FABRIC_FRAMES_H
#define DEVEMU_FABRIC_FRAMES_H

#include <stdint.h>

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
