/* SPDX-License-Identifier: Apache-2.0 */
/* derive.c - HKDF and HMAC by OpenSSL */
#include "devemu/fces/derive.h"

#include <errno.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>

/* OpenSSL's parameters point to what may not be const, and it only reads them. */
static OSSL_PARAM octets(const char *name, const void *bytes, size_t len)
{
	return OSSL_PARAM_construct_octet_string(name, (void *)(uintptr_t)bytes, len);
}

int derive_keys(struct derived_keys *keys, const uint8_t shared[FCES_KEY],
		const uint8_t nonces[2 * DERIVE_NONCE], const void *context, size_t len)
{
	EVP_KDF *hkdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
	EVP_KDF_CTX *ctx = hkdf ? EVP_KDF_CTX_new(hkdf) : NULL;
	char digest[] = "SHA256";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
		octets(OSSL_KDF_PARAM_KEY, shared, FCES_KEY),
		octets(OSSL_KDF_PARAM_SALT, nonces, 2 * DERIVE_NONCE),
		octets(OSSL_KDF_PARAM_INFO, context, len),
		OSSL_PARAM_construct_end(),
	};
	/* The keys are bytes only: there is no hole between them. */
	const int ok =
		ctx && EVP_KDF_derive(ctx, (unsigned char *)keys, sizeof(*keys), params) == 1;

	EVP_KDF_CTX_free(ctx);
	EVP_KDF_free(hkdf);
	return ok ? 0 : -EIO;
}

int derive_mac(uint8_t mac[DERIVE_MAC], const uint8_t key[DERIVE_MAC], const char *label,
	       const void *bytes, size_t len)
{
	EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	EVP_MAC_CTX *ctx = hmac ? EVP_MAC_CTX_new(hmac) : NULL;
	char digest[] = "SHA256";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_construct_end(),
	};
	size_t got = 0;
	const int ok = ctx && EVP_MAC_init(ctx, key, DERIVE_MAC, params) == 1 &&
		       EVP_MAC_update(ctx, (const unsigned char *)label, strlen(label)) == 1 &&
		       EVP_MAC_update(ctx, bytes, len) == 1 &&
		       EVP_MAC_final(ctx, mac, &got, DERIVE_MAC) == 1 && got == DERIVE_MAC;

	EVP_MAC_CTX_free(ctx);
	EVP_MAC_free(hmac);
	return ok ? 0 : -EIO;
}
