/* SPDX-License-Identifier: Apache-2.0 */
/* dns-stream.c - takes apart what a name server sends on a connection */
#include "lfpd/policy/dns-stream.h"

#include <stdlib.h>
#include <string.h>

#include "lfp/bigend.h"

#define FIRST_ROOM 512u

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Makes room as bytes come: a server may announce more than it sends. Without memory the message is
 * passed over. */
static void make_room(struct dns_stream *stream, size_t need)
{
	size_t room = stream->room ? stream->room : FIRST_ROOM;
	uint8_t *larger;

	if (need <= stream->room || stream->len > DNS_STREAM_MAX)
		return;
	if (stream->have && !stream->msg)
		return;
	while (room < need)
		room *= 2;
	larger = realloc(stream->msg, room);
	if (!larger) {
		free(stream->msg);
		room = 0;
	}
	stream->msg = larger;
	stream->room = room;
}

static bool is_complete(const struct dns_stream *stream)
{
	return stream->nr_head == sizeof(stream->head) && stream->have == stream->len;
}

bool dns_stream_take(struct dns_stream *stream, const uint8_t **bytes, size_t *len)
{
	size_t n;

	while (*len) {
		/* The one before */
		if (is_complete(stream))
			dns_stream_finish(stream);
		if (stream->nr_head < sizeof(stream->head)) {
			stream->head[stream->nr_head++] = *(*bytes)++;
			--*len;
			if (stream->nr_head == sizeof(stream->head))
				stream->len = be16_get(stream->head);
			continue;
		}
		n = least(*len, stream->len - stream->have);
		make_room(stream, stream->have + n);
		if (stream->msg)
			memcpy(stream->msg + stream->have, *bytes, n);
		stream->have += n;
		*bytes += n;
		*len -= n;
		if (is_complete(stream) && stream->msg)
			return true;
	}
	return false;
}

void dns_stream_finish(struct dns_stream *stream)
{
	free(stream->msg);
	*stream = (struct dns_stream){.nr_head = 0};
}
