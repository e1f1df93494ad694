/* SPDX-License-Identifier: Apache-2.0 */
/* addr.c - socket addresses as the z/VSE interfaces have them */
#include "libvsesock/vse/values.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>

_Static_assert(sizeof(struct sockaddr_in) == VSE_SOCKADDR_IN &&
		       sizeof(struct sockaddr_in6) == VSE_SOCKADDR_IN6,
	       "but for the family they are Linux's");

int vse_family_take(int family)
{
	switch (family) {
	case AF_UNSPEC:
	case AF_INET:
		return family;
	case VSE_AF_INET6:
		return AF_INET6;
	default:
		return -EAFNOSUPPORT;
	}
}

int vse_family_give(int family)
{
	return family == AF_INET6 ? VSE_AF_INET6 : family;
}

int vse_addr_take(struct sockaddr_storage *to, socklen_t *tolen, const void *from, size_t len)
{
	const uint8_t *bytes = from;
	size_t want;
	int family;

	if (len < 2)
		return -EINVAL;
	family = vse_family_take(bytes[1]);
	if (family < 0)
		return family;
	want = family == AF_INET6 ? VSE_SOCKADDR_IN6 : VSE_SOCKADDR_IN;
	if (len < want)
		return -EINVAL;
	memset(to, 0, sizeof(*to));
	memcpy(to, from, want);
	to->ss_family = (sa_family_t)family;
	/* A program may leave anything in the last 8 bytes for IPv4. */
	if (family != AF_INET6)
		memset(((struct sockaddr_in *)to)->sin_zero, 0, 8);
	*tolen = (socklen_t)want;
	return 0;
}

size_t vse_addr_give(void *to, size_t room, const struct sockaddr_storage *from,
		     enum vse_addr_form form)
{
	size_t len = from->ss_family == AF_INET6 ? VSE_SOCKADDR_IN6 : VSE_SOCKADDR_IN;
	uint8_t bytes[VSE_SOCKADDR_IN6];

	memcpy(bytes, from, len);
	bytes[0] = form == VSE_ADDR_LEC ? (uint8_t)len : 0;
	bytes[1] = (uint8_t)vse_family_give(from->ss_family);
	memcpy(to, bytes, len < room ? len : room);
	return len;
}
