/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.c - getaddrinfo, freeaddrinfo, getnameinfo, gai_strerror */
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "libvsesock/lec/lec.h"
#include "libvsesock/vse/values.h"

/* include/lec/netdb.h's struct addrinfo */
struct lec_addrinfo {
	int flags;
	int family;
	int kind;
	int protocol;
	unsigned int addrlen;
	char *canonname;
	void *addr;
	struct lec_addrinfo *next;
};

EXPORT int lec_getaddrinfo(const char *node, const char *service, const struct lec_addrinfo *hints,
			   struct lec_addrinfo **result);
EXPORT void lec_freeaddrinfo(struct lec_addrinfo *list);
EXPORT const char *lec_gai_strerror(int error);
EXPORT int lec_getnameinfo(const void *addr, unsigned int addrlen, char *host, unsigned int hostlen,
			   char *service, unsigned int servicelen, int flags);

static int give_eai(int error)
{
	if (!error)
		return 0;
	if (error == EAI_SYSTEM)
		lec_fail(errno);
	return vse_eai(error);
}

/* Makes an entry as one allocation. */
static struct lec_addrinfo *make_entry(const struct addrinfo *from)
{
	size_t name = from->ai_canonname ? strlen(from->ai_canonname) + 1 : 0;
	struct lec_addrinfo *entry = calloc(1, sizeof(*entry) + VSE_SOCKADDR_IN6 + name);
	struct sockaddr_storage addr = {0};

	if (!entry)
		return NULL;
	memcpy(&addr, from->ai_addr, from->ai_addrlen);
	entry->flags = 0;
	entry->family = vse_family_give(from->ai_family);
	entry->kind = from->ai_socktype;
	entry->protocol = from->ai_protocol;
	entry->addr = entry + 1;
	entry->addrlen =
		(unsigned int)vse_addr_give(entry->addr, VSE_SOCKADDR_IN6, &addr, VSE_ADDR_LEC);
	if (name) {
		entry->canonname = (char *)(entry + 1) + VSE_SOCKADDR_IN6;
		memcpy(entry->canonname, from->ai_canonname, name);
	}
	return entry;
}

void lec_freeaddrinfo(struct lec_addrinfo *list)
{
	while (list) {
		struct lec_addrinfo *next = list->next;

		free(list);
		list = next;
	}
}

static int make_list(struct lec_addrinfo **result, const struct addrinfo *from)
{
	struct lec_addrinfo *first = NULL, **last = &first;

	for (; from; from = from->ai_next) {
		*last = make_entry(from);
		if (!*last) {
			lec_freeaddrinfo(first);
			return EAI_MEMORY;
		}
		last = &(*last)->next;
	}
	*result = first;
	return 0;
}

/* Takes the hints; 0 or an EAI_ number of Linux. */
static int take_hints(struct addrinfo *to, const struct lec_addrinfo *hints)
{
	int family;

	*to = (struct addrinfo){0};
	if (!hints)
		return 0;
	if (memory_check_read(hints, sizeof(*hints))) {
		errno = EFAULT;
		return EAI_SYSTEM;
	}
	to->ai_flags = vse_ai_flags(hints->flags);
	if (to->ai_flags < 0)
		return EAI_BADFLAGS;
	family = vse_family_take(hints->family);
	if (family < 0)
		return EAI_FAMILY;
	to->ai_family = family;
	to->ai_socktype = hints->kind;
	to->ai_protocol = hints->protocol;
	return 0;
}

int lec_getaddrinfo(const char *node, const char *service, const struct lec_addrinfo *hints,
		    struct lec_addrinfo **result)
{
	struct addrinfo native, *list;
	struct vse_api *api;
	int rc;

	if (lec_enter(&api))
		return 10;
	if (memory_check_result(result, sizeof(*result)) || (node && memory_check_read(node, 1)) ||
	    (service && memory_check_read(service, 1))) {
		errno = EFAULT;
		return give_eai(EAI_SYSTEM);
	}
	rc = take_hints(&native, hints);
	if (!rc)
		rc = getaddrinfo(node, service, hints ? &native : NULL, &list);
	if (rc)
		return give_eai(rc);
	rc = make_list(result, list);
	freeaddrinfo(list);
	return give_eai(rc);
}

const char *lec_gai_strerror(int error)
{
	int native = vse_native_eai(error);

	if (!error)
		return "Success";
	return gai_strerror(native ? native : EAI_FAIL);
}

int lec_getnameinfo(const void *addr, unsigned int addrlen, char *host, unsigned int hostlen,
		    char *service, unsigned int servicelen, int flags)
{
	int native = vse_ni_flags(flags), rc;
	struct sockaddr_storage from;
	struct vse_api *api;
	socklen_t from_len;

	if (lec_enter(&api))
		return 10;
	if (native < 0)
		return give_eai(EAI_BADFLAGS);
	rc = lec_take_addr(&from, &from_len, addr, addrlen);
	if (rc < 0)
		return give_eai(EAI_FAMILY);
	if ((host && memory_check_result(host, hostlen < NI_MAXHOST ? hostlen : NI_MAXHOST)) ||
	    (service &&
	     memory_check_result(service, servicelen < NI_MAXSERV ? servicelen : NI_MAXSERV))) {
		errno = EFAULT;
		return give_eai(EAI_SYSTEM);
	}
	return give_eai(getnameinfo((const struct sockaddr *)&from, from_len, host, hostlen,
				    service, servicelen, native));
}
