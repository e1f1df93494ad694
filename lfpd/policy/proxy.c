/* SPDX-License-Identifier: Apache-2.0 */
/* proxy.c - the messages between a client and a proxy: SOCKS5 and HTTP CONNECT */
#include "lfpd/policy/proxy.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define V4_AT 12u /* of a mapped address */

/* SOCKS5 */
#define VERSION       5
#define LOGIN_VERSION 1
#define NO_LOGIN      0
#define USER_PASSWORD 2
#define NO_METHOD     0xff
#define CONNECT       1
#define ASSOCIATE     3
#define TYPE_V4       1
#define TYPE_NAME     3
#define TYPE_V6       4

enum proxy_step proxy_first(const struct upstream *upstream)
{
	return upstream->kind == UPSTREAM_HTTP ? PROXY_HEAD : PROXY_METHOD;
}

/* Writes its length in one byte, and the text. Returns the number of bytes. */
static size_t put_text(uint8_t *out, const char *text)
{
	size_t len = strlen(text);

	out[0] = (uint8_t)len;
	memcpy(out + 1, text, len);
	return 1 + len;
}

size_t proxy_put_addr(const struct proxy_target *target, uint8_t out[static PROXY_ADDR_MAX])
{
	size_t len = 1;

	if (target->name) {
		out[0] = TYPE_NAME;
		len += put_text(out + len, target->name);
	} else if (IN6_IS_ADDR_V4MAPPED(&target->addr)) {
		out[0] = TYPE_V4;
		memcpy(out + len, target->addr.s6_addr + V4_AT, 4);
		len += 4;
	} else {
		out[0] = TYPE_V6;
		memcpy(out + len, &target->addr, 16);
		len += 16;
	}
	out[len++] = (uint8_t)(target->port >> 8);
	out[len++] = (uint8_t)target->port;
	return len;
}

ssize_t proxy_get_addr(const uint8_t *buf, size_t len, struct proxy_addr *addr)
{
	size_t at = 1, size;

	*addr = (struct proxy_addr){.is_name = false};
	if (len < 1)
		return 0;
	if (buf[0] != TYPE_V4 && buf[0] != TYPE_V6 && buf[0] != TYPE_NAME)
		return -EPROTO;
	if (buf[0] == TYPE_NAME && len < 2)
		return 0;
	if (buf[0] == TYPE_NAME)
		at = 2;
	size = buf[0] == TYPE_V4 ? 4 : buf[0] == TYPE_V6 ? 16 : buf[1];
	if (len < at + size + 2)
		return 0;
	if (buf[0] == TYPE_NAME) {
		addr->is_name = true;
		addr->name = buf + at;
		addr->name_len = buf[1];
	} else if (buf[0] == TYPE_V6) {
		memcpy(&addr->addr, buf + at, 16);
	} else {
		addr->addr.s6_addr[10] = addr->addr.s6_addr[11] = 0xff;
		memcpy(addr->addr.s6_addr + V4_AT, buf + at, 4);
	}
	at += size;
	addr->port = (uint16_t)(buf[at] << 8 | buf[at + 1]);
	return (ssize_t)at + 2;
}

/* Where a client sends datagrams from is not known before the answer (RFC 1928, section 7). */
static size_t put_request(const struct proxy_target *target, uint8_t *out)
{
	const struct proxy_target any = {.addr = {.s6_addr = {[10] = 0xff, [11] = 0xff}}};
	bool associates = target->associates;

	memcpy(out, (const uint8_t[]){VERSION, associates ? ASSOCIATE : CONNECT, 0}, 3);
	return 3 + proxy_put_addr(associates ? &any : target, out + 3);
}

static void put_base64(const char *text, char *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t len = strlen(text);

	for (size_t i = 0; i < len; i += 3) {
		uint32_t bits = (uint32_t)(uint8_t)text[i] << 16;

		if (i + 1 < len)
			bits |= (uint32_t)(uint8_t)text[i + 1] << 8;
		if (i + 2 < len)
			bits |= (uint8_t)text[i + 2];
		*out++ = digits[bits >> 18];
		*out++ = digits[bits >> 12 & 63];
		*out++ = i + 1 < len ? digits[bits >> 6 & 63] : '=';
		*out++ = i + 2 < len ? digits[bits & 63] : '=';
	}
	*out = '\0';
}

