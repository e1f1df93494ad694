/* SPDX-License-Identifier: Apache-2.0 */
/* reassembly.c - putting fragments together */
#include <stdlib.h>
#include <string.h>

#include "devemu/ipsec/fragment.h"
#include "lfp/bigend.h"

#define TIMEOUT_NS (FRAGMENT_TIMEOUT_SECONDS * UINT64_C(1000000000))

struct piece {
	size_t from, to;
};

struct waiting {
	bool used, dead; /* dead: fragments overlapped, so the others are dropped */
	struct ip_addr src, dst;
	uint32_t id;
	uint8_t protocol;
	uint64_t since_ns;
	size_t head;  /* headers in front of the whole, 0: the first fragment is missing */
	size_t whole; /* bytes behind the headers, 0: the last fragment is missing */
	size_t got;
	unsigned int pieces;
	struct piece piece[FRAGMENT_PIECES];
	uint8_t *bytes; /* IP_PACKET_MAX for headers, then IP_PACKET_MAX for the rest */
};

struct reassembly {
	struct waiting waiting[FRAGMENT_PACKETS];
	uint8_t out[2 * IP_PACKET_MAX];
};

struct reassembly *reassembly_create(void)
{
	return calloc(1, sizeof(struct reassembly));
}

static void forget(struct waiting *waiting)
{
	free(waiting->bytes);
	memset(waiting, 0, sizeof(*waiting));
}

void reassembly_destroy(struct reassembly *reassembly)
{
	if (!reassembly)
		return;
	for (unsigned int i = 0; i < FRAGMENT_PACKETS; i++)
		forget(&reassembly->waiting[i]);
	free(reassembly);
}

unsigned int reassembly_expire(struct reassembly *reassembly, uint64_t now_ns)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < FRAGMENT_PACKETS; i++) {
		struct waiting *waiting = &reassembly->waiting[i];

		if (!waiting->used || now_ns - waiting->since_ns < TIMEOUT_NS)
			continue;
		nr += !waiting->dead;
		forget(waiting);
	}
	return nr;
}

/* IPv4 tells packets apart by their protocol, too; IPv6 does not (RFC 8200, 4.5). */
static bool same(const struct waiting *waiting, const struct ip_packet *ip)
{
	return waiting->used && waiting->id == ip->id && ip_addr_same(&waiting->src, &ip->src) &&
	       ip_addr_same(&waiting->dst, &ip->dst) &&
	       (ip->version == 6 || waiting->protocol == ip->protocol);
}

static struct waiting *find(struct reassembly *reassembly, const struct ip_packet *ip,
			    uint64_t now_ns)
{
	struct waiting *unused = NULL;

	for (unsigned int i = 0; i < FRAGMENT_PACKETS; i++) {
		struct waiting *waiting = &reassembly->waiting[i];

		if (same(waiting, ip))
			return waiting;
		if (!waiting->used && !unused)
			unused = waiting;
	}
	if (!unused)
		return NULL;
	unused->bytes = malloc(2 * IP_PACKET_MAX);
	if (!unused->bytes)
		return NULL;
	unused->used = true;
	unused->src = ip->src;
	unused->dst = ip->dst;
	unused->id = ip->id;
	unused->protocol = ip->protocol;
	unused->since_ns = now_ns;
	return unused;
}

/* The headers of the whole come from its first fragment, without the fragment header. */
static void keep_head(struct waiting *waiting, const struct ip_packet *ip, const uint8_t *packet)
{
	const size_t head = ip->version == 4 ? ip->piece : ip->piece - 8;

	memcpy(waiting->bytes, packet, head);
	waiting->head = head;
	if (ip->version == 6) {
		/* The byte that named the fragment header now names what is behind it. */
		size_t at = 6, next = IP6_HEADER;

		while (next < head) {
			at = next;
			next += ((size_t)packet[next + 1] + 1) * 8;
		}
		waiting->bytes[at] = packet[head];
	} else {
		be16_put(waiting->bytes + 6, 0);
	}
}

static bool overlaps(const struct waiting *waiting, size_t from, size_t to)
{
	for (unsigned int i = 0; i < waiting->pieces; i++)
		if (from < waiting->piece[i].to && waiting->piece[i].from < to)
			return true;
	return waiting->whole && to > waiting->whole;
}

static int kill(struct waiting *waiting, int reason)
{
	waiting->dead = true;
	free(waiting->bytes);
	waiting->bytes = NULL;
	return reason;
}

static int add(struct waiting *waiting, const struct ip_packet *ip, const uint8_t *packet,
	       size_t from, size_t to)
{
	if (overlaps(waiting, from, to))
		return kill(waiting, -DROP_OVERLAP);
	if (!ip->more) {
		for (unsigned int i = 0; i < waiting->pieces; i++)
			if (waiting->piece[i].to > to)
				return kill(waiting, -DROP_OVERLAP);
		if (waiting->whole)
			return kill(waiting, -DROP_OVERLAP);
		waiting->whole = to;
	}
	if (waiting->pieces == FRAGMENT_PIECES)
		return kill(waiting, -DROP_FRAGMENT_LIMIT);
	waiting->piece[waiting->pieces++] = (struct piece){from, to};
	waiting->got += to - from;
	memcpy(waiting->bytes + IP_PACKET_MAX + from, packet + ip->piece, to - from);
	if (from == 0)
		keep_head(waiting, ip, packet);
	return 0;
}

static int finish(struct reassembly *reassembly, struct waiting *waiting, const uint8_t **out)
{
	const size_t total = waiting->head + waiting->whole;

	if (total > IP_PACKET_MAX) {
		forget(waiting);
		return -DROP_FRAGMENT_LIMIT;
	}
	memcpy(reassembly->out, waiting->bytes, waiting->head);
	memcpy(reassembly->out + waiting->head, waiting->bytes + IP_PACKET_MAX, waiting->whole);
	ip_set_len(reassembly->out, total);
	*out = reassembly->out;
	forget(waiting);
	return (int)total;
}

int reassembly_take(struct reassembly *reassembly, const struct ip_packet *ip,
		    const uint8_t *packet, uint64_t now_ns, const uint8_t **out)
{
	const size_t from = ip->offset, to = from + ip->len - ip->piece;
	struct waiting *waiting;
	int rc;

	/* All but the last one are multiples of 8 bytes, and none is empty. */
	if (to == from || (ip->more && (to - from) % 8))
		return -DROP_HEADER;
	if (to > IP_PACKET_MAX)
		return -DROP_FRAGMENT_LIMIT;
	waiting = find(reassembly, ip, now_ns);
	if (!waiting)
		return -DROP_FRAGMENT_LIMIT;
	if (waiting->dead)
		return -DROP_OVERLAP;
	rc = add(waiting, ip, packet, from, to);
	if (rc < 0)
		return rc;
	if (!waiting->whole || !waiting->head || waiting->got != waiting->whole)
		return 0;
	return finish(reassembly, waiting, out);
}
