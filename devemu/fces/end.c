/* SPDX-License-Identifier: Apache-2.0 */
/* end.c - frames under the keys in force */
#include "devemu/fces/end.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <openssl/crypto.h>

void fces_end_init(struct fces_end *end, const char *name, const char *peer, bool asks,
		   fces_key_source *source, void *context)
{
	memset(end, 0, sizeof(*end));
	snprintf(end->name, sizeof(end->name), "%s", name);
	snprintf(end->peer, sizeof(end->peer), "%s", peer);
	end->asks = asks;
	end->change_after = FCES_KEYS_DEFAULT;
	end->last = FCES_SEQUENCE_LAST;
	end->source = source;
	end->context = context;
}

static void add(struct fces_counters *to, const struct fces_counters *from)
{
	to->sealed += from->sealed;
	to->opened += from->opened;
	to->corrupted += from->corrupted;
	to->replayed += from->replayed;
	to->malformed += from->malformed;
	to->unknown += from->unknown;
	to->misplaced += from->misplaced;
}

static void retire(struct fces_end *end, struct fces_sa **sa)
{
	if (!*sa)
		return;
	add(&end->counters, fces_sa_counters(*sa));
	fces_sa_destroy(*sa);
	*sa = NULL;
}

void fces_end_finish(struct fces_end *end)
{
	fces_sa_destroy(end->out);
	for (int i = 0; i < FCES_KEPT; i++)
		fces_sa_destroy(end->in[i]);
	fces_sa_destroy(end->next);
	OPENSSL_cleanse(end, sizeof(*end));
}

void fces_end_receive_by(struct fces_end *end, struct fces_sa *sa)
{
	int proven = 1;

	while (proven + 1 < FCES_KEPT && end->in[proven] &&
	       !fces_sa_counters(end->in[proven])->opened)
		proven++;
	if (!end->in[proven])
		proven = 1;
	for (int i = 1; i < FCES_KEPT; i++)
		if (i != proven)
			retire(end, &end->in[i]);
	if (proven != FCES_KEPT - 1) {
		end->in[FCES_KEPT - 1] = end->in[proven];
		end->in[proven] = NULL;
	}
	end->in[1] = end->in[0];
	end->in[0] = sa;
}

void fces_end_send_by(struct fces_end *end, struct fces_sa *sa)
{
	retire(end, &end->out);
	end->out = sa;
}

void fces_end_quiet(struct fces_end *end)
{
	end->state = FCES_QUIET;
	fces_sa_destroy(end->next);
	end->next = NULL;
	OPENSSL_cleanse(&end->keys, sizeof(end->keys));
	OPENSSL_cleanse(&end->shared, sizeof(end->shared));
}

bool fces_end_ready(const struct fces_end *end)
{
	return end->out && end->in[0];
}

bool fces_end_change_due(const struct fces_end *end)
{
	return end->asks && (end->state == FCES_QUIET || end->state == FCES_CONFIRMED) &&
	       fces_end_ready(end) &&
	       (fces_sa_used(end->out) >= end->change_after ||
		fces_sa_used(end->in[0]) >= end->change_after);
}

int fces_end_seal(struct fces_end *end, const uint8_t *frame, size_t len, uint8_t *out, size_t room)
{
	return end->out ? fces_seal(end->out, frame, len, out, room) : -ENOKEY;
}

int fces_end_open(struct fces_end *end, const uint8_t *frame, size_t len, uint8_t *out, size_t room)
{
	uint32_t spi;
	int rc;

	if (!end->in[0])
		return -ENOKEY;
	if (len < FC_HEADER + FCES_OVERHEAD || !(frame[FC_DF_CTL] & FC_DF_ESP))
		return fces_open(end->in[0], frame, len, out, room); /* holds the error */
	spi = be32_get(frame + FCES_SPI);
	for (int i = 1; i < FCES_KEPT; i++)
		if (end->in[i] && spi == fces_sa_spi(end->in[i]))
			return fces_open(end->in[i], frame, len, out, room);
	rc = fces_open(end->in[0], frame, len, out, room);
	if (rc < 0)
		return rc;
	/* The other end sends by the new keys: it has them, even if "done" has been lost. */
	if (end->next) {
		fces_end_send_by(end, end->next);
		end->next = NULL;
		end->changes++;
		fces_end_quiet(end);
	}
	if (fces_sa_counters(end->in[0])->opened >= FCES_OVERLAP)
		for (int i = 1; i < FCES_KEPT; i++)
			retire(end, &end->in[i]);
	return rc;
}

struct fces_counters fces_end_counters(const struct fces_end *end)
{
	struct fces_counters counters = end->counters;

	if (end->out)
		add(&counters, fces_sa_counters(end->out));
	for (int i = 0; i < FCES_KEPT; i++)
		if (end->in[i])
			add(&counters, fces_sa_counters(end->in[i]));
	return counters;
}
