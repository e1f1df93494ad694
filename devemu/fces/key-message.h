/* SPDX-License-Identifier: Apache-2.0 */
/* key-message.h - the messages between an end and a key server inside TLS
 *
 * Big-endian. This project's own; it is not KMIP. TLS authenticates the asking end (tls.h).
 *
 *	request	"KS", 1, 1, id of the key wanted (4; 0: the newest), length of the other end's
 *		name (1), its characters
 *	answer	"KS", 1, 2, enum key_status (1), 0 (3), id of the key (4), key (32): zeros unless
 * the status is KEY_OK
 */
#ifndef DEVEMU_FCES_KEY_MESSAGE_H
#define DEVEMU_FCES_KEY_MESSAGE_H

#include <stdbool.h>

#include "devemu/fces/end.h"

enum {
	KEY_REQUEST_MAX = 9 + FCES_NAME - 1,
	KEY_ANSWER = 44,
};

enum key_status {
	KEY_OK,
	KEY_NO_END,      /* unknown end */
	KEY_NOT_SHARED,  /* these two have no key in common */
	KEY_NO_ID,       /* they have, but none of that id (any more) */
	KEY_UNAVAILABLE, /* the server has no room for another key */
	KEY_STATUSES
};

struct key_request {
	uint32_t id;
	char peer[FCES_NAME];
};

struct key_answer {
	enum key_status status;
	struct fces_shared shared;
};

/* Names of ends: 1 to FCES_NAME - 1 letters, digits, '.', '_' and '-'. */
bool key_name_ok(const char *name);

/* @request->peer is such a name. Return: the bytes in @out. */
size_t key_request_encode(const struct key_request *request, uint8_t out[KEY_REQUEST_MAX]);
size_t key_answer_encode(const struct key_answer *answer, uint8_t out[KEY_ANSWER]);

/* Decodes a message at the start of @len bytes. Return: its length; 0 if it is incomplete; -EPROTO
 * if it is invalid. */
int key_request_decode(const uint8_t *bytes, size_t len, struct key_request *request);
int key_answer_decode(const uint8_t *bytes, size_t len, struct key_answer *answer);

#endif
