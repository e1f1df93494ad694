/* SPDX-License-Identifier: Apache-2.0 */
/* icmp.h - ICMP messages about a packet that is too big: made and read (RFC 792, 1191, 4443) */
#ifndef DEVEMU_IPSEC_ICMP_H
#define DEVEMU_IPSEC_ICMP_H

#include "devemu/ipsec/ip.h"

enum { ICMP_MAX = 576 };

/* Makes the message that tells the sender of @packet to send at most @mtu bytes. Its source is the
 * destination of @packet. Returns its size; 0 if no message may be sent about the packet: it is a
 * later fragment or ICMP about an error itself. */
size_t icmp_too_big(const struct ip_packet *ip, const uint8_t *packet, unsigned int mtu,
		    uint8_t out[ICMP_MAX]);

/* Contents of a received message about a packet that this side sent. */
struct icmp_report {
	unsigned int mtu;
	struct ip_addr dst; /* of the packet */
	uint8_t protocol;   /* ESP, AH or UDP */
	uint32_t spi;       /* with UDP, of the ESP in it */
};

/* Reads a message from @ip and @packet. 0, or -DROP_HEADER if it is no such message. */
int icmp_read(const struct ip_packet *ip, const uint8_t *packet, struct icmp_report *report);

#endif
