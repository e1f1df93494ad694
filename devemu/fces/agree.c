/* SPDX-License-Identifier: Apache-2.0 */
/* agree.c - two ends agree on keys for frames, end.h
 *
 * Messages, big-endian. Each begins with "SK", 1, its number.
 *
 *	ask	id of the shared key (4), SPI (4), nonce (32), length and characters of the asker's
 *		name, the same of the answerer's
 *	answer	SPI (4), nonce (32), proof (32)
 *	confirm	proof (32)
 *	done	proof (32)
 */
#include "devemu/fces/end.h"

#include <errno.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/rand.h>

enum {
	HEAD = 4,
	ASK = 1,
	ANSWER = 2,
	CONFIRM = 3,
	DONE = 4,

	ASK_SPI = HEAD + 4,
	ASK_NONCE = ASK_SPI + 4,
	ASK_NAMES = ASK_NONCE + DERIVE_NONCE,

	ANSWER_NONCE = HEAD + 4,
	ANSWER_PROOF = ANSWER_NONCE + DERIVE_NONCE,
	ANSWER_LEN = ANSWER_PROOF + DERIVE_MAC,

	PROOF_LEN = HEAD + DERIVE_MAC,
};

static void head(uint8_t *message, uint8_t number)
{
	message[0] = 'S';
	message[1] = 'K';
	message[2] = 1;
	message[3] = number;
}

static int give_up(struct fces_end *end, int rc)
{
	fces_end_quiet(end);
	return rc;
}

/* Nonce and SPI of an agreement. The SPI is none by which frames come now. */
static int choose(struct fces_end *end, uint8_t *spi, uint8_t *nonce)
{
	bool taken;

	do {
		if (RAND_bytes(spi, 4) != 1 || RAND_bytes(nonce, DERIVE_NONCE) != 1)
			return -EIO;
		end->spi = be32_get(spi);
		taken = !end->spi;
		for (int i = 0; i < FCES_KEPT; i++)
			taken |= end->in[i] && fces_sa_spi(end->in[i]) == end->spi;
	} while (taken);
	return 0;
}

static size_t put_name(uint8_t *to, const char *name)
{
	const size_t len = strlen(name);

	to[0] = (uint8_t)len;
	memcpy(to + 1, name, len);
	return 1 + len;
}

/* Returns true if the name at *@at is @name, and moves *@at behind it. */
static bool is_name(const uint8_t *message, size_t len, size_t *at, const char *name)
{
	const size_t want = strlen(name);

	if (len < *at + 1 + want || message[*at] != want || memcmp(message + *at + 1, name, want))
		return false;
	*at += 1 + want;
	return true;
}

/* Derives the keys from the messages so far: the nonces, and everything else as context. */
static int make_keys(struct fces_end *end)
{
	uint8_t nonces[2 * DERIVE_NONCE];

	memcpy(nonces, end->said + ASK_NONCE, DERIVE_NONCE);
	memcpy(nonces + DERIVE_NONCE, end->said + end->asked_len + ANSWER_NONCE, DERIVE_NONCE);
	return derive_keys(&end->keys, end->shared.key, nonces, end->said,
			   end->asked_len + ANSWER_PROOF);
}

/* Associations of both directions; the asker sends by keys [0]. */
static int associate(const struct fces_end *end, uint32_t peer_spi, struct fces_sa **out,
		     struct fces_sa **in)
{
	const int send = end->asks ? 0 : 1;

	*out = fces_sa_create(peer_spi, end->keys.direction[send].key,
			      end->keys.direction[send].salt, end->last);
	*in = fces_sa_create(end->spi, end->keys.direction[!send].key,
			     end->keys.direction[!send].salt, end->last);
	if (*out && *in)
		return 0;
	fces_sa_destroy(*out);
	fces_sa_destroy(*in);
	return -ENOMEM;
}

/* A message with a proof over all messages so far. */
static int prove(const struct fces_end *end, uint8_t number, const char *label, uint8_t *message)
{
	head(message, number);
	return derive_mac(message + HEAD, end->keys.proof, label, end->said, end->said_len);
}

static int check(const struct fces_end *end, const char *label, const uint8_t *message, size_t len)
{
	uint8_t proof[DERIVE_MAC];
	int rc;

	if (len != PROOF_LEN)
		return -EPROTO;
	rc = derive_mac(proof, end->keys.proof, label, end->said, end->said_len);
	if (rc < 0)
		return rc;
	return CRYPTO_memcmp(proof, message + HEAD, DERIVE_MAC) ? -EKEYREJECTED : 0;
}

