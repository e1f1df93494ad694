/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.c - getaddrinfo, getnameinfo: names from lfpd's host */
#include <stdlib.h>
#include <string.h>

#include "lfp/addr.h"
#include "libvsesock/core/place.h"
#include "libvsesock/preload/hooks.h"

/*
 * Programs free the result of getaddrinfo() with libc's freeaddrinfo(), so it has libc's layout:
 * each node is one malloc() with its address behind it; ai_canonname (in the first node only) is
 * another.
 */

/* libc's flags for a call without hints */
#define NO_HINTS (AI_V4MAPPED | AI_ADDRCONFIG)

#define KNOWN_FLAGS                                                                                \
	(AI_PASSIVE | AI_CANONNAME | AI_NUMERICHOST | AI_V4MAPPED | AI_ALL | AI_ADDRCONFIG |       \
	 AI_NUMERICSERV | IDN_FLAGS)

/* Flags handled here, in the locale of the program; the last two have no effect any more. */
#define IDN_FLAGS (AI_IDN | AI_CANONIDN | 0x100 | 0x200)

/* Without an answer: as if the resolver could not be reached. */
static int explain(int rc)
{
	if (rc == -ENETDOWN)
		return EAI_AGAIN;
	if (rc == -ENOMEM)
		return EAI_MEMORY;
	errno = -rc;
	return EAI_SYSTEM;
}

/* Converts a name as libc does: "" and "*" are no name. */
static const char *take_name(const char *name)
{
	return name && strcmp(name, "*") == 0 ? NULL : name;
}

/* Puts "given", node and service into @buf. Returns the length, or 0 if they do not fit. */
static uint32_t put_names(uint8_t buf[static LFP_CTL_DATA], const char *node, const char *service)
{
	size_t nodelen = node ? strlen(node) : 0;
	size_t servicelen = service ? strlen(service) : 0;

	if (nodelen > LFP_CTL_DATA / 4 || servicelen > LFP_CTL_DATA / 4)
		return 0;
	buf[0] = (uint8_t)((node ? 1 : 0) | (service ? 2 : 0));
	if (node)
		memcpy(buf + 1, node, nodelen);
	buf[1 + nodelen] = '\0';
	if (service)
		memcpy(buf + 1 + nodelen + 1, service, servicelen);
	buf[1 + nodelen + 1 + servicelen] = '\0';
	return (uint32_t)(1 + nodelen + 1 + servicelen + 1);
}

static struct addrinfo *make_node(const struct lfp_ctl_ai *entry, int flags)
{
	struct sockaddr_storage sa;
	socklen_t len = lfp_addr_to(&entry->addr, &sa);
	struct addrinfo *node = malloc(sizeof(*node) + len);

	if (!node)
		return NULL;
	*node = (struct addrinfo){
		.ai_flags = flags,
		.ai_family = sa.ss_family,
		.ai_socktype = entry->kind,
		.ai_protocol = entry->protocol,
		.ai_addrlen = len,
		.ai_addr = (struct sockaddr *)(node + 1),
	};
	memcpy(node->ai_addr, &sa, len);
	return node;
}

/* Returns NULL without memory. */
static char *make_canonname(const char *name, int flags)
{
	char *out = NULL;

	if (!(flags & AI_CANONIDN))
		return strdup(name);
	return idn_from_dns(name, &out) ? NULL : out;
}

/* Builds the list from an answer. */
static int make_list(struct addrinfo **result, const uint8_t *data, size_t len, int flags)
{
	const uint8_t *end = memchr(data, '\0', len);
	struct addrinfo *first = NULL, **last = &first;
	struct lfp_ctl_ai entry;
	size_t at;

	if (!end)
		return EAI_FAIL;
	for (at = (size_t)(end - data) + 1; len - at >= sizeof(entry); at += sizeof(entry)) {
		memcpy(&entry, data + at, sizeof(entry));
		*last = make_node(&entry, flags);
		if (!*last)
			goto no_memory;
		last = &(*last)->ai_next;
	}
	if (!first)
		return EAI_NONAME;
	if (*data && (flags & AI_CANONNAME)) {
		first->ai_canonname = make_canonname((const char *)data, flags);
		if (!first->ai_canonname)
			goto no_memory;
	}
	*result = first;
	return 0;

no_memory:
	if (first)
		freeaddrinfo(first);
	return EAI_MEMORY;
}

/* Writes the text part of the question. Returns 0 or an EAI_. */
static int put_question(struct ctl_call *call, uint8_t data[static LFP_CTL_DATA], const char *node,
			const char *service, int flags)
{
	char *dns = NULL;
	int rc;

	if (node && (flags & AI_IDN)) {
		rc = idn_to_dns(node, &dns);
		if (rc)
			return rc;
		node = dns;
	}
	call->len = put_names(data, node, service);
	free(dns);
	return call->len ? 0 : EAI_NONAME;
}

/* libc looks the name up. It would judge by this namespace's interfaces whether addresses of a
 * family are of use, but the host's interfaces carry them. */
static int resolve_in_program(const char *node, const char *service, const struct addrinfo *hints,
			      struct addrinfo **result)
{
	struct addrinfo plain = {.ai_flags = AI_V4MAPPED, .ai_family = AF_UNSPEC};

