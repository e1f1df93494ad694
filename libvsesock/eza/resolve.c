/* SPDX-License-Identifier: Apache-2.0 */
/* resolve.c - GETADDRINFO, FREEADDRINFO, GETNAMEINFO */
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "libvsesock/eza/functions.h"
#include "libvsesock/vse/fork.h"
#include "libvsesock/vse/values.h"

#define NODE_MOST    255
#define SERVICE_MOST 32

/* A result as one allocation. The list has all of them, so that nothing else is ever freed. */
struct result {
	struct result *next;
	char entries[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct result *results;

static void __attribute__((constructor)) init(void)
{
	vse_fork_lock(VSE_LOCK_RESULTS, &lock, NULL);
}

/* Sets ERRNO from an EAI_ number of Linux. */
static int fail(struct eza_call *call, int error)
{
	call->number = vse_eai(error);
	return -EIO;
}

static void put_pointer(char *at, const void *pointer)
{
	memcpy(at, &pointer, sizeof(pointer));
}

static void *get_pointer(const char *at)
{
	void *pointer;

	memcpy(&pointer, at, sizeof(pointer));
	return pointer;
}

static struct result *make_result(const struct eza_call *call, const struct addrinfo *list)
{
	size_t nr = 0, names = 0;
	struct result *result;
	char *entry, *data;

	for (const struct addrinfo *at = list; at; at = at->ai_next, nr++)
		names += at->ai_canonname ? strlen(at->ai_canonname) + 1 : 0;
	result = calloc(1, sizeof(*result) + nr * (EZA_AI_LEN + VSE_SOCKADDR_IN6) + names);
	if (!result)
		return NULL;
	entry = result->entries;
	data = entry + nr * EZA_AI_LEN;
	for (const struct addrinfo *at = list; at; at = at->ai_next, entry += EZA_AI_LEN) {
		struct sockaddr_storage addr = {0};
		size_t len;

		memcpy(&addr, at->ai_addr, at->ai_addrlen);
		len = vse_addr_give(data, VSE_SOCKADDR_IN6, &addr, VSE_ADDR_EZA);
		eza_set_word(call->order, entry + EZA_AI_FAMILY,
			     (uint32_t)vse_family_give(at->ai_family));
		eza_set_word(call->order, entry + EZA_AI_TYPE, (uint32_t)at->ai_socktype);
		eza_set_word(call->order, entry + EZA_AI_PROTOCOL, (uint32_t)at->ai_protocol);
		eza_set_word(call->order, entry + EZA_AI_NAMELEN, (uint32_t)len);
		put_pointer(entry + EZA_AI_NAME, data);
		data += VSE_SOCKADDR_IN6;
		if (at->ai_canonname) {
			len = strlen(at->ai_canonname);
			put_pointer(entry + EZA_AI_CANON, data);
			eza_set_text(call, data, len, at->ai_canonname, ' ');
			data += len + 1;
		}
		if (at->ai_next)
			put_pointer(entry + EZA_AI_NEXT, entry + EZA_AI_LEN);
	}
	return result;
}

/* Takes HINTS, a pointer to ADDRINFO, of which four fullwords count. 0 or an EAI_ of Linux. */
static int take_hints(const struct eza_call *call, const char *from, struct addrinfo *hints)
{
	long family;

	if (memory_check_read(from, EZA_AI_NAMELEN))
		return EAI_SYSTEM;
	hints->ai_flags = vse_ai_flags((int32_t)eza_word(call->order, from + EZA_AI_FLAGS));
	family = (int32_t)eza_word(call->order, from + EZA_AI_FAMILY);
	hints->ai_socktype = (int)eza_word(call->order, from + EZA_AI_TYPE);
	hints->ai_protocol = (int)eza_word(call->order, from + EZA_AI_PROTOCOL);
	if (hints->ai_flags < 0)
		return EAI_BADFLAGS;
	hints->ai_family = vse_family_take((int)family);
	return hints->ai_family < 0 ? EAI_FAMILY : 0;
}

/* Takes a text that may be omitted; 0 or a negative error. */
static int take_name(const struct eza_call *call, int i, char *out, size_t room)
{
	long len = call->values[i + 1];

	out[0] = '\0';
	if (!call->args[i].data || !len)
		return 0;
	if (len < 0 || len >= (long)room)
		return -EINVAL;
	return eza_text(call, i, (size_t)len, out, room);
}

/* NODE, NODELEN, SERVICE, SERVLEN, HINTS, RES, CANNLEN */
int eza_getaddrinfo(struct eza_call *call)
{
	char node[NODE_MOST + 1], service[SERVICE_MOST + 1];
	struct addrinfo hints = {0}, *list;
	const char *said = NULL, *first;
	struct result *result;
	int rc;

	rc = take_name(call, 0, node, sizeof(node));
	if (!rc)
		rc = take_name(call, 2, service, sizeof(service));
	if (!rc && call->args[4].data)
		rc = eza_check(&call->args[4], sizeof(void *));
	if (rc < 0)
		return rc;
	if (call->args[4].data)
		said = get_pointer(call->args[4].data);
	rc = said ? take_hints(call, said, &hints) : 0;
	if (rc == EAI_SYSTEM)
		return -EFAULT;
	if (!rc)
		rc = getaddrinfo(node[0] ? node : NULL, service[0] ? service : NULL,
				 said ? &hints : NULL, &list);
	if (rc)
		return fail(call, rc);
	result = make_result(call, list);
	eza_set_number(&call->args[6], 4,
		       list->ai_canonname ? (long)strlen(list->ai_canonname) : 0);
	freeaddrinfo(list);
	if (!result)
		return fail(call, EAI_MEMORY);
	pthread_mutex_lock(&lock);
	result->next = results;
	results = result;
	pthread_mutex_unlock(&lock);
	first = result->entries;
	memcpy(call->args[5].data, &first, sizeof(first));
	return 0;
}

/* ADDRINFO: the pointer from RES */
int eza_freeaddrinfo(struct eza_call *call)
{
	const char *entries = get_pointer(call->args[0].data);
	struct result **at = &results, *result;

	pthread_mutex_lock(&lock);
	while (*at && (*at)->entries != entries)
		at = &(*at)->next;
	result = *at;
	if (result)
		*at = result->next;
	pthread_mutex_unlock(&lock);
	free(result);
	return result ? 0 : -EINVAL;
}

/* Checks the room for a name, up to the longest name. */
static int check_room(const struct eza_arg *arg, size_t room)
{
	int rc = eza_check(arg, room);

	return rc ? rc : eza_check_result(arg, room < NI_MAXHOST ? room : NI_MAXHOST);
}

/* Gives a name if the program wants it, ended by X'00' if there is room. 0 or an EAI_ of Linux. */
static int give_name(const struct eza_call *call, int i, const char *text)
{
	const struct eza_arg *arg = &call->args[i];
	size_t len = strlen(text), room = (size_t)call->values[i + 1];

	if (!arg->data || !room)
		return 0;
	if (len > room)
		return EAI_OVERFLOW;
	eza_set_text(call, arg->data, len < room ? len + 1 : len, text, '\0');
	return 0;
}

/* NAME, NAMELEN, HOST, HOSTLEN, SERVICE, SERVLEN, FLAGS */
int eza_getnameinfo(struct eza_call *call)
{
	char host[NI_MAXHOST], service[NI_MAXSERV];
	int flags = vse_ni_flags(call->values[6]), rc;
	struct sockaddr_storage name;
	struct eza_arg own = call->args[0];
	socklen_t len = 0;

	if (flags < 0)
		return fail(call, EAI_BADFLAGS);
	if (call->values[1] < 0 || call->values[3] < 0 || call->values[5] < 0)
		return -EINVAL;
	/* NAMELEN may be less than the size of NAME. */
	if (!own.size || own.size > (size_t)call->values[1])
		own.size = (size_t)call->values[1];
	rc = own.size ? eza_take_name(&name, &len, &own) : -EINVAL;
	for (int i = 2; i <= 4 && !rc; i += 2)
		if (call->args[i].data)
			rc = check_room(&call->args[i], (size_t)call->values[i + 1]);
	if (rc == -EAFNOSUPPORT)
		return fail(call, EAI_FAMILY);
	if (rc < 0)
		return rc;
	rc = getnameinfo((const struct sockaddr *)&name, len, host, sizeof(host), service,
			 sizeof(service), flags);
	if (!rc)
		rc = give_name(call, 2, host);
	if (!rc)
		rc = give_name(call, 4, service);
	return rc ? fail(call, rc) : 0;
}
