/* SPDX-License-Identifier: Apache-2.0 */
/* client-hello.c - makes the first message of a TLS client */
#include "tests/lfpd/client-hello.h"

#include <string.h>

#include "lfp/bigend.h"

static size_t put_extension(uint8_t *out, uint16_t type, size_t len)
{
	be16_put(out, type);
	be16_put(out + 2, (uint16_t)len);
	return 4;
}

static size_t put_name(uint8_t *out, const char *name)
{
	size_t len = strlen(name), at = put_extension(out, 0, len + 5);

	be16_put(out + at, (uint16_t)(len + 3));
	out[at + 2] = 0;
	be16_put(out + at + 3, (uint16_t)len);
	memcpy(out + at + 5, name, len);
	return at + 5 + len;
}

size_t client_hello(uint8_t out[static 4096], const char *name, enum client_hello kind,
		    size_t record)
{
	uint8_t msg[2048] = {1, 0, 0, 0, 3, 3};
	size_t len = 4 + 34, extensions, at = 0;

	msg[len++] = 0; /* no session */
	be16_put(msg + len, 2);
	be16_put(msg + len + 2, 0x1301);
	len += 4;
	msg[len++] = 1; /* no compression */
	msg[len++] = 0;
	extensions = len;
	len += 2;
	len += put_extension(msg + len, 43, 3);
	memcpy(msg + len, "\2\3\4", 3);
	len += 3;
	if (name)
		len += put_name(msg + len, name);
	if (name && kind == CLIENT_HELLO_TWICE)
		len += put_name(msg + len, name);
	if (kind == CLIENT_HELLO_ECH) {
		len += put_extension(msg + len, 0xfe0d, 4);
		memset(msg + len, 0, 4);
		len += 4;
	}
	be16_put(msg + extensions, (uint16_t)(len - extensions - 2));
	be16_put(msg + 2, (uint16_t)(len - 4));
	for (size_t done = 0; done < len;) {
		size_t part = len - done < record ? len - done : record;

		memcpy(out + at, "\x16\3\1", 3);
		be16_put(out + at + 3, (uint16_t)part);
		memcpy(out + at + 5, msg + done, part);
		at += 5 + part;
		done += part;
	}
	return at;
}
