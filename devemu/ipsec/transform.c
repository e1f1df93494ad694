/* SPDX-License-Identifier: Apache-2.0 */
/* transform.c - AES-CBC, 3DES-CBC, GCM and HMAC with contexts that are used again */
#include "devemu/ipsec/transform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include "devemu/crypto/gcm.h"

enum { RANDOM_POOL = 64 * IV_MAX };

struct transform {
	struct algorithms algorithms;
	EVP_CIPHER_CTX *encrypt, *decrypt; /* CBC */
	EVP_MAC_CTX *mac;
	struct gcm *gcm;
	uint8_t random[RANDOM_POOL]; /* initialization vectors, of which @used bytes are gone */
	size_t used;
};

unsigned int iv_len(enum encr encr)
{
	return encr == ENCR_AES_CBC ? 16 : encr == ENCR_3DES_CBC || encr == ENCR_AES_GCM ? 8 : 0;
}

unsigned int block_len(enum encr encr)
{
	return encr == ENCR_AES_CBC ? 16 : encr == ENCR_3DES_CBC ? 8 : 4;
}

unsigned int icv_len(enum encr encr, enum auth auth)
{
	if (encr == ENCR_AES_GCM)
		return GCM_TAG;
	return auth == AUTH_SHA2_128 ? 16 : auth == AUTH_NONE ? 0 : 12;
}

unsigned int auth_key_len(enum auth auth)
{
	static const unsigned int len[] = {
		[AUTH_NONE] = 0, [AUTH_MD5_96] = 16, [AUTH_SHA1_96] = 20, [AUTH_SHA2_128] = 32};

	return len[auth];
}

bool algorithms_fit(const struct algorithms *algorithms, bool in_ah)
{
	if (algorithms->encr == ENCR_NONE)
		return false;
	if (in_ah)
		return algorithms->encr != ENCR_NULL && algorithms->auth == AUTH_NONE;
	return (algorithms->encr == ENCR_AES_GCM) == (algorithms->auth == AUTH_NONE);
}

static const EVP_CIPHER *cbc_of(const struct algorithms *algorithms)
{
	if (algorithms->encr == ENCR_3DES_CBC)
		return algorithms->keylen == 24 ? EVP_des_ede3_cbc() : NULL;
	switch (algorithms->keylen) {
	case 16:
		return EVP_aes_128_cbc();
	case 24:
		return EVP_aes_192_cbc();
	case 32:
		return EVP_aes_256_cbc();
	default:
		return NULL;
	}
}

static EVP_CIPHER_CTX *cbc_context(const EVP_CIPHER *type, const uint8_t *key, int encrypt)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();

	if (ctx && EVP_CipherInit_ex(ctx, type, NULL, key, NULL, encrypt) == 1) {
		EVP_CIPHER_CTX_set_padding(ctx, 0);
		return ctx;
	}
	EVP_CIPHER_CTX_free(ctx);
	return NULL;
}

static EVP_MAC_CTX *mac_context(const struct algorithms *algorithms)
{
	static const char *const digest[] = {
		[AUTH_MD5_96] = "MD5", [AUTH_SHA1_96] = "SHA1", [AUTH_SHA2_128] = "SHA256"};
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	EVP_MAC_CTX *ctx = mac ? EVP_MAC_CTX_new(mac) : NULL;
	char name[8] = "";
	OSSL_PARAM params[2] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0),
		OSSL_PARAM_construct_end(),
	};

	strcpy(name, digest[algorithms->auth]);
	EVP_MAC_free(mac);
	if (ctx &&
	    EVP_MAC_init(ctx, algorithms->auth_key, auth_key_len(algorithms->auth), params) == 1)
		return ctx;
	EVP_MAC_CTX_free(ctx);
	return NULL;
}

/* Returns 0, -EINVAL or -ENOMEM. */
static int set_up(struct transform *transform)
{
	const struct algorithms *algorithms = &transform->algorithms;
	const EVP_CIPHER *type;

	if (algorithms->auth != AUTH_NONE) {
		transform->mac = mac_context(algorithms);
		if (!transform->mac)
			return -ENOMEM;
	}
	switch (algorithms->encr) {
	case ENCR_3DES_CBC:
	case ENCR_AES_CBC:
		type = cbc_of(algorithms);
		if (!type)
			return -EINVAL;
		transform->encrypt = cbc_context(type, algorithms->key, 1);
		transform->decrypt = cbc_context(type, algorithms->key, 0);
		return transform->encrypt && transform->decrypt ? 0 : -ENOMEM;
	case ENCR_AES_GCM:
		transform->gcm = gcm_create(algorithms->key, algorithms->keylen);
		return transform->gcm ? 0 : -errno;
	default:
		return algorithms->keylen ? -EINVAL : 0;
	}
}

