/* SPDX-License-Identifier: Apache-2.0 */
/* orb.c - the operation-request block */
#include <errno.h>
#include <string.h>

#include "lfp/bigend.h"
#include "devemu/channel/orb.h"

/* Word 1 */
#define W1_KEY      0xf0000000u
#define W1_S        0x08000000u
#define W1_C        0x04000000u
#define W1_M        0x02000000u
#define W1_Y        0x01000000u
#define W1_F        0x00800000u
#define W1_P        0x00400000u
#define W1_I        0x00200000u
#define W1_A        0x00100000u
#define W1_U        0x00080000u
#define W1_B        0x00040000u
#define W1_H        0x00020000u
#define W1_T        0x00010000u
#define W1_L        0x00000080u
#define W1_D        0x00000040u
#define W1_X        0x00000001u
#define W1_RESERVED 0x0000003eu
/* Transport mode has no use for most of them; they must be zero. */
#define W1_RESERVED_TRANSPORT                                                                      \
	(W1_S | W1_C | W1_M | W1_Y | W1_F | W1_P | W1_I | W1_A | W1_U | W1_H | W1_T | W1_L | W1_D)

int orb_decode(const uint8_t bytes[ORB_LEN], struct orb *orb)
{
	uint32_t w1 = be32_get(bytes + 4);
	uint32_t program = be32_get(bytes + 8);
	bool transport = w1 & W1_B;

	if (w1 & W1_RESERVED || program & 0x80000000u)
		return -EINVAL;
	if (transport && (w1 & W1_RESERVED_TRANSPORT || !(w1 & W1_X)))
		return -EINVAL;
	*orb = (struct orb){
		.intparm = be32_get(bytes),
		.key = (uint8_t)(w1 >> 24) & 0xf0,
		.suspend = w1 & W1_S,
		.streaming = w1 & W1_C,
		.modification = w1 & W1_M,
		.synchronize = w1 & W1_Y,
		.format1 = w1 & W1_F,
		.prefetch = w1 & W1_P,
		.initial_status = w1 & W1_I,
		.address_limit = w1 & W1_A,
		.suppress_suspended = w1 & W1_U,
		.transport = transport,
		.idaw64 = w1 & W1_H,
		.idaw2k = w1 & W1_T,
		.lpm = (uint8_t)(w1 >> 8),
		.length_suppression = w1 & W1_L,
		.midaw = w1 & W1_D,
		.extended = w1 & W1_X,
		.program = program,
	};
	if (orb->extended) {
		orb->css_priority = bytes[12];
		if (transport)
			orb->program_reserved = bytes[14];
		else
			orb->cu_priority = bytes[14];
	}
	return 0;
}

void orb_encode(const struct orb *orb, uint8_t bytes[ORB_LEN])
{
	uint32_t w1 = (uint32_t)(orb->key & 0xf0) << 24 | (uint32_t)orb->lpm << 8;

	w1 |= orb->suspend ? W1_S : 0;
	w1 |= orb->streaming ? W1_C : 0;
	w1 |= orb->modification ? W1_M : 0;
	w1 |= orb->synchronize ? W1_Y : 0;
	w1 |= orb->format1 ? W1_F : 0;
	w1 |= orb->prefetch ? W1_P : 0;
	w1 |= orb->initial_status ? W1_I : 0;
	w1 |= orb->address_limit ? W1_A : 0;
	w1 |= orb->suppress_suspended ? W1_U : 0;
	w1 |= orb->transport ? W1_B : 0;
	w1 |= orb->idaw64 ? W1_H : 0;
	w1 |= orb->idaw2k ? W1_T : 0;
	w1 |= orb->length_suppression ? W1_L : 0;
	w1 |= orb->midaw ? W1_D : 0;
	w1 |= orb->extended ? W1_X : 0;
	memset(bytes, 0, ORB_LEN);
	be32_put(bytes, orb->intparm);
	be32_put(bytes + 4, w1);
	be32_put(bytes + 8, orb->program);
	if (orb->extended) {
		bytes[12] = orb->css_priority;
		bytes[14] = orb->transport ? orb->program_reserved : orb->cu_priority;
	}
}
