/* SPDX-License-Identifier: Apache-2.0 */
/* association.c - sealing and opening frames under one key */
#include "devemu/fces/association.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64 };

struct fces_sa {
	uint32_t spi, last;
	uint32_t sealed;                  /* sequence number of the last one sealed */
	uint32_t highest;                 /* that was opened */
	uint64_t had[FCES_WINDOW / WORD]; /* a ring of bits: sequence number modulo the window */
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
	memcpy(sa->salt, salt, FCES_SALT);
	sa->gcm = gcm_create(key);
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
	return sa->sealed > sa->highest ? sa->sealed : sa->highest;
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

static bool had(const struct fces_sa *sa, uint32_t sequence)
{
	const unsigned int bit = sequence % FCES_WINDOW;

	if (sequence > sa->highest)
		return false;
	if (sa->highest - sequence >= FCES_WINDOW)
		return true;
	return sa->had[bit / WORD] >> bit % WORD & 1;
}

static void remember(struct fces_sa *sa, uint32_t sequence)
{
	unsigned int bit;

	if (sequence > sa->highest) {
		/* The places of those in between are free again. */
		if (sequence - sa->highest >= FCES_WINDOW)
			memset(sa->had, 0, sizeof(sa->had));
		else
			for (uint32_t s = sa->highest + 1; s < sequence; s++) {
				bit = s % FCES_WINDOW;
				sa->had[bit / WORD] &= ~(UINT64_C(1) << bit % WORD);
			}
		sa->highest = sequence;
	}
	bit = sequence % FCES_WINDOW;
	sa->had[bit / WORD] |= UINT64_C(1) << bit % WORD;
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
	if (had(sa, sequence)) {
		sa->counters.replayed++;
		return -EALREADY;
	}
	nonce_of(sa, frame, nonce);
	if (gcm_open(sa->gcm, nonce, frame, FCES_IV, frame + FCES_DATA, payload, out + FC_HEADER,
		     frame + len - FCES_ICV) < 0) {
		sa->counters.corrupted++;
		return -EBADMSG;
	}
	remember(sa, sequence);
	memcpy(out, frame, FC_HEADER);
	out[FC_DF_CTL] &= (uint8_t)~FC_DF_ESP;
	sa->counters.opened++;
	return (int)(FC_HEADER + payload);
}