static size_t put_head(const struct upstream *upstream, const struct proxy_target *target,
		       uint8_t *out)
{
	char addr[INET6_ADDRSTRLEN], host[UPSTREAM_HOST_MAX + 2];
	char secret[2 * UPSTREAM_SECRET_MAX], coded[4 * UPSTREAM_SECRET_MAX] = "";
	int len;

	if (target->name) {
		snprintf(host, sizeof(host), "%s", target->name);
	} else if (IN6_IS_ADDR_V4MAPPED(&target->addr)) {
		inet_ntop(AF_INET, target->addr.s6_addr + V4_AT, host, sizeof(host));
	} else {
		inet_ntop(AF_INET6, &target->addr, addr, sizeof(addr));
		snprintf(host, sizeof(host), "[%s]", addr);
	}
	if (*upstream->user) {
		snprintf(secret, sizeof(secret), "%s:%s", upstream->user, upstream->password);
		put_base64(secret, coded);
	}
	len = snprintf((char *)out, PROXY_MESSAGE_MAX,
		       "CONNECT %s:%u HTTP/1.1\r\nHost: %s:%u\r\n%s%s%s\r\n", host, target->port,
		       host, target->port, *coded ? "Proxy-Authorization: Basic " : "", coded,
		       *coded ? "\r\n" : "");
	explicit_bzero(secret, sizeof(secret));
	explicit_bzero(coded, sizeof(coded));
	return (size_t)len;
}

size_t proxy_message(const struct upstream *upstream, enum proxy_step step,
		     const struct proxy_target *target, uint8_t out[static PROXY_MESSAGE_MAX])
{
	size_t len;

	switch (step) {
	case PROXY_METHOD:
		out[0] = VERSION;
		out[1] = 1;
		out[2] = *upstream->user ? USER_PASSWORD : NO_LOGIN;
		return 3;
	case PROXY_LOGIN:
		out[0] = LOGIN_VERSION;
		len = 1 + put_text(out + 1, upstream->user);
		return len + put_text(out + len, upstream->password);
	case PROXY_REQUEST:
		return put_request(target, out);
	case PROXY_HEAD:
		return put_head(upstream, target, out);
	case PROXY_DONE:
		break;
	}
	return 0;
}

static struct proxy_answer more(enum proxy_step step, size_t len)
{
	return (struct proxy_answer){.used = len, .next = step};
}

static struct proxy_answer good(enum proxy_step next, size_t used)
{
	return (struct proxy_answer){.used = used, .next = next};
}

static struct proxy_answer bad(int error, const char *why, unsigned int code)
{
	return (struct proxy_answer){.error = error, .why = why, .code = code};
}

static struct proxy_answer wrong(void)
{
	return bad(ECONNABORTED, "its answer is not in the protocol of the upstream", 0);
}

static struct proxy_answer read_method(const struct upstream *upstream, const uint8_t *buf,
				       size_t len)
{
	uint8_t asked = *upstream->user ? USER_PASSWORD : NO_LOGIN;

	if (len >= 1 && buf[0] != VERSION)
		return wrong();
	if (len < 2)
		return more(PROXY_METHOD, len);
	if (buf[1] == NO_METHOD)
		return bad(EACCES,
			   asked == NO_LOGIN ? "it demands a login"
					     : "it takes no login by user and password",
			   0);
	if (buf[1] != asked)
		return wrong();
	return good(asked == NO_LOGIN ? PROXY_REQUEST : PROXY_LOGIN, 2);
}

static struct proxy_answer read_login(const uint8_t *buf, size_t len)
{
	if (len >= 1 && buf[0] != LOGIN_VERSION)
		return wrong();
	if (len < 2)
		return more(PROXY_LOGIN, len);
	return buf[1] ? bad(EACCES, "the login failed, with code", buf[1]) : good(PROXY_REQUEST, 2);
}

static const struct {
	int error;
	const char *why;
} replies[] = {
	{0, NULL},
	{ECONNREFUSED, "it could not connect to the peer, with code"},
	{EACCES, "it does not allow the connection, with code"},
	{ENETUNREACH, "the peer's network cannot be reached, with code"},
	{EHOSTUNREACH, "the peer cannot be reached, with code"},
	{ECONNREFUSED, "the peer refused the connection, with code"},
	{ETIMEDOUT, "the peer did not answer in time, with code"},
	{EOPNOTSUPP, "it cannot do what was asked, with code"},
	{EAFNOSUPPORT, "it does not take this kind of address, with code"},
};

