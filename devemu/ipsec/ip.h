/* SPDX-License-Identifier: Apache-2.0 */
/* ip.h - headers of IPv4 (RFC 791) and IPv6 (RFC 8200) packets */
#ifndef DEVEMU_IPSEC_IP_H
#define DEVEMU_IPSEC_IP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "devemu/ipsec/drop.h"

enum {
	IP4_HEADER = 20,
	IP4_HEADER_MAX = 60,
	IP6_HEADER = 40,
	IP_PACKET_MAX = 65535,
	UDP_HEADER = 8,

	PROTO_HOP = 0, /* hop-by-hop options */
	PROTO_ICMP = 1,
	PROTO_IPV4 = 4,
	PROTO_TCP = 6,
	PROTO_UDP = 17,
	PROTO_IPV6 = 41,
	PROTO_ROUTING = 43,
	PROTO_FRAGMENT = 44,
	PROTO_ESP = 50,
	PROTO_AH = 51,
	PROTO_ICMPV6 = 58,
	PROTO_NONE = 59, /* no next header: ESP's dummy packet */
	PROTO_OPTIONS = 60,

	ECN_MASK = 3,
	ECN_CE = 3,
};

struct ip_addr {
	uint8_t version;   /* 4 or 6 */
	uint8_t bytes[16]; /* the first 4 for version 4, the others 0 */
};

/* A packet's headers, read by ip_parse(). All places are offsets from its start. */
struct ip_packet {
	uint8_t version;
	size_t len;         /* of the whole packet */
	size_t upper;       /* of the first header that is none of IP's: its place */
	uint8_t protocol;   /* of that header */
	size_t protocol_at; /* place of the byte that names @protocol */
	/* Where ESP or AH goes in transport mode: behind the last header that routers read. */
	size_t insert, insert_at;
	uint8_t insert_protocol;
	uint8_t tos, ttl; /* traffic class, hop limit */
	bool df;
	bool fragment; /* a piece of a packet; the upper header is in the first one only */
	bool more;     /* and not the last */
	uint32_t id;
	size_t offset; /* bytes of the whole before this piece */
	size_t piece;  /* place of this piece's bytes */
	struct ip_addr src, dst;
	bool has_ports;
	uint16_t src_port, dst_port; /* TCP and UDP; for ICMP type and code in src_port */
};

/* Reads the headers of the packet in @len bytes, which may be more than its own. 0, -DROP_SHORT or
 * -DROP_HEADER. */
int ip_parse(struct ip_packet *ip, const uint8_t *bytes, size_t len);

/* Writes an IPv4 header without options, or an IPv6 header, in front of @len bytes. Returns its
 * length. @id: of an IPv4 packet. */
struct ip_header {
	struct ip_addr src, dst;
	uint8_t protocol, tos, ttl;
	bool df;
	uint16_t id;
};
size_t ip_header_len(uint8_t version);
size_t ip_put(const struct ip_header *header, uint8_t *bytes, size_t len);

/* Computes the checksum of an IPv4 header anew. */
void ip_fix_checksum(uint8_t *header);

/* Sets the length of a whole packet, and an IPv4 header's checksum. */
void ip_set_len(uint8_t *packet, size_t len);

/* The Internet checksum (RFC 1071) over bytes after a start value; fold and complement at the end.
 */
uint32_t checksum_add(uint32_t sum, const uint8_t *bytes, size_t len);
uint16_t checksum_end(uint32_t sum);
/* The sum over the pseudo header of UDP, TCP and ICMPv6. */
uint32_t checksum_pseudo(const struct ip_addr *src, const struct ip_addr *dst, uint8_t protocol,
			 size_t len);

struct ip_addr ip_addr4(const uint8_t bytes[4]);
struct ip_addr ip_addr6(const uint8_t bytes[16]);
bool ip_addr_same(const struct ip_addr *a, const struct ip_addr *b);
/* Reads "10.0.0.1" or "fd00::1". 0 or -EINVAL. */
int ip_addr_read(struct ip_addr *addr, const char *text);
/* @text has IP_ADDR_TEXT bytes; returned. */
enum { IP_ADDR_TEXT = 46 };
const char *ip_addr_text(const struct ip_addr *addr, char *text);

#endif
