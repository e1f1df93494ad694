/* SPDX-License-Identifier: Apache-2.0 */
/* gcm.h - AES-GCM (NIST SP 800-38D) with keys set up once, by OpenSSL */
#ifndef DEVEMU_CRYPTO_GCM_H
#define DEVEMU_CRYPTO_GCM_H

#include <stddef.h>
#include <stdint.h>

enum { GCM_NONCE = 12, GCM_TAG = 16 };

struct gcm;

/* @len: bytes of the key, 16, 24 or 32. NULL with errno ENOMEM or EINVAL. Destroying wipes the key.
 */
struct gcm *gcm_create(const uint8_t *key, size_t len);
void gcm_destroy(struct gcm *gcm);

/* Encrypt @len bytes of @in to @out, authenticate them and @aad; no nonce may come twice. 0 or -EIO
 * if OpenSSL refuses. */
int gcm_seal(struct gcm *gcm, const uint8_t nonce[GCM_NONCE], const uint8_t *aad, size_t aadlen,
	     const uint8_t *in, size_t len, uint8_t *out, uint8_t tag[GCM_TAG]);

/* The other way. 0, or -EBADMSG if anything of it is not as it was; @out is then all zeros. */
int gcm_open(struct gcm *gcm, const uint8_t nonce[GCM_NONCE], const uint8_t *aad, size_t aadlen,
	     const uint8_t *in, size_t len, uint8_t *out, const uint8_t tag[GCM_TAG]);

#endif
