/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-frame.c - frames that decode must encode to the same bytes */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lfp/frame.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The fields of the header are all there is in it. */
static void check_packet(const uint8_t *buf, size_t len)
{
	struct lfp_packet packet;
	uint8_t again[LFP_PACKET_HEADER];
	const char *why;

	if (lfp_packet_decode(buf, len, &packet, &why))
		return;
	lfp_packet_encode(&packet, again);
	if (memcmp(buf, again, sizeof(again)) != 0)
		abort();
}

/* Returns the length of the frame, 0 if it is bad. */
static size_t check_frame(const uint8_t *buf, size_t len, enum lfp_side side)
{
	static uint8_t again[LFP_MTU_MAX];
	struct lfp_frame frame;
	const char *why = NULL;
	int rc = lfp_frame_decode(buf, len, side, &frame, &why);

	if (rc < 0) {
		if (!why)
			abort();
		return 0;
	}
	if (lfp_frame_encode(&frame, again, sizeof(again)) != rc ||
	    memcmp(buf, again, (size_t)rc) != 0)
		abort();
	if (frame.code == LFP_DATA && !frame.task) {
		lfp_data_header(again, lfp_sock_join(frame.sock, frame.epoch), frame.data.position,
				frame.data.payload.len, frame.flags);
		if (memcmp(buf, again, (size_t)rc) != 0)
			abort();
	}
	return (size_t)rc;
}

/* One byte for the side that sends, then a packet. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum lfp_side side;
	size_t took;

	if (size < 1 + LFP_PACKET_HEADER || size > LFP_MTU_MAX)
		return 0;
	side = data[0] & 1 ? LFP_FROM_VSE : LFP_FROM_LFPD;
	data++, size--;
	check_packet(data, size);
	/* Also when the packet is bad, as its length seldom survives a mutation. */
	data += LFP_PACKET_HEADER, size -= LFP_PACKET_HEADER;
	while ((took = check_frame(data, size, side)))
		data += took, size -= took;
	return 0;
}
