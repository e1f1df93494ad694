/* SPDX-License-Identifier: Apache-2.0 */
/* ip.c - reading and writing IP headers */
#include "devemu/ipsec/ip.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "lfp/bigend.h"

static void parse_ports(struct ip_packet *ip, const uint8_t *bytes)
{
	if (ip->fragment && ip->offset)
		return;
	if (ip->protocol == PROTO_TCP || ip->protocol == PROTO_UDP) {
		if (ip->len - ip->upper < 4)
			return;
		ip->src_port = be16_get(bytes + ip->upper);
		ip->dst_port = be16_get(bytes + ip->upper + 2);
		ip->has_ports = true;
	} else if (ip->protocol == PROTO_ICMP || ip->protocol == PROTO_ICMPV6) {
		if (ip->len - ip->upper < 2)
			return;
		ip->src_port = be16_get(bytes + ip->upper);
	}
}

static int parse4(struct ip_packet *ip, const uint8_t *bytes, size_t len)
{
	const size_t header = (size_t)(bytes[0] & 15) * 4;
	unsigned int piece;

	if (len < IP4_HEADER)
		return -DROP_SHORT;
	ip->len = be16_get(bytes + 2);
	if (header < IP4_HEADER || ip->len < header)
		return -DROP_HEADER;
	if (ip->len > len)
		return -DROP_SHORT;
	piece = be16_get(bytes + 6);
	ip->tos = bytes[1];
	ip->ttl = bytes[8];
	ip->id = be16_get(bytes + 4);
	ip->df = piece & 0x4000;
	ip->more = piece & 0x2000;
	ip->offset = (size_t)(piece & 0x1fff) * 8;
	ip->fragment = ip->more || ip->offset;
	ip->src = ip_addr4(bytes + 12);
	ip->dst = ip_addr4(bytes + 16);
	ip->protocol = ip->insert_protocol = bytes[9];
	ip->protocol_at = ip->insert_at = 9;
	ip->upper = ip->insert = ip->piece = header;
	return 0;
}

/* One extension header at @ip->upper: 1 if there may be another one, 0 at the end. */
static int extension(struct ip_packet *ip, const uint8_t *bytes)
{
	const uint8_t *at = bytes + ip->upper;
	const uint8_t kind = ip->protocol;
	size_t size;

	if (kind != PROTO_HOP && kind != PROTO_OPTIONS && kind != PROTO_ROUTING &&
	    kind != PROTO_FRAGMENT)
		return 0;
	if (kind == PROTO_HOP && ip->upper != IP6_HEADER)
		return -DROP_HEADER;
	if (ip->len - ip->upper < 8)
		return -DROP_SHORT;
	size = kind == PROTO_FRAGMENT ? 8 : ((size_t)at[1] + 1) * 8;
	if (ip->len - ip->upper < size)
		return -DROP_SHORT;
	ip->protocol = at[0];
	ip->protocol_at = ip->upper;
	ip->upper += size;
	if (kind == PROTO_FRAGMENT) {
		if (ip->fragment)
			return -DROP_HEADER;
		ip->fragment = true;
		ip->offset = be16_get(at + 2) & 0xfff8;
		ip->more = at[3] & 1;
		ip->id = be32_get(at + 4);
		ip->piece = ip->upper;
		return ip->offset == 0;
	}
	if (kind != PROTO_OPTIONS && !ip->fragment) {
		ip->insert = ip->upper;
		ip->insert_at = ip->protocol_at;
		ip->insert_protocol = ip->protocol;
	}
	return 1;
}

static int parse6(struct ip_packet *ip, const uint8_t *bytes, size_t len)
{
	int rc;

	if (len < IP6_HEADER)
		return -DROP_SHORT;
	ip->len = IP6_HEADER + (size_t)be16_get(bytes + 4);
	if (ip->len > len)
		return -DROP_SHORT;
	ip->tos = (uint8_t)(be16_get(bytes) >> 4);
	ip->ttl = bytes[7];
	ip->df = true; /* routers never cut it */
	ip->src = ip_addr6(bytes + 8);
	ip->dst = ip_addr6(bytes + 24);
	ip->protocol = ip->insert_protocol = bytes[6];
	ip->protocol_at = ip->insert_at = 6;
	ip->upper = ip->insert = ip->piece = IP6_HEADER;
	do
		rc = extension(ip, bytes);
	while (rc > 0);
	return rc;
}

