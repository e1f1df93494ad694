/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - datagrams on a path, in as many frames as they need */
#include "transport/path.h"

/* A frame without its payload: position, total, offset, and the ancillary data. */
#define HEAD (LFP_FRAME_HEADER + 8u + 4u + 4u + LFP_META_SIZE)

int parts_send(struct path *path, struct parts *parts)
{
	uint32_t most = (uint32_t)path_frame_max(path) - HEAD;

	while (!parts->begun || parts->sent < parts->total) {
		uint32_t left = parts->total - parts->sent;
		struct lfp_frame frame = {
			.code = LFP_DATAGRAM,
			.sock = parts->sock,
			.datagram =
				{
					.position = parts->position,
					.total = parts->total,
					.offset = parts->sent,
					.payload = {parts->data + parts->sent,
						    left < most ? left : most},
				},
		};
		int rc;

		lfp_meta_to(&parts->meta, &frame.datagram);
		rc = path_send_data(path, &frame);
		if (rc)
			return rc;
		parts->begun = true;
		parts->sent += frame.datagram.payload.len;
	}
	return 0;
}
