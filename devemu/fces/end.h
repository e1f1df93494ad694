/* SPDX-License-Identifier: Apache-2.0 */
/* end.h - one end of a connection: agreement on keys with the other end, and frames under them
 *
 * Theory of operation
 *
 * Both ends have the same shared key, each from a key server (key-client.h). With it they agree on
 * keys for frames, in four messages:
 *
 *	1 ask		id of the shared key, the asker's SPI and nonce, both names
 *	2 answer	the answerer's SPI and nonce, and a proof over 1 and 2
 *	3 confirm	another proof over both
 *	4 done		and another
 *
 * Shared key and both nonces give two keys (derive.h), one for each direction, so two agreements
 * never give the same. The receiver chooses the SPI. One end always asks, the other always answers.
 * The asker also notices when the keys need a change.
 *
 * Frames continue while keys change. The answerer uses new keys for sending after the confirmation.
 * The asker does after "done", or after the first frame under new keys: then the other end has
 * them. For receiving, the old keys stay valid until FCES_OVERLAP frames have come under the new
 * ones. So a failed agreement leaves both ends with common keys. Several failures in a row do, too,
 * unless they differ and no frame has passed in between: then frames are dropped until an agreement
 * succeeds.
 *
 * The messages are this project's own; the paper says only that the ends derive and exchange
 * further key material with the key that they are served.
 */
#ifndef DEVEMU_FCES_END_H
#define DEVEMU_FCES_END_H

#include <stdbool.h>

#include "devemu/fces/association.h"
#include "devemu/fces/derive.h"

enum {
	FCES_NAME = 32,         /* with the zero behind it */
	FCES_MESSAGE_MAX = 128, /* bytes of a message of an agreement */
	FCES_KEPT = 3,
	FCES_OVERLAP = 1024,         /* frames */
	FCES_KEYS_DEFAULT = 1 << 30, /* frames in one direction, after which keys change */
};

/* A key that a key server has for two ends. */
struct fces_shared {
	uint32_t id; /* not 0 */
	uint8_t key[FCES_KEY];
};

/* Source of shared keys: the answerer gets one by its id, the asker the newest (@id 0). Returns 0
 * or a negative errno, which the end passes on. */
typedef int fces_key_source(void *context, uint32_t id, struct fces_shared *shared);

enum fces_end_state {
	FCES_QUIET,     /* no agreement is under way */
	FCES_ASKED,     /* the asker waits for the answer */
	FCES_ANSWERED,  /* the answerer waits for the confirmation */
	FCES_CONFIRMED, /* the asker waits for "done"; it can receive by the new keys */
};

struct fces_end {
	char name[FCES_NAME], peer[FCES_NAME];
	bool asks;
	uint32_t change_after; /* frames */
	uint32_t last;         /* sequence number of every key; less than all only in tests */
	fces_key_source *source;
	void *context;

	enum fces_end_state state;
	struct fces_shared shared;
	uint8_t said[2 * FCES_MESSAGE_MAX]; /* messages 1 and 2 of the agreement under way */
	size_t said_len, asked_len;
	uint32_t spi; /* that we have chosen in it */
	struct derived_keys keys;
	struct fces_sa *next; /* the asker's, FCES_CONFIRMED: to send by from "done" on */

	struct fces_sa *out;
	struct fces_sa *in[FCES_KEPT]; /* newest first; see fces_end_receive_by() */
	uint32_t changes;              /* agreements that have come to their end */
	struct fces_counters counters; /* of associations that are gone, and of what had none */
};

/* @name and @peer are cut to FCES_NAME - 1 characters. */
void fces_end_init(struct fces_end *end, const char *name, const char *peer, bool asks,
		   fces_key_source *source, void *context);
void fces_end_finish(struct fces_end *end); /* wipes all keys */

/* The first message. Cancels an agreement in progress. Return: its bytes in @message, or a negative
 * errno: that of the source, -EINVAL if this end answers, -EIO. */
int fces_end_ask(struct fces_end *end, uint8_t message[FCES_MESSAGE_MAX]);

/**
 * fces_end_take() - a message of the other end
 * @reply:	FCES_MESSAGE_MAX bytes, the answer for the other end
 *
 * Return: the bytes of @reply, 0 if there is nothing to be sent; -EPROTO if no such message is
 * valid now, -EKEYREJECTED if the other end has another key or another name, -ENOKEY and others of
 * the source. After a failure no agreement is under way.
 */
int fces_end_take(struct fces_end *end, const uint8_t *message, size_t len,
		  uint8_t reply[FCES_MESSAGE_MAX]);

/* Returns whether frames can be sealed. */
bool fces_end_ready(const struct fces_end *end);

/* Returns whether this end is the asker and should ask for new keys now. */
bool fces_end_change_due(const struct fces_end *end);

/* As fces_seal() and fces_open(), under the keys in force; -ENOKEY without any. */
int fces_end_seal(struct fces_end *end, const uint8_t *frame, size_t len, uint8_t *out,
		  size_t room);
int fces_end_open(struct fces_end *end, const uint8_t *frame, size_t len, uint8_t *out,
		  size_t room);

/* New keys, for agree.c. For receiving, the ones before stay as well, and those by which the last
 * frame has come: whether the other end has got the newer ones is not known. For sending, the old
 * ones are gone. The association is the end's from now on. */
void fces_end_receive_by(struct fces_end *end, struct fces_sa *sa);
void fces_end_send_by(struct fces_end *end, struct fces_sa *sa);

/* Cancels the agreement in progress. */
void fces_end_quiet(struct fces_end *end);

/* Counters over all keys, past and present. */
struct fces_counters fces_end_counters(const struct fces_end *end);

#endif
