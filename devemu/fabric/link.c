/* SPDX-License-Identifier: Apache-2.0 */
/* link.c - frames on a line, one credit each */
#include "devemu/fabric/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/fabric/preset.h"

int fabric_link_init(struct link *link, const struct link_config *config)
{
	const uint64_t credits = (uint64_t)config->credits * config->credit_efficiency / 100;

	memset(link, 0, sizeof(*link));
	memcpy(link->name, config->name, sizeof(link->name));
	link->gbps = config->gbps;
	link->fec = config->fec;
	link->up = true;
	link->propagation = (int64_t)config->metres * 5000;
	for (int d = 0; d < 2; d++) {
		struct link_direction *direction = &link->direction[d];

		direction->line.rate = config->gbps * UINT64_C(106250);
		direction->credits = credits ? (uint32_t)credits : 1;
		direction->credit = calloc(direction->credits, sizeof(*direction->credit));
		if (!direction->credit) {
			fabric_link_finish(link);
			return -ENOMEM;
		}
	}
	return 0;
}

void fabric_link_finish(struct link *link)
{
	for (int d = 0; d < 2; d++) {
		free(link->direction[d].credit);
		link->direction[d].credit = NULL;
	}
}

/* Take the next credit at @at or when it is back; give it back at @back after the frame's @time. */
static int64_t frame_start(struct link_direction *direction, int64_t at, int64_t time, int64_t way)
{
	int64_t *credit = &direction->credit[direction->next];

	if (*credit > at) {
		direction->counters.credit_wait += (uint64_t)(*credit - at);
		direction->counters.credit_waits++;
		at = *credit;
	}
	*credit = at + time + 2 * way;
	if (++direction->next == direction->credits)
		direction->next = 0;
	return at;
}

/* Data frames, evenly between the first and the last byte of @burst. */
static void send_data(struct link *link, struct link_direction *direction, struct burst *burst,
		      uint64_t bytes, uint32_t extra)
{
	const uint32_t frames = frames_of(bytes);
	const int64_t spread = burst->last - burst->first;
	struct server *line = &direction->line;
	int64_t end = burst->first;

	for (uint32_t i = 0; i < frames; i++) {
		const uint64_t payload =
			i + 1 < frames ? FRAME_PAYLOAD : bytes - (uint64_t)i * FRAME_PAYLOAD;
		const uint64_t frame = payload + FRAME_OVERHEAD + extra;
		const int64_t time = server_time(line, frame + preset_line.fill);
		/* A frame can start when its bytes can follow without a gap. */
		int64_t at = burst->first;
		int64_t start;

		if (spread > 0) {
			const int64_t there = burst->first + spread / frames * (i + 1) - time;

			if (there > at)
				at = there;
		}
		if (line->free_at > at)
			at = line->free_at;
		start = frame_start(direction, at, time, link->propagation);
		if (i == 0)
			burst->first = start;
		/* While a frame waits for bytes, others may use the line; while it waits for
		 * credit, they may not. */
		line->free_at =
			(start > at || line->free_at < burst->first ? start : line->free_at) + time;
		direction->counters.busy += (uint64_t)time;
		end = start + time;
		direction->counters.frame_bytes += frame;
	}
	direction->counters.frames += frames;
	direction->counters.data_frames += frames;
	direction->fill += frames * (uint64_t)preset_line.fill;
	if (burst->last < end)
		burst->last = end;
}

static void send_controls(struct link *link, struct link_direction *direction, struct burst *burst,
			  unsigned int controls, bool alone, uint32_t extra)
{
	struct server *line = &direction->line;
	const uint64_t frame = preset_line.control + extra;

	for (unsigned int i = 0; i < controls; i++) {
		const uint64_t from_fill = direction->fill < frame ? direction->fill : frame;
		const int64_t time = (int64_t)(frame * UINT64_C(1000000000) / line->rate);
		int64_t at = alone ? burst->first : burst->last;

		direction->fill -= from_fill;
		if (from_fill < frame) {
			const int64_t hold = server_time(line, frame - from_fill);

			if (line->free_at < at)
				line->free_at = at;
			at = line->free_at;
			line->free_at += hold;
			direction->counters.busy += (uint64_t)hold;
		}
		at = frame_start(direction, at, time, link->propagation);
		if (alone && i == 0)
			burst->first = at;
		if (burst->last < at + time)
			burst->last = at + time;
	}
	direction->counters.frames += controls;
	direction->counters.frame_bytes += controls * frame;
	/* Unused older fill is lost: only recent fill can carry frames. */
	if (direction->fill > preset_line.fill_kept)
		direction->fill = preset_line.fill_kept;
}

void fabric_link_send(struct link *link, bool from_cu, struct burst *burst, uint64_t bytes,
		      unsigned int controls, uint32_t extra)
{
	struct link_direction *direction = &link->direction[from_cu];

	if (bytes)
		send_data(link, direction, burst, bytes, extra);
	if (controls)
		send_controls(link, direction, burst, controls, bytes == 0, extra);
	burst->first += link->propagation;
	burst->last += link->propagation;
}