int ip_parse(struct ip_packet *ip, const uint8_t *bytes, size_t len)
{
	int rc;

	memset(ip, 0, sizeof(*ip));
	if (len < 1)
		return -DROP_SHORT;
	ip->version = bytes[0] >> 4;
	rc = ip->version == 4   ? parse4(ip, bytes, len)
	     : ip->version == 6 ? parse6(ip, bytes, len)
				: -DROP_HEADER;
	if (rc == 0)
		parse_ports(ip, bytes);
	return rc;
}

uint32_t checksum_add(uint32_t sum, const uint8_t *bytes, size_t len)
{
	uint64_t wide = sum;

	for (; len >= 2; bytes += 2, len -= 2)
		wide += be16_get(bytes);
	if (len)
		wide += (uint32_t)bytes[0] << 8;
	while (wide >> 32)
		wide = (wide & UINT32_MAX) + (wide >> 32);
	return (uint32_t)wide;
}

uint16_t checksum_end(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

uint32_t checksum_pseudo(const struct ip_addr *src, const struct ip_addr *dst, uint8_t protocol,
			 size_t len)
{
	uint32_t sum = checksum_add(protocol, src->bytes, sizeof(src->bytes));

	sum = checksum_add(sum, dst->bytes, sizeof(dst->bytes));
	return sum + (uint32_t)(len >> 16) + (uint32_t)(len & 0xffff);
}

void ip_fix_checksum(uint8_t *header)
{
	be16_put(header + 10, 0);
	be16_put(header + 10, checksum_end(checksum_add(0, header, (size_t)(header[0] & 15) * 4)));
}

void ip_set_len(uint8_t *packet, size_t len)
{
	if (packet[0] >> 4 == 4) {
		be16_put(packet + 2, (uint16_t)len);
		ip_fix_checksum(packet);
	} else {
		be16_put(packet + 4, (uint16_t)(len - IP6_HEADER));
	}
}

size_t ip_header_len(uint8_t version)
{
	return version == 4 ? IP4_HEADER : IP6_HEADER;
}

size_t ip_put(const struct ip_header *header, uint8_t *bytes, size_t len)
{
	if (header->dst.version == 6) {
		memset(bytes, 0, 8);
		be16_put(bytes, (uint16_t)(0x6000 | header->tos << 4));
		be16_put(bytes + 4, (uint16_t)len);
		bytes[6] = header->protocol;
		bytes[7] = header->ttl;
		memcpy(bytes + 8, header->src.bytes, 16);
		memcpy(bytes + 24, header->dst.bytes, 16);
		return IP6_HEADER;
	}
	bytes[0] = 0x45;
	bytes[1] = header->tos;
	be16_put(bytes + 2, (uint16_t)(IP4_HEADER + len));
	be16_put(bytes + 4, header->id);
	be16_put(bytes + 6, header->df ? 0x4000 : 0);
	bytes[8] = header->ttl;
	bytes[9] = header->protocol;
	memcpy(bytes + 12, header->src.bytes, 4);
	memcpy(bytes + 16, header->dst.bytes, 4);
	ip_fix_checksum(bytes);
	return IP4_HEADER;
}

struct ip_addr ip_addr4(const uint8_t bytes[4])
{
	struct ip_addr addr = {.version = 4};

	memcpy(addr.bytes, bytes, 4);
	return addr;
}

struct ip_addr ip_addr6(const uint8_t bytes[16])
{
	struct ip_addr addr = {.version = 6};

	memcpy(addr.bytes, bytes, 16);
	return addr;
}

bool ip_addr_same(const struct ip_addr *a, const struct ip_addr *b)
{
	return a->version == b->version && !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

int ip_addr_read(struct ip_addr *addr, const char *text)
{
	memset(addr, 0, sizeof(*addr));
	addr->version = strchr(text, ':') ? 6 : 4;
	return inet_pton(addr->version == 6 ? AF_INET6 : AF_INET, text, addr->bytes) == 1 ? 0
											  : -EINVAL;
}

const char *ip_addr_text(const struct ip_addr *addr, char *text)
{
	if (!inet_ntop(addr->version == 6 ? AF_INET6 : AF_INET, addr->bytes, text, IP_ADDR_TEXT))
		text[0] = '\0';
	return text;
}
