/* SPDX-License-Identifier: Apache-2.0 */
/* gcm.c - AES-GCM by OpenSSL */
#include "devemu/crypto/gcm.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

/* The key is set up once; a message only sets its nonce. */
struct gcm {
	EVP_CIPHER_CTX *seal, *open;
};

static EVP_CIPHER_CTX *cipher(const EVP_CIPHER *type, const uint8_t *key, int encrypt)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();

	if (ctx && EVP_CipherInit_ex(ctx, type, NULL, key, NULL, encrypt) != 1) {
		EVP_CIPHER_CTX_free(ctx);
		ctx = NULL;
	}
	return ctx;
}

static const EVP_CIPHER *type_of(size_t len)
{
	return len == 16   ? EVP_aes_128_gcm()
	       : len == 24 ? EVP_aes_192_gcm()
	       : len == 32 ? EVP_aes_256_gcm()
			   : NULL;
}

struct gcm *gcm_create(const uint8_t *key, size_t len)
{
	const EVP_CIPHER *type = type_of(len);
	struct gcm *gcm;

	if (!type) {
		errno = EINVAL;
		return NULL;
	}
	gcm = calloc(1, sizeof(*gcm));
	if (!gcm)
		return NULL;
	gcm->seal = cipher(type, key, 1);
	gcm->open = cipher(type, key, 0);
	if (gcm->seal && gcm->open)
		return gcm;
	gcm_destroy(gcm);
	errno = ENOMEM;
	return NULL;
}

void gcm_destroy(struct gcm *gcm)
{
	if (!gcm)
		return;
	EVP_CIPHER_CTX_free(gcm->seal);
	EVP_CIPHER_CTX_free(gcm->open);
	free(gcm);
}

static bool run(EVP_CIPHER_CTX *ctx, const uint8_t *nonce, const uint8_t *aad, size_t aadlen,
		const uint8_t *in, size_t len, uint8_t *out)
{
	int n = 0;

	return EVP_CipherInit_ex(ctx, NULL, NULL, NULL, nonce, -1) == 1 &&
	       (!aadlen || EVP_CipherUpdate(ctx, NULL, &n, aad, (int)aadlen) == 1) &&
	       (!len || (EVP_CipherUpdate(ctx, out, &n, in, (int)len) == 1 && n == (int)len));
}

int gcm_seal(struct gcm *gcm, const uint8_t nonce[GCM_NONCE], const uint8_t *aad, size_t aadlen,
	     const uint8_t *in, size_t len, uint8_t *out, uint8_t tag[GCM_TAG])
{
	uint8_t nothing[16];
	int n = 0;

	if (!run(gcm->seal, nonce, aad, aadlen, in, len, out) ||
	    EVP_CipherFinal_ex(gcm->seal, nothing, &n) != 1 ||
	    EVP_CIPHER_CTX_ctrl(gcm->seal, EVP_CTRL_AEAD_GET_TAG, GCM_TAG, tag) != 1)
		return -EIO;
	return 0;
}

int gcm_open(struct gcm *gcm, const uint8_t nonce[GCM_NONCE], const uint8_t *aad, size_t aadlen,
	     const uint8_t *in, size_t len, uint8_t *out, const uint8_t tag[GCM_TAG])
{
	uint8_t nothing[16], copy[GCM_TAG];
	int n = 0;

	memcpy(copy, tag, GCM_TAG);
	if (run(gcm->open, nonce, aad, aadlen, in, len, out) &&
	    EVP_CIPHER_CTX_ctrl(gcm->open, EVP_CTRL_AEAD_SET_TAG, GCM_TAG, copy) == 1 &&
	    EVP_CipherFinal_ex(gcm->open, nothing, &n) == 1)
		return 0;
	if (len)
		memset(out, 0, len);
	return -EBADMSG;
}
