/* SPDX-License-Identifier: Apache-2.0 */
/* transform.h - the ciphers of a security association, by OpenSSL
 *
 * A transform belongs to one thread: it holds contexts that are set up with the key once and used
 * for each packet.
 */
#ifndef DEVEMU_IPSEC_TRANSFORM_H
#define DEVEMU_IPSEC_TRANSFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum encr {
	ENCR_NONE,     /* AH */
	ENCR_NULL,     /* RFC 2410 */
	ENCR_3DES_CBC, /* RFC 2451 */
	ENCR_AES_CBC,  /* RFC 3602 */
	ENCR_AES_GCM,  /* RFC 4106, with an integrity check value of 16 bytes */
};

enum auth {
	AUTH_NONE,     /* the encryption authenticates: GCM */
	AUTH_MD5_96,   /* RFC 2403 */
	AUTH_SHA1_96,  /* RFC 2404 */
	AUTH_SHA2_128, /* RFC 4868: HMAC-SHA2-256-128 */
};

enum { IV_MAX = 16, ICV_MAX = 16, KEY_MAX = 32, SALT = 4 };

struct algorithms {
	enum encr encr;
	enum auth auth;
	unsigned int keylen;       /* bytes: 16, 24 or 32 for AES, 24 for 3DES, else 0 */
	uint8_t key[KEY_MAX];      /* without the salt of GCM */
	uint8_t salt[SALT];        /* GCM */
	uint8_t auth_key[KEY_MAX]; /* auth_key_len() bytes */
};

/* Bytes; block_len() is that of the padding, 4 at least. */
unsigned int iv_len(enum encr encr);
unsigned int block_len(enum encr encr);
unsigned int icv_len(enum encr encr, enum auth auth);
unsigned int auth_key_len(enum auth auth);

/* Returns whether an ESP SA may have this pair: GCM alone, all others with an HMAC. ESP inside AH
 * (@in_ah) only encrypts, so it may have any cipher but NULL, and no HMAC. */
bool algorithms_fit(const struct algorithms *algorithms, bool in_ah);

struct transform;

/* NULL with errno EINVAL (length of a key) or ENOMEM (also if OpenSSL has no such cipher). Keys are
 * wiped by transform_destroy(). */
struct transform *transform_create(const struct algorithms *algorithms);
void transform_destroy(struct transform *transform);
const struct algorithms *transform_algorithms(const struct transform *transform);

/* Makes an unpredictable initialization vector for CBC. Returns 0 or -EIO. */
int transform_random_iv(struct transform *transform, uint8_t iv[IV_MAX]);

/*
 * Encrypts @len bytes of @in and then @tail_len of @tail to @out; together they are whole blocks.
 * Only for CBC and NULL. Returns 0 or -EIO.
 */
int transform_encrypt(struct transform *transform, const uint8_t *iv, const uint8_t *in, size_t len,
		      const uint8_t *tail, size_t tail_len, uint8_t *out);
int transform_decrypt(struct transform *transform, const uint8_t *iv, const uint8_t *in, size_t len,
		      uint8_t *out);

/* Computes the HMAC over the parts one after the other, cut to icv_len(). Returns 0 or -EIO. */
struct part {
	const uint8_t *bytes;
	size_t len;
};
int transform_mac(struct transform *transform, const struct part *part, size_t parts,
		  uint8_t icv[ICV_MAX]);

/* GCM alone; as gcm_seal() and gcm_open(), with the salt in front of @iv. */
int transform_gcm_seal(struct transform *transform, const uint8_t iv[8], const uint8_t *aad,
		       size_t aad_len, const uint8_t *in, size_t len, uint8_t *out,
		       uint8_t icv[ICV_MAX]);
int transform_gcm_open(struct transform *transform, const uint8_t iv[8], const uint8_t *aad,
		       size_t aad_len, const uint8_t *in, size_t len, uint8_t *out,
		       const uint8_t icv[ICV_MAX]);

#endif
