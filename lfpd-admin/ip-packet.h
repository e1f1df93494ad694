/* SPDX-License-Identifier: Apache-2.0 */
/* ip-packet.h - headers of IP, TCP and UDP with their checksums */
#ifndef LFPD_ADMIN_IP_PACKET_H
#define LFPD_ADMIN_IP_PACKET_H

#include <stdint.h>

#include "lfp/frame.h"

#define IP_PACKET_HEAD 96u /* bytes that the headers take at most */

enum { TCP_FIN = 1, TCP_SYN = 2, TCP_RST = 4, TCP_PSH = 8, TCP_ACK = 16 };

struct ip_packet {
	const struct lfp_addr *from, *to; /* one may be unknown: family 0 */
	bool udp;
	uint32_t seq, ack; /* of TCP */
	uint8_t flags;     /* of TCP; a SYN has the options of a modern stack */
	uint16_t id;       /* of IPv4 */
	const uint8_t *payload;
	uint32_t len, kept; /* of the payload, and of these the bytes that are there */
};

/* Writes the headers. Returns their length. Without all of the payload there is no checksum: 0. */
uint32_t ip_packet_head(const struct ip_packet *packet, uint8_t head[static IP_PACKET_HEAD]);

#endif
