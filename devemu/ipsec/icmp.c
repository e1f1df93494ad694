/* SPDX-License-Identifier: Apache-2.0 */
/* icmp.c - "packet too big" */
#include "devemu/ipsec/icmp.h"

#include <string.h>

#include "lfp/bigend.h"

enum {
	HEADER = 8,
	UNREACHABLE = 3, /* ICMP: destination unreachable */
	CUT_NEEDED = 4,  /* its code: fragmentation needed */
	TOO_BIG = 2,     /* ICMPv6 */
	TTL = 64,
};

/* Returns true if @packet is an ICMP message that is no error, or none at all. */
static bool may_answer(const struct ip_packet *ip, const uint8_t *packet)
{
	if (ip->fragment && ip->offset)
		return false;
	if (ip->protocol == PROTO_ICMP && ip->version == 4)
		return ip->len > ip->upper && (packet[ip->upper] == 0 || packet[ip->upper] == 8);
	if (ip->protocol == PROTO_ICMPV6 && ip->version == 6)
		return ip->len > ip->upper && packet[ip->upper] & 0x80;
	return true;
}

size_t icmp_too_big(const struct ip_packet *ip, const uint8_t *packet, unsigned int mtu,
		    uint8_t out[ICMP_MAX])
{
	const struct ip_header header = {
		.src = ip->dst,
		.dst = ip->src,
		.protocol = ip->version == 4 ? PROTO_ICMP : PROTO_ICMPV6,
		.ttl = TTL,
	};
	const size_t front = ip_header_len(ip->version), room = ICMP_MAX - front - HEADER;
	const size_t part = ip->len < room ? ip->len : room, len = HEADER + part;
	uint8_t *icmp = out + front;
	uint32_t sum = 0;

	if (!may_answer(ip, packet))
		return 0;
	ip_put(&header, out, len);
	memset(icmp, 0, HEADER);
	icmp[0] = ip->version == 4 ? UNREACHABLE : TOO_BIG;
	icmp[1] = ip->version == 4 ? CUT_NEEDED : 0;
	be32_put(icmp + 4, ip->version == 4 ? mtu & 0xffff : mtu);
	memcpy(icmp + HEADER, packet, part);
	if (ip->version == 6)
		sum = checksum_pseudo(&header.src, &header.dst, PROTO_ICMPV6, len);
	be16_put(icmp + 2, checksum_end(checksum_add(sum, icmp, len)));
	return front + len;
}

/* The packet in the message may be cut; only the start of its upper header is needed. */
static int read_inner(const uint8_t *bytes, size_t len, struct icmp_report *report)
{
	const bool four = len && bytes[0] >> 4 == 4;
	const size_t front = four ? (size_t)(bytes[0] & 15) * 4 : IP6_HEADER;
	size_t at = front;

	if (len < front + 8 || (four && front < IP4_HEADER))
		return -DROP_HEADER;
	report->dst = four ? ip_addr4(bytes + 16) : ip_addr6(bytes + 24);
	report->protocol = bytes[four ? 9 : 6];
	if (report->protocol == PROTO_AH)
		at += 4;
	else if (report->protocol == PROTO_UDP)
		at += UDP_HEADER;
	else if (report->protocol != PROTO_ESP)
		return -DROP_HEADER;
	if (len < at + 4)
		return -DROP_HEADER;
	report->spi = be32_get(bytes + at);
	return 0;
}

int icmp_read(const struct ip_packet *ip, const uint8_t *packet, struct icmp_report *report)
{
	const bool four = ip->version == 4;
	const uint8_t *icmp = packet + ip->upper;
	const size_t len = ip->len - ip->upper;

	if (ip->fragment || ip->protocol != (four ? PROTO_ICMP : PROTO_ICMPV6) || len < HEADER ||
	    icmp[0] != (four ? UNREACHABLE : TOO_BIG) || (four && icmp[1] != CUT_NEEDED))
		return -DROP_HEADER;
	report->mtu = four ? be16_get(icmp + 6) : be32_get(icmp + 4);
	if (len == HEADER || icmp[HEADER] >> 4 != ip->version)
		return -DROP_HEADER;
	return read_inner(icmp + HEADER, len - HEADER, report);
}
