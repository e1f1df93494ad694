/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-key.c - requests to a key server, its answers and its file
 *
 * The first byte selects the meaning of the rest.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "devemu/fces/key-store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Requests one behind the other, as a connection has them. */
static void requests(const uint8_t *data, size_t size)
{
	static const uint8_t secret[FCES_KEY];
	struct key_file keys = {0};
	struct key_store store;

	if (key_file_add_end(&keys, "A", secret) < 0 || key_file_add_end(&keys, "B", secret) < 0 ||
	    key_file_add_share(&keys, "A", "*", NULL) < 0)
		abort();
	key_store_init(&store, &keys);
	for (;;) {
		uint8_t bytes[KEY_REQUEST_MAX], out[KEY_ANSWER];
		struct key_answer answer = {0};
		struct key_request request;
		const int used = key_request_decode(data, size, &request);

		if (used <= 0)
			break;
		if ((size_t)used > size || key_request_encode(&request, bytes) != (size_t)used ||
		    memcmp(bytes, data, (size_t)used))
			abort();
		key_store_get(&store, "A", request.peer, request.id, &answer);
		if ((answer.status == KEY_OK) != (!strcmp(request.peer, "B") && request.id <= 1))
			abort();
		if (key_answer_encode(&answer, out) != KEY_ANSWER ||
		    key_answer_decode(out, KEY_ANSWER, &answer) != KEY_ANSWER)
			abort();
		data += used;
		size -= (size_t)used;
	}
	key_store_finish(&store);
	key_file_finish(&keys);
}

static void file(const uint8_t *data, size_t size)
{
	struct lfp_reader_error err;
	struct key_file keys;
	FILE *text;

	if (!size)
		return;
	text = fmemopen((void *)(uintptr_t)data, size, "r");
	if (!text)
		abort();
	err.text[0] = '\0';
	if (key_file_read(&keys, "fuzz", text, &err) == 0)
		key_file_finish(&keys);
	else if (!err.text[0] || strchr(err.text, '\n'))
		abort();
	fclose(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct key_answer answer;

	if (size < 1)
		return 0;
	switch (*data % 3) {
	case 0:
		requests(data + 1, size - 1);
		break;
	case 1:
		if (key_answer_decode(data + 1, size - 1, &answer) > (int)size - 1)
			abort();
		break;
	default:
		file(data + 1, size - 1);
	}
	return 0;
}
