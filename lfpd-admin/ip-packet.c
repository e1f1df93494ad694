/* SPDX-License-Identifier: Apache-2.0 */
/* ip-packet.c - headers of IP, TCP and UDP with their checksums */
#include "lfpd-admin/ip-packet.h"

#include <netinet/in.h>
#include <string.h>

#include "lfp/bigend.h"

#define V4_HEAD     20u
#define V6_HEAD     40u
#define TCP_HEAD    20u
#define UDP_HEAD    8u
#define HOPS        64u
#define WINDOW      65535u
#define SYN_OPTIONS 8u

/* The options of a SYN: the window may be 1 GB, so no packet exceeds it. */
static const uint8_t syn_options[SYN_OPTIONS] = {2, 4, 0xff, 0xd7, 1, 3, 3, 14};

/* RFC 1071 */
static uint32_t add(uint32_t sum, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i + 1 < len; i += 2) {
		sum += be16_get(bytes + i);
		sum = (sum & 0xffff) + (sum >> 16);
	}
	if (len & 1)
		sum += (uint32_t)bytes[len - 1] << 8;
	return (sum & 0xffff) + (sum >> 16);
}

static uint16_t fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static bool is_v6(const struct lfp_addr *addr)
{
	return addr->family == LFP_AF_INET6 &&
	       !IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)(const void *)addr->ip);
}

/* Copies the address of 4 or 16 bytes; zeros if it is unknown, or a wildcard. */
static void put_addr(const struct lfp_addr *addr, bool v6, uint8_t *at)
{
	memset(at, 0, v6 ? 16 : 4);
	if (addr->family == LFP_AF_INET && !v6)
		memcpy(at, addr->ip, 4);
	else if (is_v6(addr) && v6)
		memcpy(at, addr->ip, 16);
	else if (addr->family == LFP_AF_INET6 && !is_v6(addr) && !v6)
		memcpy(at, addr->ip + 12, 4);
}

/* A wildcard of IPv6 is the other side of any address. */
static bool decides_v6(const struct lfp_addr *from, const struct lfp_addr *to)
{
	const struct lfp_addr *peer = from->family == LFP_AF_UNSPEC ? to : from;
	static const uint8_t none[16];

	if (to->family != LFP_AF_UNSPEC && from->family == LFP_AF_INET6 &&
	    !memcmp(from->ip, none, 16))
		peer = to;
	return is_v6(peer);
}

static uint32_t put_tcp(const struct ip_packet *packet, uint8_t *at)
{
	uint32_t len = TCP_HEAD + (packet->flags & TCP_SYN ? SYN_OPTIONS : 0);

	be16_put(at, packet->from->port);
	be16_put(at + 2, packet->to->port);
	be32_put(at + 4, packet->seq);
	be32_put(at + 8, packet->ack);
	at[12] = (uint8_t)(len / 4 << 4);
	at[13] = packet->flags;
	be16_put(at + 14, packet->flags & TCP_RST ? 0 : WINDOW);
	be32_put(at + 16, 0);
	memcpy(at + TCP_HEAD, syn_options, len - TCP_HEAD);
	return len;
}

static uint32_t put_udp(const struct ip_packet *packet, uint8_t *at)
{
	be16_put(at, packet->from->port);
	be16_put(at + 2, packet->to->port);
	be16_put(at + 4, (uint16_t)(UDP_HEAD + packet->len));
	be16_put(at + 6, 0);
	return UDP_HEAD;
}

/* @addrs: both addresses in the header of IP */
static void put_checksum(const struct ip_packet *packet, const uint8_t *addrs, size_t addrs_len,
			 uint8_t *at, uint32_t len)
{
	uint32_t sum = (packet->udp ? IPPROTO_UDP : IPPROTO_TCP) + len + packet->len;
	uint16_t checksum;

	if (packet->kept < packet->len)
		return;
	sum = (sum & 0xffff) + (sum >> 16);
	sum = add(sum, addrs, addrs_len);
	sum = add(sum, at, len);
	checksum = fold(add(sum, packet->payload, packet->len));
	if (packet->udp && !checksum)
		checksum = 0xffff;
	be16_put(at + (packet->udp ? 6 : 16), checksum);
}

uint32_t ip_packet_head(const struct ip_packet *packet, uint8_t head[static IP_PACKET_HEAD])
{
	bool v6 = decides_v6(packet->from, packet->to);
	uint32_t ip = v6 ? V6_HEAD : V4_HEAD, len;
	uint8_t protocol = packet->udp ? IPPROTO_UDP : IPPROTO_TCP;

	memset(head, 0, IP_PACKET_HEAD);
	len = packet->udp ? put_udp(packet, head + ip) : put_tcp(packet, head + ip);
	if (v6) {
		head[0] = 0x60;
		be16_put(head + 4, (uint16_t)(len + packet->len));
		head[6] = protocol;
		head[7] = HOPS;
		put_addr(packet->from, true, head + 8);
		put_addr(packet->to, true, head + 24);
		put_checksum(packet, head + 8, 32, head + ip, len);
		return ip + len;
	}
	head[0] = 0x45;
	be16_put(head + 2, (uint16_t)(ip + len + packet->len));
	be16_put(head + 4, packet->id);
	head[6] = 0x40; /* do not fragment */
	head[8] = HOPS;
	head[9] = protocol;
	put_addr(packet->from, false, head + 12);
	put_addr(packet->to, false, head + 16);
	be16_put(head + 10, fold(add(0, head, V4_HEAD)));
	put_checksum(packet, head + 12, 8, head + ip, len);
	return ip + len;
}