	if (hints)
		plain = *hints;
	plain.ai_flags &= ~AI_ADDRCONFIG;
	return real()->getaddrinfo(node, service, &plain, result);
}

EXPORT int getaddrinfo(const char *restrict node, const char *restrict service,
		       const struct addrinfo *restrict hints, struct addrinfo **restrict result)
{
	static const struct addrinfo no_hints = {.ai_flags = NO_HINTS, .ai_family = AF_UNSPEC};
	uint8_t data[LFP_CTL_DATA];
	struct ctl_call call = {
		.nn = place_now(),
		.op = LFP_CTL_GETADDRINFO,
		.data = data,
		.fd = -1,
		.answer = data,
		.room = sizeof(data),
	};
	int saved = errno;
	int rc;

	if (real()->own_names)
		return resolve_in_program(node, service, hints, result);
	node = take_name(node);
	service = take_name(service);
	if (!node && !service)
		return EAI_NONAME;
	if (!hints)
		hints = &no_hints;
	/* Checks the errors that come first, and those that the message cannot carry; lfpd checks
	 * the rest. */
	if (hints->ai_flags & ~KNOWN_FLAGS)
		return EAI_BADFLAGS;
	if ((hints->ai_flags & AI_CANONNAME) && !node)
		return EAI_BADFLAGS;
	if (hints->ai_family != AF_UNSPEC && hints->ai_family != AF_INET &&
	    hints->ai_family != AF_INET6)
		return EAI_FAMILY;
	if (hints->ai_socktype < 0 || hints->ai_socktype > UINT16_MAX)
		return EAI_SOCKTYPE;
	if (hints->ai_protocol < 0 || hints->ai_protocol > UINT16_MAX)
		return EAI_SERVICE;
	call.a = hints->ai_flags & ~IDN_FLAGS;
	call.b = hints->ai_family;
	call.c = (int32_t)((uint32_t)hints->ai_socktype | (uint32_t)hints->ai_protocol << 16);
	rc = put_question(&call, data, node, service, hints->ai_flags);
	if (rc)
		return rc;
	rc = ctl_call(&call);
	if (rc < 0)
		return explain(rc);
	if (call.value)
		return call.value;
	rc = make_list(result, data, call.answer_len, hints->ai_flags);
	if (!rc)
		errno = saved;
	return rc;
}

/* Copies @text to a program. Returns false if it does not fit. */
static bool put_text(char *buf, socklen_t room, const char *text)
{
	size_t len = strlen(text) + 1;

	if (!buf || !room)
		return true;
	if (len > room)
		return false;
	memcpy(buf, text, len);
	return true;
}

/* Returns 0 or an EAI_. */
static int put_host(char *buf, socklen_t room, const char *name, int flags)
{
	bool fits;
	char *out;
	int rc;

	if (!(flags & NI_IDN) || (flags & NI_NUMERICHOST))
		return put_text(buf, room, name) ? 0 : EAI_OVERFLOW;
	rc = idn_from_dns(name, &out);
	if (rc)
		return rc;
	fits = put_text(buf, room, out);
	free(out);
	return fits ? 0 : EAI_OVERFLOW;
}

EXPORT int getnameinfo(const struct sockaddr *restrict addr, socklen_t addrlen, char *restrict host,
		       socklen_t hostlen, char *restrict service, socklen_t servicelen, int flags)
{
	const int numeric = NI_NUMERICHOST | NI_NUMERICSERV;
	char text[NI_MAXHOST + NI_MAXSERV];
	struct lfp_addr data;
	struct ctl_call call = {
		.nn = place_now(),
		.op = LFP_CTL_GETNAMEINFO,
		.a = flags & ~(NI_IDN | 64 | 128), /* includes flags without effect */
		.data = &data,
		.len = sizeof(data),
		.fd = -1,
		.answer = text,
		.room = sizeof(text),
	};
	const char *end;
	int rc;

	/* libc converts numbers, unless the name of an interface is among them. libc also handles
	 * other families and bad arguments. */
	if (real()->own_names || !addr || addrlen < sizeof(sa_family_t) ||
	    (addr->sa_family != AF_INET && addr->sa_family != AF_INET6) ||
	    lfp_addr_from(&data, addr, addrlen) < 0 || (!host && !service) ||
	    ((flags & numeric) == numeric && !data.scope))
		return real()->getnameinfo(addr, addrlen, host, hostlen, service, servicelen,
					   flags);
	/* One half may be numeric or unwanted: lfpd need not look it up. */
	if (!host || !hostlen)
		call.a |= NI_NUMERICHOST;
	if (!service || !servicelen)
		call.a |= NI_NUMERICSERV;
	rc = ctl_call(&call);
	if (rc < 0)
		return explain(rc);
	if (call.value)
		return call.value;
	end = memchr(text, '\0', call.answer_len);
	if (!end || !memchr(end + 1, '\0', call.answer_len - (size_t)(end + 1 - text)))
		return EAI_FAIL;
	rc = put_host(host, hostlen, text, flags);
	if (rc)
		return rc;
	return put_text(service, servicelen, end + 1) ? 0 : EAI_OVERFLOW;
}
