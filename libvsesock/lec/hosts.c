/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - gethostbyname, gethostbyaddr, gethostent, gethostname, gethostid, inet_ntop, inet_pton
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#include "libvsesock/lec/lec.h"

EXPORT struct hostent *lec_gethostbyname(const char *name);
EXPORT struct hostent *lec_gethostbyaddr(const void *addr, unsigned int len, int family);
EXPORT struct hostent *lec_gethostent(void);
EXPORT int lec_gethostname(char *name, size_t room);
EXPORT long lec_gethostid(void);
EXPORT const char *lec_inet_ntop(int family, const void *addr, char *text, unsigned int room);
EXPORT int lec_inet_pton(int family, const char *text, void *addr);

/* The structure is Linux's, except the family. */
static struct hostent *give_host(const struct hostent *host)
{
	static _Thread_local struct hostent own;

	if (!host)
		return NULL;
	own = *host;
	own.h_addrtype = vse_family_give(host->h_addrtype);
	return &own;
}

struct hostent *lec_gethostbyname(const char *name)
{
	struct vse_api *api;

	if (lec_enter(&api) || memory_check_read(name, 1)) {
		h_errno = NO_RECOVERY;
		return NULL;
	}
	return give_host(gethostbyname(name));
}

struct hostent *lec_gethostbyaddr(const void *addr, unsigned int len, int family)
{
	int native = vse_family_take(family);
	struct vse_api *api;

	if (lec_enter(&api) || native <= 0 || memory_check_read(addr, len < 16 ? len : 16)) {
		h_errno = NO_RECOVERY;
		return NULL;
	}
	return give_host(gethostbyaddr(addr, len, native));
}

struct hostent *lec_gethostent(void)
{
	return give_host(gethostent());
}

int lec_gethostname(char *name, size_t room)
{
	struct vse_api *api;

	if (lec_enter(&api))
		return -1;
	if (memory_check_result(name, room < NI_MAXHOST ? room : NI_MAXHOST))
		return lec_fail(EFAULT);
	return gethostname(name, room) ? lec_fail(errno) : 0;
}

/* Returns the address in network byte order, as a number of 32 bits. */
long lec_gethostid(void)
{
	struct vse_api *api;

	return lec_enter(&api) ? -1 : gethostid();
}

const char *lec_inet_ntop(int family, const void *addr, char *text, unsigned int room)
{
	int native = family ? vse_family_take(family) : -EAFNOSUPPORT;

	if (native < 0) {
		lec_fail(-native);
		return NULL;
	}
	if (memory_check_read(addr, native == AF_INET ? 4 : 16) ||
	    memory_check_result(text, room < INET6_ADDRSTRLEN ? room : INET6_ADDRSTRLEN)) {
		lec_fail(EFAULT);
		return NULL;
	}
	return inet_ntop(native, addr, text, room);
}

int lec_inet_pton(int family, const char *text, void *addr)
{
	int native = family ? vse_family_take(family) : -EAFNOSUPPORT;

	if (native < 0)
		return lec_fail(-native);
	if (memory_check_read(text, 1) || memory_check_result(addr, native == AF_INET ? 4 : 16))
		return lec_fail(EFAULT);
	return inet_pton(native, text, addr);
}
