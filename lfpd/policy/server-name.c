/* SPDX-License-Identifier: Apache-2.0 */
/* server-name.c - the name of the server in the first bytes that a client sends */
#include "lfpd/policy/server-name.h"

#include <string.h>

#include "lfp/bigend.h"

/* RFC 8446, sections 4 and 5.1; RFC 6066, section 3 */
#define RECORD_HEAD      5u
#define RECORD_HANDSHAKE 22u
#define RECORD_MOST      16384u
#define HELLO_HEAD       4u
#define HELLO_CLIENT     1u
#define VERSION_RANDOM   34u
#define EXT_SERVER_NAME  0u
#define EXT_ECH          0xfe0du
#define NAME_HOST        0u

static enum server_name_state none(struct server_name *out, const char *why)
{
	out->why = why;
	return SERVER_NAME_NONE;
}

/* A part of a message that is still to be read. */
struct reader {
	const uint8_t *at;
	size_t left;
};

/* Takes a number of @size bytes. Returns false if there are fewer. */
static bool take_number(struct reader *reader, unsigned int size, size_t *value)
{
	if (reader->left < size)
		return false;
	*value = 0;
	for (unsigned int i = 0; i < size; i++)
		*value = *value << 8 | reader->at[i];
	reader->at += size;
	reader->left -= size;
	return true;
}

static bool take_bytes(struct reader *reader, size_t len, struct reader *part)
{
	if (reader->left < len)
		return false;
	*part = (struct reader){reader->at, len};
	reader->at += len;
	reader->left -= len;
	return true;
}

/* Takes a vector: a length of @size bytes, and so many bytes. */
static bool take_vector(struct reader *reader, unsigned int size, struct reader *part)
{
	size_t len;

	return take_number(reader, size, &len) && take_bytes(reader, len, part);
}

/* The list of names has one, of a host (RFC 6066: "MUST NOT contain more than one name of the same
 * name_type"; there is no other type). */
static bool read_names(struct reader list, struct server_name *out)
{
	struct reader names, name;
	size_t type;

	return take_vector(&list, 2, &names) && !list.left && take_number(&names, 1, &type) &&
	       type == NAME_HOST && take_vector(&names, 2, &name) && !names.left &&
	       /* RFC 6066: "without a trailing dot" */
	       name.left && name.at[name.left - 1] != '.' &&
	       rules_name(out->name, (const char *)name.at, name.left);
}

static enum server_name_state read_extensions(struct reader list, struct server_name *out)
{
	struct reader data;
	bool found = false;
	size_t type;

	while (list.left) {
		if (!take_number(&list, 2, &type) || !take_vector(&list, 2, &data))
			return none(out, "a ClientHello that is not valid");
		if (type == EXT_ECH)
			out->is_encrypted = true;
		if (type != EXT_SERVER_NAME)
			continue;
		if (found || !read_names(data, out))
			return none(out, "a ClientHello whose server name is not valid");
		found = true;
	}
	return found ? SERVER_NAME_FOUND : none(out, "a ClientHello without a server name");
}

static enum server_name_state read_hello(struct reader hello, struct server_name *out)
{
	struct reader skipped, extensions;

	if (!take_bytes(&hello, VERSION_RANDOM, &skipped) || !take_vector(&hello, 1, &skipped) ||
	    !take_vector(&hello, 2, &skipped) || !take_vector(&hello, 1, &skipped))
		return none(out, "a ClientHello that is not valid");
	if (!hello.left)
		return none(out, "a ClientHello without a server name");
	if (!take_vector(&hello, 2, &extensions) || hello.left)
		return none(out, "a ClientHello that is not valid");
	return read_extensions(extensions, out);
}

enum server_name_state server_name_tls(const uint8_t *bytes, size_t len, struct server_name *out)
{
	struct reader stream = {bytes, len}, message;
	uint8_t handshake[SERVER_NAME_BYTES];
	size_t have = 0, type, version, size;

	*out = (struct server_name){.is_encrypted = false};
	while (stream.left) {
		if (*stream.at != RECORD_HANDSHAKE)
			return none(out, "bytes that are not TLS");
		if (stream.left >= 2 && stream.at[1] != 3)
			return none(out, "bytes that are not TLS");
		if (stream.left < RECORD_HEAD)
			return SERVER_NAME_MORE;
		(void)take_number(&stream, 1, &type);
		(void)take_number(&stream, 2, &version);
		(void)take_number(&stream, 2, &size);
		if (!size || size > RECORD_MOST)
			return none(out, "bytes that are not TLS");
		if (size > stream.left)
			size = stream.left;
		if (size > sizeof(handshake) - have)
			return none(out, "a ClientHello that is too long");
		memcpy(handshake + have, stream.at, size);
		have += size;
		stream.at += size;
		stream.left -= size;
		if (!have)
			continue;
		if (handshake[0] != HELLO_CLIENT)
			return none(out, "bytes that are not TLS");
		message = (struct reader){handshake + 1, have - 1};
		if (!take_number(&message, 3, &size))
			continue;
		if (size > sizeof(handshake) - HELLO_HEAD)
			return none(out, "a ClientHello that is too long");
		if (size <= message.left) {
			message.left = size;
			return read_hello(message, out);
		}
	}
	return SERVER_NAME_MORE;
}