int fces_end_ask(struct fces_end *end, uint8_t message[FCES_MESSAGE_MAX])
{
	size_t len = ASK_NAMES;
	int rc;

	if (!end->asks)
		return -EINVAL;
	give_up(end, 0);
	rc = end->source(end->context, 0, &end->shared);
	if (rc < 0)
		return give_up(end, rc);
	head(message, ASK);
	be32_put(message + HEAD, end->shared.id);
	rc = choose(end, message + ASK_SPI, message + ASK_NONCE);
	if (rc < 0)
		return give_up(end, rc);
	len += put_name(message + len, end->name);
	len += put_name(message + len, end->peer);
	memcpy(end->said, message, len);
	end->asked_len = end->said_len = len;
	end->state = FCES_ASKED;
	return (int)len;
}

static int take_ask(struct fces_end *end, const uint8_t *message, size_t len, uint8_t *reply)
{
	size_t at = ASK_NAMES;
	int rc;

	if (end->asks || len < ASK_NAMES || len > FCES_MESSAGE_MAX || !be32_get(message + ASK_SPI))
		return give_up(end, -EPROTO);
	if (!is_name(message, len, &at, end->peer) || !is_name(message, len, &at, end->name) ||
	    at != len)
		return give_up(end, -EKEYREJECTED);
	give_up(end, 0);
	rc = end->source(end->context, be32_get(message + HEAD), &end->shared);
	if (rc < 0)
		return give_up(end, rc);
	head(reply, ANSWER);
	rc = choose(end, reply + HEAD, reply + ANSWER_NONCE);
	if (rc < 0)
		return give_up(end, rc);
	memcpy(end->said, message, len);
	memcpy(end->said + len, reply, ANSWER_PROOF);
	end->asked_len = len;
	rc = make_keys(end);
	if (rc == 0)
		rc = derive_mac(reply + ANSWER_PROOF, end->keys.proof, "answer", end->said,
				len + ANSWER_PROOF);
	if (rc < 0)
		return give_up(end, rc);
	memcpy(end->said + len, reply, ANSWER_LEN);
	end->said_len = len + ANSWER_LEN;
	end->state = FCES_ANSWERED;
	return ANSWER_LEN;
}

static int take_answer(struct fces_end *end, const uint8_t *message, size_t len, uint8_t *reply)
{
	uint8_t proof[DERIVE_MAC];
	struct fces_sa *in = NULL;
	int rc;

	if (end->state != FCES_ASKED || len != ANSWER_LEN || !be32_get(message + HEAD))
		return give_up(end, -EPROTO);
	memcpy(end->said + end->asked_len, message, ANSWER_LEN);
	end->said_len = end->asked_len + ANSWER_LEN;
	rc = make_keys(end);
	if (rc == 0)
		rc = derive_mac(proof, end->keys.proof, "answer", end->said,
				end->asked_len + ANSWER_PROOF);
	if (rc < 0)
		return give_up(end, rc);
	if (CRYPTO_memcmp(proof, message + ANSWER_PROOF, DERIVE_MAC))
		return give_up(end, -EKEYREJECTED);
	rc = prove(end, CONFIRM, "confirm", reply);
	if (rc == 0)
		rc = associate(end, be32_get(message + HEAD), &end->next, &in);
	if (rc < 0) {
		end->next = NULL;
		return give_up(end, rc);
	}
	fces_end_receive_by(end, in);
	end->state = FCES_CONFIRMED;
	return PROOF_LEN;
}

static int take_confirm(struct fces_end *end, const uint8_t *message, size_t len, uint8_t *reply)
{
	struct fces_sa *out = NULL, *in = NULL;
	int rc = end->state == FCES_ANSWERED ? check(end, "confirm", message, len) : -EPROTO;

	if (rc == 0)
		rc = prove(end, DONE, "done", reply);
	if (rc == 0)
		rc = associate(end, be32_get(end->said + ASK_SPI), &out, &in);
	if (rc < 0)
		return give_up(end, rc);
	fces_end_receive_by(end, in);
	fces_end_send_by(end, out);
	end->changes++;
	return give_up(end, PROOF_LEN);
}

static int take_done(struct fces_end *end, const uint8_t *message, size_t len)
{
	int rc = end->state == FCES_CONFIRMED ? check(end, "done", message, len) : -EPROTO;

	/* The new keys for sending stay: a frame from the other end may still say that it has them.
	 */
	if (rc < 0)
		return rc;
	fces_end_send_by(end, end->next);
	end->next = NULL;
	end->changes++;
	return give_up(end, 0);
}

int fces_end_take(struct fces_end *end, const uint8_t *message, size_t len,
		  uint8_t reply[FCES_MESSAGE_MAX])
{
	static const uint8_t magic[] = {'S', 'K', 1};

	if (len < HEAD || memcmp(message, magic, sizeof(magic)))
		return give_up(end, -EPROTO);
	switch (message[3]) {
	case ASK:
		return take_ask(end, message, len, reply);
	case ANSWER:
		return take_answer(end, message, len, reply);
	case CONFIRM:
		return take_confirm(end, message, len, reply);
	case DONE:
		return take_done(end, message, len);
	default:
		return give_up(end, -EPROTO);
	}
}
