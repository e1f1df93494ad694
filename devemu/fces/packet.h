/* SPDX-License-Identifier: Apache-2.0 */
/* packet.h - packets between two processes over a socket, in sealed frames
 *
 *	"E", 1, and for each frame its length (2) and its bytes
 *
 * Frames carry up to 2,048 bytes, in order; their headers say where in the packet they belong and
 * which is the last, so that a packet arrives completely or not at all.
 */
#ifndef DEVEMU_FCES_PACKET_H
#define DEVEMU_FCES_PACKET_H

#include "devemu/fces/end.h"

enum { FCES_PACKET_FRAME = 2048 };

/* Maximum size of @len bytes when sealed. */
static inline size_t fces_packet_room(size_t len)
{
	const size_t frames = len / FCES_PACKET_FRAME + 1;

	return 2 + len + frames * (2 + FC_HEADER + FCES_OVERHEAD);
}

/* @number: of the packet. The bytes of @out, which has fces_packet_room() of them, or what
 * fces_end_seal() says. */
int fces_packet_seal(struct fces_end *end, uint16_t number, const uint8_t *packet, size_t len,
		     uint8_t *out);

/* The bytes of @out; -EMSGSIZE if @room is too little; -EPROTO, -EBADMSG and others of
 * fces_end_open(). Nothing of a packet that is not whole is to be used. */
int fces_packet_open(struct fces_end *end, const uint8_t *sealed, size_t len, uint8_t *out,
		     size_t room);

#endif
