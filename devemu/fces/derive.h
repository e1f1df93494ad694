/* SPDX-License-Identifier: Apache-2.0 */
/* derive.h - keys that two ends derive from their shared key: HKDF and HMAC with SHA-256 (RFC 5869)
 */
#ifndef DEVEMU_FCES_DERIVE_H
#define DEVEMU_FCES_DERIVE_H

#include <stddef.h>
#include <stdint.h>

#include "devemu/fces/association.h"

enum { DERIVE_NONCE = 32, DERIVE_MAC = 32 };

/* Keys of one agreement: one proves to the other end that this end has the key, the others are for
 * frames, [0] from the end that asked, [1] from the one that answered. */
struct derived_keys {
	uint8_t proof[DERIVE_MAC];
	struct {
		uint8_t key[FCES_KEY], salt[FCES_SALT];
	} direction[2];
};

/* Both nonces one behind the other; @context binds the keys to the messages of the ends. 0, or -EIO
 * if OpenSSL refuses. */
int derive_keys(struct derived_keys *keys, const uint8_t shared[FCES_KEY],
		const uint8_t nonces[2 * DERIVE_NONCE], const void *context, size_t len);

/* HMAC over @label, and @len bytes behind it. 0 or -EIO. */
int derive_mac(uint8_t mac[DERIVE_MAC], const uint8_t key[DERIVE_MAC], const char *label,
	       const void *bytes, size_t len);

#endif
