/* SPDX-License-Identifier: Apache-2.0 */
/* association.c - sealing and opening frames under one key */
#include "devemu/fces/association.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/crypto/gcm.h"
#include "devemu/crypto/replay.h"

struct fces_sa {
	uint32_t spi, last;
	uint32_t sealed;      /* sequence number of the last one sealed */
	struct replay opened; /* of 32 bits */
	uint8_t salt[FCES_SALT];
	struct gcm *gcm;
	struct fces_counters counters;
};

struct fces_sa *fces_sa_create(uint32_t spi, const uint8_t key[FCES_KEY],
			       const uint8_t salt[FCES_SALT], uint32_t last)
{
	struct fces_sa *sa;

	if (!spi || !last) {
		errno = EINVAL;
		return NULL;
	}
	sa = calloc(1, sizeof(*sa));
	if (!sa)
		return NULL;
	sa->spi = spi;
	sa->last = last;
	replay_init(&sa->opened, FCES_WINDOW);
	memcpy(sa->salt, salt, FCES_SALT);
	sa->gcm = gcm_create(key, FCES_KEY);
	if (!sa->gcm) {
		free(sa);
		errno = ENOMEM;
		return NULL;
	}
	return sa;
}

void fces_sa_destroy(struct fces_sa *sa)
{
	if (!sa)
		return;
	gcm_destroy(sa->gcm);
	free(sa);
}

uint32_t fces_sa_spi(const struct fces_sa *sa)
{
	return sa->spi;
}

uint32_t fces_sa_used(const struct fces_sa *sa)
{
	const uint32_t opened = (uint32_t)sa->opened.highest;

	return sa->sealed > opened ? sa->sealed : opened;
}

const struct fces_counters *fces_sa_counters(const struct fces_sa *sa)
{
	return &sa->counters;
}

static void nonce_of(const struct fces_sa *sa, const uint8_t *sealed, uint8_t nonce[GCM_NONCE])
{
	memcpy(nonce, sa->salt, FCES_SALT);
	memcpy(nonce + FCES_SALT, sealed + FCES_IV, GCM_NONCE - FCES_SALT);
}

int fces_seal(struct fces_sa *sa, const uint8_t *frame, size_t len, uint8_t *out, size_t room)
{
	const size_t payload = len - FC_HEADER;
	uint8_t nonce[GCM_NONCE];
	int rc;

	if (len < FC_HEADER || len > FC_FRAME_MAX || room < len + FCES_OVERHEAD)
		return -EMSGSIZE;
	if (frame[FC_DF_CTL] & FC_DF_ESP)
		return -EINVAL;
	if (sa->sealed >= sa->last)
		return -EKEYEXPIRED;
	memcpy(out, frame, FC_HEADER);
	out[FC_DF_CTL] |= FC_DF_ESP;
	/* Before anything can fail: a number that may have been used must not be used again. */
	sa->sealed++;
	be32_put(out + FCES_SPI, sa->spi);
	be32_put(out + FCES_SEQUENCE, sa->sealed);
	be32_put(out + FCES_IV, 0);
	be32_put(out + FCES_IV + 4, sa->sealed);
	nonce_of(sa, out, nonce);
	rc = gcm_seal(sa->gcm, nonce, out, FCES_IV, frame + FC_HEADER, payload, out + FCES_DATA,
		      out + FCES_DATA + payload);
	if (rc < 0)
		return rc;
	sa->counters.sealed++;
	return (int)(len + FCES_OVERHEAD);
}

int fces_open(struct fces_sa *sa, const uint8_t *frame, size_t len, uint8_t *out, size_t room)
{
	const size_t payload = len - FC_HEADER - FCES_OVERHEAD;
	uint8_t nonce[GCM_NONCE];
	uint32_t sequence;

	if (len < FC_HEADER + FCES_OVERHEAD || len > FCES_FRAME_MAX ||
	    !(frame[FC_DF_CTL] & FC_DF_ESP)) {
		sa->counters.malformed++;
		return -EPROTO;
	}
	if (be32_get(frame + FCES_SPI) != sa->spi) {
		sa->counters.unknown++;
		return -EPROTO;
	}
	if (room < FC_HEADER + payload)
		return -EMSGSIZE;
	sequence = be32_get(frame + FCES_SEQUENCE);
	if (sequence == 0) {
		sa->counters.malformed++;
		return -EPROTO;
	}
	if (replay_had(&sa->opened, sequence)) {
		sa->counters.replayed++;
		return -EALREADY;
	}
	nonce_of(sa, frame, nonce);
	if (gcm_open(sa->gcm, nonce, frame, FCES_IV, frame + FCES_DATA, payload, out + FC_HEADER,
		     frame + len - FCES_ICV) < 0) {
		sa->counters.corrupted++;
		return -EBADMSG;
	}
	replay_remember(&sa->opened, sequence);
	memcpy(out, frame, FC_HEADER);
	out[FC_DF_CTL] &= (uint8_t)~FC_DF_ESP;
	sa->counters.opened++;
	return (int)(FC_HEADER + payload);
}
