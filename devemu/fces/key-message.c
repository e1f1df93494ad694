/* SPDX-License-Identifier: Apache-2.0 */
/* key-message.c - requests for keys and their answers as bytes */
#include "devemu/fces/key-message.h"

#include <errno.h>
#include <string.h>

enum { HEAD = 4, REQUEST = 1, ANSWER = 2, NAME_AT = 9 };

static bool name_character(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '.' || c == '_' || c == '-';
}

bool key_name_ok(const char *name)
{
	size_t len = 0;

	while (name[len] && len < FCES_NAME)
		if (!name_character(name[len++]))
			return false;
	return len && len < FCES_NAME;
}

static void head(uint8_t *out, uint8_t type)
{
	out[0] = 'K';
	out[1] = 'S';
	out[2] = 1;
	out[3] = type;
}

/* As far as there are bytes: a wrong beginning need not wait for its end. */
static bool is_head(const uint8_t *bytes, size_t len, uint8_t type)
{
	uint8_t want[HEAD];

	head(want, type);
	return memcmp(bytes, want, len < HEAD ? len : HEAD) == 0;
}

size_t key_request_encode(const struct key_request *request, uint8_t out[KEY_REQUEST_MAX])
{
	const size_t len = strlen(request->peer);

	head(out, REQUEST);
	be32_put(out + HEAD, request->id);
	out[NAME_AT - 1] = (uint8_t)len;
	memcpy(out + NAME_AT, request->peer, len);
	return NAME_AT + len;
}

int key_request_decode(const uint8_t *bytes, size_t len, struct key_request *request)
{
	size_t name;

	if (!is_head(bytes, len, REQUEST))
		return -EPROTO;
	if (len < NAME_AT)
		return 0;
	name = bytes[NAME_AT - 1];
	if (!name || name >= FCES_NAME)
		return -EPROTO;
	if (len < NAME_AT + name)
		return 0;
	request->id = be32_get(bytes + HEAD);
	memcpy(request->peer, bytes + NAME_AT, name);
	request->peer[name] = '\0';
	/* A zero in it makes it shorter than it says. */
	if (!key_name_ok(request->peer) || strlen(request->peer) != name)
		return -EPROTO;
	return (int)(NAME_AT + name);
}

size_t key_answer_encode(const struct key_answer *answer, uint8_t out[KEY_ANSWER])
{
	memset(out, 0, KEY_ANSWER);
	head(out, ANSWER);
	out[HEAD] = (uint8_t)answer->status;
	if (answer->status == KEY_OK) {
		be32_put(out + 8, answer->shared.id);
		memcpy(out + 12, answer->shared.key, FCES_KEY);
	}
	return KEY_ANSWER;
}

int key_answer_decode(const uint8_t *bytes, size_t len, struct key_answer *answer)
{
	if (!is_head(bytes, len, ANSWER))
		return -EPROTO;
	if (len < KEY_ANSWER)
		return 0;
	if (bytes[HEAD] >= KEY_STATUSES)
		return -EPROTO;
	answer->status = (enum key_status)bytes[HEAD];
	answer->shared.id = be32_get(bytes + 8);
	memcpy(answer->shared.key, bytes + 12, FCES_KEY);
	if ((answer->status == KEY_OK) != (answer->shared.id != 0))
		return -EPROTO;
	return KEY_ANSWER;
}