static struct proxy_answer read_request(const uint8_t *buf, size_t len)
{
	struct proxy_answer answer;
	struct proxy_addr bound;
	ssize_t size;

	if ((len >= 1 && buf[0] != VERSION) || (len >= 3 && buf[2]))
		return wrong();
	if (len >= 2 && buf[1]) {
		if (buf[1] >= sizeof(replies) / sizeof(replies[0]))
			return bad(ECONNREFUSED, replies[1].why, buf[1]);
		return bad(replies[buf[1]].error, replies[buf[1]].why, buf[1]);
	}
	size = len > 3 ? proxy_get_addr(buf + 3, len - 3, &bound) : 0;
	if (size < 0)
		return wrong();
	if (!size)
		return more(PROXY_REQUEST, len);
	answer = good(PROXY_DONE, 3 + (size_t)size);
	answer.has_bound = !bound.is_name;
	answer.bound = bound.addr;
	answer.bound_port = bound.port;
	return answer;
}

static int error_of_status(unsigned int status)
{
	switch (status) {
	case 401:
	case 403:
	case 407:
		return EACCES;
	case 404:
	case 502:
		return EHOSTUNREACH;
	case 400:
	case 405:
	case 501:
		return EOPNOTSUPP;
	case 408:
	case 504:
		return ETIMEDOUT;
	}
	return ECONNREFUSED;
}

/* Reads "HTTP/1.x NNN" and sets @status, as soon as it is complete. Returns false if the bytes are
 * anything else. */
static bool read_status(const uint8_t *buf, size_t len, unsigned int *status)
{
	static const char form[] = "HTTP/1.d ddd";

	*status = 0;
	for (size_t i = 0; i < sizeof(form) - 1 && i < len; i++)
		if (form[i] == 'd' ? !isdigit(buf[i]) : buf[i] != (uint8_t)form[i])
			return false;
	if (len > sizeof(form) - 1 && buf[sizeof(form) - 1] != ' ' &&
	    buf[sizeof(form) - 1] != '\r' && buf[sizeof(form) - 1] != '\n')
		return false;
	if (len > sizeof(form) - 1)
		*status = 100u * (buf[9] - (unsigned int)'0') +
			  10u * (buf[10] - (unsigned int)'0') + (buf[11] - (unsigned int)'0');
	return true;
}

/* Returns the length of the head with its empty line, or 0 if it is not complete. A line may end
 * with LF alone (RFC 9112, 2.2). */
static size_t find_end(const uint8_t *buf, size_t len)
{
	bool empty = false; /* no byte of this line yet, but for CR */

	for (size_t i = 0; i < len; i++) {
		if (buf[i] == '\n' && empty)
			return i + 1;
		if (buf[i] == '\n')
			empty = true;
		else if (buf[i] != '\r')
			empty = false;
	}
	return 0;
}

static struct proxy_answer read_head(const uint8_t *buf, size_t len)
{
	unsigned int status;
	size_t at = 0, end;

	for (;; at += end) {
		if (!read_status(buf + at, len - at, &status))
			return wrong();
		if (status && status / 100 != 2 && status / 100 != 1)
			return bad(error_of_status(status), "it answers with status", status);
		end = find_end(buf + at, len - at);
		if (!end)
			return more(PROXY_HEAD, len);
		/* Others follow an interim answer (RFC 9110, 15.2). */
		if (status / 100 == 2)
			return good(PROXY_DONE, at + end);
	}
}

struct proxy_answer proxy_read(const struct upstream *upstream, enum proxy_step step,
			       const uint8_t *buf, size_t len)
{
	struct proxy_answer answer = good(PROXY_DONE, 0);

	switch (step) {
	case PROXY_METHOD:
		answer = read_method(upstream, buf, len);
		break;
	case PROXY_LOGIN:
		answer = read_login(buf, len);
		break;
	case PROXY_REQUEST:
		answer = read_request(buf, len);
		break;
	case PROXY_HEAD:
		answer = read_head(buf, len);
		break;
	case PROXY_DONE:
		break;
	}
	if (!answer.error && answer.next == step && len >= PROXY_ANSWER_MAX)
		return bad(ECONNABORTED, "its answer is too long", 0);
	return answer;
}
