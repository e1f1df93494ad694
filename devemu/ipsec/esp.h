/* SPDX-License-Identifier: Apache-2.0 */
/* esp.h - the Encapsulating Security Payload (RFC 4303), without the IP header around it
 *
 *	SPI (4), sequence number (4), initialization vector (iv_len()),
 *	payload, padding 1 2 3 ..., its length (1), next header (1): encrypted
 *	integrity check value (icv_len())
 *
 * Extended sequence numbers (RFC 4303, 2.2.1) send the lower half only; the upper half is
 * authenticated. Neither function looks at windows or lifetimes (sa.h).
 */
#ifndef DEVEMU_IPSEC_ESP_H
#define DEVEMU_IPSEC_ESP_H

#include "devemu/ipsec/drop.h"
#include "devemu/ipsec/transform.h"

enum { ESP_HEADER = 8 };

struct esp_number {
	uint32_t spi;
	uint64_t sequence; /* 32 bits unless @extended */
	bool extended;
};

/* Most bytes that ESP adds to a payload. */
enum { ESP_MORE_MAX = ESP_HEADER + IV_MAX + 15 + 2 + ICV_MAX };

/* Returns the size of a payload of @len bytes as ESP. */
size_t esp_len(const struct algorithms *algorithms, size_t len);

/**
 * esp_seal() - seal a payload as ESP
 * @iv:	iv_len() bytes; with GCM never the same twice under a key
 * @out:	gets esp_len() bytes; may not overlap @payload
 *
 * Return: the bytes in @out, or -DROP_CIPHER, or -DROP_NO_ROOM if @room is too little.
 */
int esp_seal(struct transform *transform, const struct esp_number *number, const uint8_t *iv,
	     uint8_t next, const uint8_t *payload, size_t len, uint8_t *out, size_t room);

/**
 * esp_open() - check ESP and get its payload
 * @number:	@sequence has the upper half that the receiver has derived; the lower one is the
 * packet's
 * @out:	gets payload, padding and the two bytes after it: @len bytes always suffice. Not
 * to be used if this fails
 *
 * Return: bytes of the payload, with @next set; -DROP_SHORT, -DROP_INTEGRITY, -DROP_PADDING,
 * -DROP_CIPHER.
 */
int esp_open(struct transform *transform, const struct esp_number *number, const uint8_t *esp,
	     size_t len, uint8_t *out, size_t room, uint8_t *next);

#endif
