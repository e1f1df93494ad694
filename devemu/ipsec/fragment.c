/* SPDX-License-Identifier: Apache-2.0 */
/* fragment.c - cutting IP packets */
#include "devemu/ipsec/fragment.h"

#include <string.h>

#include "lfp/bigend.h"

enum { FRAGMENT_HEADER = 8, MORE = 0x2000 };

struct cut {
	const struct ip_packet *ip;
	const uint8_t *packet;
	size_t front; /* headers in each fragment */
	uint32_t id;
};

/* Writes one fragment of @len bytes that begin @at bytes after the headers. Returns its size. */
static size_t put4(const struct cut *cut, size_t at, size_t len, bool more, uint8_t *out)
{
	const size_t offset = cut->ip->offset + at;

	memcpy(out, cut->packet, cut->front);
	memcpy(out + cut->front, cut->packet + cut->front + at, len);
	be16_put(out + 6, (uint16_t)(offset / 8 | (more || cut->ip->more ? MORE : 0)));
	ip_set_len(out, cut->front + len);
	return cut->front + len;
}

static size_t put6(const struct cut *cut, size_t at, size_t len, bool more, uint8_t *out)
{
	uint8_t *header = out + cut->front;

	memcpy(out, cut->packet, cut->front);
	header[0] = cut->ip->insert_protocol;
	header[1] = 0;
	be16_put(header + 2, (uint16_t)(at | (more ? 1 : 0)));
	be32_put(header + 4, cut->id);
	out[cut->ip->insert_at] = PROTO_FRAGMENT;
	memcpy(header + FRAGMENT_HEADER, cut->packet + cut->front + at, len);
	ip_set_len(out, cut->front + FRAGMENT_HEADER + len);
	return cut->front + FRAGMENT_HEADER + len;
}

int fragment_cut(const struct ip_packet *ip, const uint8_t *packet, size_t mtu, uint32_t id,
		 uint8_t *out, int (*take)(void *context, const uint8_t *piece, size_t len),
		 void *context)
{
	const struct cut cut = {ip, packet, ip->insert, id};
	const size_t head = ip->insert + (ip->version == 6 ? FRAGMENT_HEADER : 0);
	const size_t all = ip->len - ip->insert;
	int nr = 0, rc;

	if (ip->version == 6 ? ip->fragment : ip->df)
		return ip->version == 6 ? -DROP_HEADER : -DROP_TOO_BIG;
	if (mtu < head + 8)
		return -DROP_TOO_BIG;
	for (size_t at = 0, len; at < all; at += len, nr++) {
		const size_t most = (mtu - head) / 8 * 8;
		const bool more = all - at > most;

		len = more ? most : all - at;
		rc = take(context, out,
			  ip->version == 6 ? put6(&cut, at, len, more, out)
					   : put4(&cut, at, len, more, out));
		if (rc < 0)
			return rc;
	}
	return nr;
}
