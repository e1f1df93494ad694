/* SPDX-License-Identifier: Apache-2.0 */
/* esp.c - sealing and opening ESP */
#include "devemu/ipsec/esp.h"

#include <string.h>

#include <openssl/crypto.h>

#include "lfp/bigend.h"

static size_t pad_of(const struct algorithms *algorithms, size_t len)
{
	const size_t block = block_len(algorithms->encr);

	return (block - (len + 2) % block) % block;
}

size_t esp_len(const struct algorithms *algorithms, size_t len)
{
	return ESP_HEADER + iv_len(algorithms->encr) + len + pad_of(algorithms, len) + 2 +
	       icv_len(algorithms->encr, algorithms->auth);
}

/* GCM's additional data (RFC 4106, 5): SPI and all of the sequence number. Returns its length. */
static size_t aad_of(const struct esp_number *number, uint8_t aad[12])
{
	be32_put(aad, number->spi);
	if (!number->extended) {
		be32_put(aad + 4, (uint32_t)number->sequence);
		return 8;
	}
	be64_put(aad + 4, number->sequence);
	return 12;
}

/* Inside AH there is no value, and nothing to compute. */
static int mac(struct transform *transform, const struct esp_number *number, const uint8_t *esp,
	       size_t len, uint8_t icv[ICV_MAX])
{
	uint8_t high[4];

	if (transform_algorithms(transform)->auth == AUTH_NONE)
		return 0;
	be32_put(high, (uint32_t)(number->sequence >> 32));
	return transform_mac(
		transform,
		(const struct part[]){{esp, len}, {high, number->extended ? sizeof(high) : 0}}, 2,
		icv);
}

/* The payload of GCM in one piece, behind which the padding is put. */
static int seal_gcm(struct transform *transform, const struct esp_number *number, const uint8_t *iv,
		    const uint8_t *payload, size_t len, const uint8_t *tail, size_t tail_len,
		    uint8_t *out)
{
	uint8_t aad[12];
	const size_t aad_len = aad_of(number, aad);

	memcpy(out, payload, len);
	memcpy(out + len, tail, tail_len);
	return transform_gcm_seal(transform, iv, aad, aad_len, out, len + tail_len, out,
				  out + len + tail_len);
}

int esp_seal(struct transform *transform, const struct esp_number *number, const uint8_t *iv,
	     uint8_t next, const uint8_t *payload, size_t len, uint8_t *out, size_t room)
{
	const struct algorithms *algorithms = transform_algorithms(transform);
	const size_t ivs = iv_len(algorithms->encr), pad = pad_of(algorithms, len);
	uint8_t tail[16 + 2], *data = out + ESP_HEADER + ivs;
	int rc;

	if (room < esp_len(algorithms, len))
		return -DROP_NO_ROOM;
	for (size_t i = 0; i < pad; i++)
		tail[i] = (uint8_t)(i + 1);
	tail[pad] = (uint8_t)pad;
	tail[pad + 1] = next;
	be32_put(out, number->spi);
	be32_put(out + 4, (uint32_t)number->sequence);
	memcpy(out + ESP_HEADER, iv, ivs);
	if (algorithms->encr == ENCR_AES_GCM) {
		rc = seal_gcm(transform, number, iv, payload, len, tail, pad + 2, data);
	} else {
		const size_t used = ESP_HEADER + ivs + len + pad + 2;

		rc = transform_encrypt(transform, iv, payload, len, tail, pad + 2, data);
		if (rc == 0)
			rc = mac(transform, number, out, used, out + used);
	}
	return rc < 0 ? -DROP_CIPHER : (int)esp_len(algorithms, len);
}

/* Decrypts @len bytes behind the initialization vector. */
static int decrypt(struct transform *transform, const struct esp_number *number, const uint8_t *esp,
		   size_t len, uint8_t *out)
{
	const struct algorithms *algorithms = transform_algorithms(transform);
	const uint8_t *iv = esp + ESP_HEADER, *data = iv + iv_len(algorithms->encr);
	uint8_t aad[12], icv[ICV_MAX];

	if (algorithms->encr == ENCR_AES_GCM) {
		const size_t aad_len = aad_of(number, aad);

		return transform_gcm_open(transform, iv, aad, aad_len, data, len, out, data + len) <
				       0
			       ? -DROP_INTEGRITY
			       : 0;
	}
	if (mac(transform, number, esp, (size_t)(data - esp) + len, icv) < 0)
		return -DROP_CIPHER;
	if (CRYPTO_memcmp(icv, data + len, icv_len(algorithms->encr, algorithms->auth)))
		return -DROP_INTEGRITY;
	return transform_decrypt(transform, iv, data, len, out) < 0 ? -DROP_CIPHER : 0;
}

/* RFC 4303, 2.4: the padding is 1, 2, 3, ..., which a receiver should inspect. */
static int strip(const uint8_t *out, size_t len, uint8_t *next)
{
	const size_t pad = out[len - 2];

	if (pad + 2 > len)
		return -DROP_PADDING;
	for (size_t i = 0; i < pad; i++)
		if (out[len - 2 - pad + i] != (uint8_t)(i + 1))
			return -DROP_PADDING;
	*next = out[len - 1];
	return (int)(len - 2 - pad);
}

int esp_open(struct transform *transform, const struct esp_number *number, const uint8_t *esp,
	     size_t len, uint8_t *out, size_t room, uint8_t *next)
{
	const struct algorithms *algorithms = transform_algorithms(transform);
	const size_t around =
		ESP_HEADER + iv_len(algorithms->encr) + icv_len(algorithms->encr, algorithms->auth);
	const size_t data = len - around;
	int rc;

	if (len < around + 2)
		return -DROP_SHORT;
	/* RFC 4303 aligns the trailer to 4 bytes at least; CBC needs whole blocks. */
	if (data % block_len(algorithms->encr))
		return -DROP_PADDING;
	if (data > room)
		return -DROP_NO_ROOM;
	rc = decrypt(transform, number, esp, data, out);
	return rc < 0 ? rc : strip(out, data, next);
}
