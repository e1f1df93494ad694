/* SPDX-License-Identifier: Apache-2.0 */
/* packet.c - packets in sealed frames */
#include "devemu/fces/packet.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum { HEAD = 2, R_CTL_DATA = 0x01, TYPE_FC_SB = 0x1b, F_CTL_LAST = 0x100000 };

int fces_packet_seal(struct fces_end *end, uint16_t number, const uint8_t *packet, size_t len,
		     uint8_t *out)
{
	struct fc_header header = {.r_ctl = R_CTL_DATA, .type = TYPE_FC_SB, .ox_id = number};
	uint8_t frame[FC_HEADER + FCES_PACKET_FRAME];
	size_t at = 0, used = HEAD;

	out[0] = 'E';
	out[1] = 1;
	do {
		const size_t part = len - at < FCES_PACKET_FRAME ? len - at : FCES_PACKET_FRAME;
		int rc;

		header.f_ctl = at + part == len ? F_CTL_LAST : 0;
		header.parameter = (uint32_t)at;
		fc_header_put(frame, &header);
		memcpy(frame + FC_HEADER, packet + at, part);
		rc = fces_end_seal(end, frame, FC_HEADER + part, out + used + 2,
				   FC_HEADER + part + FCES_OVERHEAD);
		if (rc < 0)
			return rc;
		be16_put(out + used, (uint16_t)rc);
		used += 2 + (size_t)rc;
		header.seq_cnt++;
		at += part;
	} while (at < len);
	return (int)used;
}

/* Returns true if the frame is the next of its packet, with an unchanged header. */
static bool is_next(const uint8_t *frame, size_t at, uint16_t count, uint16_t number, bool last)
{
	const struct fc_header header = {
		.r_ctl = R_CTL_DATA,
		.type = TYPE_FC_SB,
		.f_ctl = last ? F_CTL_LAST : 0,
		.seq_cnt = count,
		.ox_id = number,
		.parameter = (uint32_t)at,
	};
	uint8_t want[FC_HEADER];

	fc_header_put(want, &header);
	return memcmp(frame, want, FC_HEADER) == 0;
}

int fces_packet_open(struct fces_end *end, const uint8_t *sealed, size_t len, uint8_t *out,
		     size_t room)
{
	uint8_t frame[FC_FRAME_MAX];
	uint16_t count = 0, number = 0;
	size_t used = HEAD, at = 0;

	if (len < HEAD || sealed[0] != 'E' || sealed[1] != 1)
		return -EPROTO;
	do {
		size_t size, payload;
		int rc;

		if (len - used < 2)
			return -EPROTO;
		size = be16_get(sealed + used);
		used += 2;
		if (len - used < size)
			return -EPROTO;
		rc = fces_end_open(end, sealed + used, size, frame, sizeof(frame));
		if (rc < 0)
			return rc;
		used += size;
		payload = (size_t)rc - FC_HEADER;
		if (!count)
			number = be16_get(frame + 16);
		if (!is_next(frame, at, count++, number, used == len))
			return -EPROTO;
		if (room - at < payload)
			return -EMSGSIZE;
		memcpy(out + at, frame + FC_HEADER, payload);
		at += payload;
	} while (used < len);
	return (int)at;
}