struct transform *transform_create(const struct algorithms *algorithms)
{
	struct transform *transform = calloc(1, sizeof(*transform));
	int rc;

	if (!transform)
		return NULL;
	transform->algorithms = *algorithms;
	transform->used = RANDOM_POOL;
	rc = set_up(transform);
	if (rc == 0)
		return transform;
	transform_destroy(transform);
	errno = -rc;
	return NULL;
}

void transform_destroy(struct transform *transform)
{
	if (!transform)
		return;
	EVP_CIPHER_CTX_free(transform->encrypt);
	EVP_CIPHER_CTX_free(transform->decrypt);
	EVP_MAC_CTX_free(transform->mac);
	gcm_destroy(transform->gcm);
	explicit_bzero(transform, sizeof(*transform));
	free(transform);
}

const struct algorithms *transform_algorithms(const struct transform *transform)
{
	return &transform->algorithms;
}

int transform_random_iv(struct transform *transform, uint8_t iv[IV_MAX])
{
	if (transform->used == RANDOM_POOL) {
		if (RAND_bytes(transform->random, RANDOM_POOL) != 1)
			return -EIO;
		transform->used = 0;
	}
	memcpy(iv, transform->random + transform->used, IV_MAX);
	transform->used += IV_MAX;
	return 0;
}

int transform_encrypt(struct transform *transform, const uint8_t *iv, const uint8_t *in, size_t len,
		      const uint8_t *tail, size_t tail_len, uint8_t *out)
{
	int n = 0, m = 0;

	if (!transform->encrypt) {
		memcpy(out, in, len);
		memcpy(out + len, tail, tail_len);
		return 0;
	}
	if (EVP_CipherInit_ex(transform->encrypt, NULL, NULL, NULL, iv, -1) != 1 ||
	    (len && EVP_CipherUpdate(transform->encrypt, out, &n, in, (int)len) != 1) ||
	    EVP_CipherUpdate(transform->encrypt, out + n, &m, tail, (int)tail_len) != 1)
		return -EIO;
	return (size_t)n + (size_t)m == len + tail_len ? 0 : -EIO;
}

int transform_decrypt(struct transform *transform, const uint8_t *iv, const uint8_t *in, size_t len,
		      uint8_t *out)
{
	int n = 0;

	if (!transform->decrypt) {
		memcpy(out, in, len);
		return 0;
	}
	if (EVP_CipherInit_ex(transform->decrypt, NULL, NULL, NULL, iv, -1) != 1 ||
	    EVP_CipherUpdate(transform->decrypt, out, &n, in, (int)len) != 1)
		return -EIO;
	return (size_t)n == len ? 0 : -EIO;
}

int transform_mac(struct transform *transform, const struct part *part, size_t parts,
		  uint8_t icv[ICV_MAX])
{
	uint8_t full[EVP_MAX_MD_SIZE];
	size_t got = 0;

	if (EVP_MAC_init(transform->mac, NULL, 0, NULL) != 1)
		return -EIO;
	for (size_t i = 0; i < parts; i++)
		if (part[i].len && EVP_MAC_update(transform->mac, part[i].bytes, part[i].len) != 1)
			return -EIO;
	if (EVP_MAC_final(transform->mac, full, &got, sizeof(full)) != 1 || got < ICV_MAX)
		return -EIO;
	memcpy(icv, full, icv_len(ENCR_NONE, transform->algorithms.auth));
	return 0;
}

static void nonce_of(const struct transform *transform, const uint8_t iv[8],
		     uint8_t nonce[GCM_NONCE])
{
	memcpy(nonce, transform->algorithms.salt, SALT);
	memcpy(nonce + SALT, iv, GCM_NONCE - SALT);
}

int transform_gcm_seal(struct transform *transform, const uint8_t iv[8], const uint8_t *aad,
		       size_t aad_len, const uint8_t *in, size_t len, uint8_t *out,
		       uint8_t icv[ICV_MAX])
{
	uint8_t nonce[GCM_NONCE];

	nonce_of(transform, iv, nonce);
	return gcm_seal(transform->gcm, nonce, aad, aad_len, in, len, out, icv);
}

int transform_gcm_open(struct transform *transform, const uint8_t iv[8], const uint8_t *aad,
		       size_t aad_len, const uint8_t *in, size_t len, uint8_t *out,
		       const uint8_t icv[ICV_MAX])
{
	uint8_t nonce[GCM_NONCE];

	nonce_of(transform, iv, nonce);
	return gcm_open(transform->gcm, nonce, aad, aad_len, in, len, out, icv);
}
