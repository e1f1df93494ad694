/* SPDX-License-Identifier: Apache-2.0 */
/* greeting.c - the first bytes of a protocol with server names, before the order */
#include "bench/lfp-bench/greeting.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bench/lfp-bench/connection.h"

/* The server knows a greeting by its first byte, which no order has, and how long it is. */
#define TLS_FIRST  22
#define TLS_BYTES  517u /* as browsers pad a ClientHello, with its record's head */
#define HTTP_FIRST 'G'
#define HTTP_BYTES 256u
#define NAME_BYTES 100u

static struct {
	char bytes[GREETING_MAX];
	size_t len;
} greeting;

static char *put(char *at, size_t bytes, size_t value)
{
	while (bytes--)
		*at++ = (char)(value >> 8 * bytes);
	return at;
}

/* RFC 8446, 4.1.2; RFC 6066, 3; RFC 7685 */
static void make_hello(const char *name)
{
	char *at = greeting.bytes, *end = greeting.bytes + TLS_BYTES;
	size_t len = strlen(name);

	at = put(at, 1, TLS_FIRST);
	at = put(at, 2, 0x0301);
	at = put(at, 2, TLS_BYTES - 5);
	at = put(at, 1, 1); /* ClientHello */
	at = put(at, 3, TLS_BYTES - 9);
	at = put(at, 2, 0x0303);
	at += 32;           /* random: zeros do */
	at = put(at, 1, 0); /* no session */
	at = put(at, 2, 2);
	at = put(at, 2, 0x1301); /* one suite */
	at = put(at, 1, 1);
	at = put(at, 1, 0); /* no compression */
	at = put(at, 2, (size_t)(end - at) - 2);
	at = put(at, 2, 0); /* server_name: a list of one host */
	at = put(at, 2, len + 5);
	at = put(at, 2, len + 3);
	at = put(at, 1, 0);
	at = put(at, 2, len);
	memcpy(at, name, len);
	at = put(at + len, 2, 21); /* padding, of zeros */
	(void)put(at, 2, (size_t)(end - at) - 2);
	greeting.len = TLS_BYTES;
}

static void make_request(const char *name)
{
	char *at = greeting.bytes, *end = greeting.bytes + HTTP_BYTES;

	at += snprintf(at, HTTP_BYTES, "GET / HTTP/1.1\r\nHost: %s\r\nUser-Agent: ", name);
	memset(at, 'x', (size_t)(end - at));
	memcpy(end - 4, "\r\n\r\n", 4);
	greeting.len = HTTP_BYTES;
}

bool greeting_set(const char *text)
{
	const char *name = strchr(text, ':');

	if (!name || !name[1] || strlen(name + 1) > NAME_BYTES)
		return false;
	if (!strncmp(text, "tls:", 4))
		make_hello(name + 1);
	else if (!strncmp(text, "http:", 5))
		make_request(name + 1);
	return greeting.len;
}

bool greet(int sock, const struct order *order, const void *more, size_t len)
{
	char all[GREETING_MAX + sizeof(*order) + 16];

	memcpy(all, greeting.bytes, greeting.len);
	memcpy(all + greeting.len, order, sizeof(*order));
	if (len)
		memcpy(all + greeting.len + sizeof(*order), more, len);
	return write_all(sock, all, greeting.len + sizeof(*order) + len);
}

bool read_order(int sock, struct order *order)
{
	char rest[GREETING_MAX];
	size_t bytes;

	if (!read_all(sock, order, sizeof(*order)))
		return false;
	switch (*(const char *)order) {
	case TLS_FIRST:
		bytes = TLS_BYTES;
		break;
	case HTTP_FIRST:
		bytes = HTTP_BYTES;
		break;
	default:
		return true;
	}
	bytes -= sizeof(*order);
	if (!read_all(sock, rest, bytes + sizeof(*order)))
		return false;
	memcpy(order, rest + bytes, sizeof(*order));
	return true;
}
