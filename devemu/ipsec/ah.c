/* SPDX-License-Identifier: Apache-2.0 */
/* ah.c - the Authentication Header */
#include "devemu/ipsec/ah.h"

#include <string.h>

#include <openssl/crypto.h>

#include "lfp/bigend.h"

enum { HEADERS_MAX = 2048 };

size_t ah_len(enum auth auth, uint8_t version)
{
	const size_t len = AH_HEADER + icv_len(ENCR_NONE, auth);

	return version == 6 ? (len + 7) / 8 * 8 : len;
}

/* RFC 4302, appendix A1: the options of IPv4 that no router changes. */
static bool immutable4(uint8_t option)
{
	switch (option) {
	case 130: /* security */
	case 133: /* extended security */
	case 134: /* commercial security */
	case 148: /* router alert */
	case 149: /* sender directed multi-destination delivery */
		return true;
	default:
		return false;
	}
}

static int mute4(uint8_t *header, size_t len)
{
	size_t at = IP4_HEADER;

	header[1] = 0;
	be16_put(header + 6, 0);
	header[8] = 0;
	be16_put(header + 10, 0);
	while (at < len && header[at] != 0) {
		size_t size = 1;

		if (header[at] != 1) {
			if (len - at < 2 || header[at + 1] < 2 || header[at + 1] > len - at)
				return -DROP_HEADER;
			size = header[at + 1];
			if (!immutable4(header[at]))
				memset(header + at, 0, size);
		}
		at += size;
	}
	return 0;
}

/* Options of IPv6: bit 5 of the type says that a router may change the data. */
static int mute_options(uint8_t *options, size_t len)
{
	size_t at = 2;

	while (at < len) {
		size_t size = 1;

		if (options[at] != 0) {
			if (len - at < 2 || (size_t)options[at + 1] + 2 > len - at)
				return -DROP_HEADER;
			size = (size_t)options[at + 1] + 2;
			if (options[at] & 0x20)
				memset(options + at + 2, 0, size - 2);
		}
		at += size;
	}
	return 0;
}

static int mute6(uint8_t *header, size_t len)
{
	uint8_t kind = header[6];
	size_t at = IP6_HEADER;

	be32_put(header, 0x60000000);
	header[7] = 0;
	while (at < len) {
		const uint8_t this = kind;
		const size_t size = ((size_t)header[at + 1] + 1) * 8;

		/* ip_parse() has checked the sizes. A routing header with segments left would have
		 * to be turned into its state at the receiver, and fragments come whole here. */
		if (this == PROTO_FRAGMENT || (this == PROTO_ROUTING && header[at + 3]))
			return -DROP_HEADER;
		kind = header[at];
		if (this != PROTO_ROUTING && mute_options(header + at, size) < 0)
			return -DROP_HEADER;
		at += size;
	}
	return 0;
}

/* The integrity check value of a packet whose AH is @len bytes at @ip->upper. */
static int compute(struct transform *transform, const struct esp_number *number,
		   const uint8_t *packet, const struct ip_packet *ip, size_t len,
		   uint8_t icv[ICV_MAX])
{
	uint8_t head[HEADERS_MAX + AH_MAX], high[4];
	const size_t used = ip->upper + len;
	int rc;

	if (ip->upper > HEADERS_MAX || ip->fragment)
		return -DROP_HEADER;
	memcpy(head, packet, used);
	rc = ip->version == 4 ? mute4(head, ip->upper) : mute6(head, ip->upper);
	if (rc < 0)
		return rc;
	/* Padding behind the value is authenticated as it is. */
	memset(head + ip->upper + AH_HEADER, 0,
	       icv_len(ENCR_NONE, transform_algorithms(transform)->auth));
	be32_put(high, (uint32_t)(number->sequence >> 32));
	return transform_mac(transform,
			     (const struct part[]){
				     {head, used},
				     {packet + used, ip->len - used},
				     {high, number->extended ? sizeof(high) : 0},
			     },
			     3, icv) < 0
		       ? -DROP_CIPHER
		       : 0;
}

int ah_seal(struct transform *transform, const struct esp_number *number, uint8_t next,
	    uint8_t *packet, const struct ip_packet *ip)
{
	const enum auth auth = transform_algorithms(transform)->auth;
	const size_t len = ah_len(auth, ip->version);
	uint8_t *ah = packet + ip->upper, icv[ICV_MAX];
	int rc;

	memset(ah, 0, len);
	ah[0] = next;
	ah[1] = (uint8_t)(len / 4 - 2);
	be32_put(ah + 4, number->spi);
	be32_put(ah + 8, (uint32_t)number->sequence);
	rc = compute(transform, number, packet, ip, len, icv);
	if (rc == 0)
		memcpy(ah + AH_HEADER, icv, icv_len(ENCR_NONE, auth));
	return rc;
}

int ah_open(struct transform *transform, const struct esp_number *number, const uint8_t *packet,
	    const struct ip_packet *ip, uint8_t *next)
{
	const enum auth auth = transform_algorithms(transform)->auth;
	const size_t len = ah_len(auth, ip->version);
	const uint8_t *ah = packet + ip->upper;
	uint8_t icv[ICV_MAX];
	int rc;

	if (ip->len - ip->upper < len)
		return -DROP_SHORT;
	if (((size_t)ah[1] + 2) * 4 != len)
		return -DROP_HEADER;
	rc = compute(transform, number, packet, ip, len, icv);
	if (rc < 0)
		return rc;
	if (CRYPTO_memcmp(icv, ah + AH_HEADER, icv_len(ENCR_NONE, auth)))
		return -DROP_INTEGRITY;
	*next = ah[0];
	return (int)len;
}
