/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - gethostbyname, gethostbyaddr and their kind */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "lfp/addr.h"
#include "libvsesock/core/place.h"
#include "libvsesock/preload/hooks.h"

/* Room for the largest answer and the pointers to it. */
#define STATIC_ROOM (2 * LFP_CTL_DATA)

/* Arguments and results of the caller. */
struct query {
	int op;
	int family;
	const void *data;
	uint32_t len;
};

/* Returns a piece of the caller's buffer, or NULL if there is no room. */
struct room {
	char *at;
	size_t left;
};

static void *take_room(struct room *room, size_t size, size_t align)
{
	size_t gap = (size_t)(-(uintptr_t)room->at) & (align - 1);
	char *at;

	if (room->left < gap || room->left - gap < size)
		return NULL;
	at = room->at + gap;
	room->at = at + size;
	room->left -= gap + size;
	return at;
}

/* Returns the next text of @data, which has *@len bytes left; NULL if the text has no end. */
static const char *take_text(const uint8_t **data, size_t *len)
{
	const char *text = (const char *)*data;
	const uint8_t *end = memchr(*data, '\0', *len);

	if (!end)
		return NULL;
	*len -= (size_t)(end + 1 - *data);
	*data = end + 1;
	return text;
}

/* Copies the addresses of @family and skips others. Returns -ERANGE if there is no room. */
static int fill_addrs(struct hostent *host, struct room *room, const uint8_t *data, uint32_t count)
{
	size_t addrlen = (size_t)host->h_length;
	unsigned int family = (unsigned int)lfp_family_from(host->h_addrtype);
	uint32_t used = 0;

	host->h_addr_list = take_room(room, (count + 1) * sizeof(char *), sizeof(char *));
	if (!host->h_addr_list)
		return -ERANGE;
	for (uint32_t i = 0; i < count; i++) {
		struct lfp_addr addr;
		char *copy;

		memcpy(&addr, data + i * sizeof(addr), sizeof(addr));
		if (addr.family != family)
			continue;
		copy = take_room(room, addrlen, 4);
		if (!copy)
			return -ERANGE;
		memcpy(copy, addr.ip, addrlen);
		host->h_addr_list[used++] = copy;
	}
	host->h_addr_list[used] = NULL;
	return 0;
}

static int fill_names(struct hostent *host, struct room *room, const uint8_t *data, size_t len,
		      uint32_t count)
{
	host->h_aliases = take_room(room, (count + 1) * sizeof(char *), sizeof(char *));
	if (!host->h_aliases)
		return -ERANGE;
	for (uint32_t i = 0; i <= count; i++) {
		const char *text = take_text(&data, &len);
		char *copy;

		if (!text)
			return -EPROTO;
		copy = take_room(room, strlen(text) + 1, 1);
		if (!copy)
			return -ERANGE;
		memcpy(copy, text, strlen(text) + 1);
		if (i == 0)
			host->h_name = copy;
		else
			host->h_aliases[i - 1] = copy;
	}
	host->h_aliases[count] = NULL;
	return 0;
}

static int fill(struct hostent *host, struct room *room, int family, const uint8_t *data,
		size_t len)
{
	struct lfp_ctl_hostent head;
	size_t addrs;
	int rc;

	if (len < sizeof(head))
		return -EPROTO;
	memcpy(&head, data, sizeof(head));
	data += sizeof(head);
	len -= sizeof(head);
	if (head.nr_addrs > len / sizeof(struct lfp_addr) || head.nr_aliases > len)
		return -EPROTO;
	host->h_addrtype = family;
	host->h_length = family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
	rc = fill_addrs(host, room, data, head.nr_addrs);
	if (rc < 0)
		return rc;
	addrs = head.nr_addrs * sizeof(struct lfp_addr);
	return fill_names(host, room, data + addrs, len - addrs, head.nr_aliases);
}

/* Returns as the _r functions do: 0 or a positive errno, with *@result NULL if there is no such
 * host. */
static int ask(const struct query *query, struct hostent *host, char *buf, size_t buflen,
	       struct hostent **result, int *herror)
{
	uint8_t answer[LFP_CTL_DATA];
	struct ctl_call call = {
		.nn = place_now(),
		.op = (uint16_t)query->op,
		.a = query->family,
		.data = query->data,
		.len = query->len,
		.fd = -1,
		.answer = answer,
		.room = sizeof(answer),
	};
	struct room room = {.at = buf, .left = buflen};
	int rc;

