/* SPDX-License-Identifier: Apache-2.0 */
/* ah.h - the Authentication Header (RFC 4302)
 *
 *	next header (1), length in words less 2 (1), 0 (2), SPI (4), sequence number (4),
 *	integrity check value (icv_len()), with IPv6 padded to a multiple of 8 bytes
 *
 * The integrity check value covers the IP header, too, with the fields that change on the way as
 * zeros (RFC 4302, 3.3.3.1).
 */
#ifndef DEVEMU_IPSEC_AH_H
#define DEVEMU_IPSEC_AH_H

#include "devemu/ipsec/esp.h"
#include "devemu/ipsec/ip.h"

enum { AH_HEADER = 12, AH_MAX = AH_HEADER + ICV_MAX + 4 };

/* Returns the size of the header. */
size_t ah_len(enum auth auth, uint8_t version);

/**
 * ah_seal() - fill the header of a packet that is complete otherwise
 * @packet:	whole IP packet, with ah_len() bytes at @ip->upper for the header
 * @ip:		its headers; @ip->protocol is AH
 * @next:	protocol behind the header
 *
 * Return: 0, -DROP_HEADER (options that cannot be authenticated), -DROP_CIPHER.
 */
int ah_seal(struct transform *transform, const struct esp_number *number, uint8_t next,
	    uint8_t *packet, const struct ip_packet *ip);

/* Checks the header at @ip->upper of @packet, which is not changed. Returns its length with @next
 * set; -DROP_SHORT, -DROP_HEADER, -DROP_INTEGRITY, -DROP_CIPHER. */
int ah_open(struct transform *transform, const struct esp_number *number, const uint8_t *packet,
	    const struct ip_packet *ip, uint8_t *next);

#endif