	*result = NULL;
	rc = ctl_call(&call);
	if (rc < 0) {
		*herror = rc == -ENETDOWN || rc == -ENOMEM ? TRY_AGAIN : NO_RECOVERY;
		return rc == -ENETDOWN ? EAGAIN : -rc;
	}
	if (call.value) {
		*herror = call.value;
		return call.value == TRY_AGAIN ? EAGAIN : 0;
	}
	rc = fill(host, &room, query->family, answer, call.answer_len);
	if (rc < 0) {
		*herror = rc == -ERANGE ? NETDB_INTERNAL : NO_RECOVERY;
		return -rc;
	}
	*herror = NETDB_SUCCESS;
	*result = host;
	return 0;
}

static int ask_by_name(const char *name, int family, struct hostent *host, char *buf, size_t buflen,
		       struct hostent **result, int *herror)
{
	struct query query = {
		.op = LFP_CTL_GETHOSTBYNAME,
		.family = family,
		.data = name,
		.len = (uint32_t)strnlen(name, NI_MAXHOST) + 1,
	};

	*result = NULL;
	if (family != AF_INET && family != AF_INET6) {
		*herror = NETDB_INTERNAL;
		return EAFNOSUPPORT;
	}
	if (query.len > NI_MAXHOST) {
		*herror = HOST_NOT_FOUND;
		return 0;
	}
	return ask(&query, host, buf, buflen, result, herror);
}

static int ask_by_addr(const void *addr, socklen_t len, int family, struct hostent *host, char *buf,
		       size_t buflen, struct hostent **result, int *herror)
{
	struct lfp_addr data = {0};
	struct query query = {
		.op = LFP_CTL_GETHOSTBYADDR,
		.family = family,
		.data = &data,
		.len = sizeof(data),
	};

	*result = NULL;
	if ((family != AF_INET || len < sizeof(struct in_addr)) &&
	    (family != AF_INET6 || len < sizeof(struct in6_addr))) {
		*herror = NETDB_INTERNAL;
		return family == AF_INET || family == AF_INET6 ? EINVAL : EAFNOSUPPORT;
	}
	data.family = (uint16_t)lfp_family_from(family);
	memcpy(data.ip, addr, family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr));
	return ask(&query, host, buf, buflen, result, herror);
}

/* Result of the functions without _r; the next call overwrites it. */
static struct hostent static_host;
static char static_room[STATIC_ROOM];

static struct hostent *give_static(int rc, struct hostent *result, int saved)
{
	errno = result || !rc ? saved : rc;
	return result;
}

EXPORT struct hostent *gethostbyname2(const char *name, int family)
{
	struct hostent *result;
	int saved = errno;
	int rc;

	if (real()->own_names)
		return real()->gethostbyname2(name, family);
	rc = ask_by_name(name, family, &static_host, static_room, sizeof(static_room), &result,
			 &h_errno);
	return give_static(rc, result, saved);
}

EXPORT struct hostent *gethostbyname(const char *name)
{
	return real()->own_names ? real()->gethostbyname(name) : gethostbyname2(name, AF_INET);
}

EXPORT struct hostent *gethostbyaddr(const void *addr, socklen_t len, int family)
{
	struct hostent *result;
	int saved = errno;
	int rc;

	if (real()->own_names)
		return real()->gethostbyaddr(addr, len, family);
	rc = ask_by_addr(addr, len, family, &static_host, static_room, sizeof(static_room), &result,
			 &h_errno);
	return give_static(rc, result, saved);
}

/* glibc's own look-ups leave the error of the functions with _r in h_errno, too, and CPython reads
 * it there. */
static int leave_error(int rc, int herror)
{
	if (herror != NETDB_SUCCESS)
		h_errno = herror;
	return rc;
}

EXPORT int gethostbyname2_r(const char *restrict name, int family, struct hostent *restrict host,
			    char *restrict buf, size_t buflen, struct hostent **restrict result,
			    int *restrict herror)
{
	int rc;

	if (real()->own_names)
		return real()->gethostbyname2_r(name, family, host, buf, buflen, result, herror);
	rc = ask_by_name(name, family, host, buf, buflen, result, herror);
	return leave_error(rc, *herror);
}

EXPORT int gethostbyname_r(const char *restrict name, struct hostent *restrict host,
			   char *restrict buf, size_t buflen, struct hostent **restrict result,
			   int *restrict herror)
{
	if (real()->own_names)
		return real()->gethostbyname_r(name, host, buf, buflen, result, herror);
	return gethostbyname2_r(name, AF_INET, host, buf, buflen, result, herror);
}

EXPORT int gethostbyaddr_r(const void *restrict addr, socklen_t len, int family,
			   struct hostent *restrict host, char *restrict buf, size_t buflen,
			   struct hostent **restrict result, int *restrict herror)
{
	int rc;

	if (real()->own_names)
		return real()->gethostbyaddr_r(addr, len, family, host, buf, buflen, result,
					       herror);
	rc = ask_by_addr(addr, len, family, host, buf, buflen, result, herror);
	return leave_error(rc, *herror);
}
