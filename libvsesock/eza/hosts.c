/* SPDX-License-Identifier: Apache-2.0 */
/* hosts.c - GETHOSTID, GETHOSTNAME, GETHOSTBYNAME, GETHOSTBYADDR, NTOP, PTON */
#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

#include "libvsesock/eza/functions.h"
#include "libvsesock/strict/strict.h"

#define NAME_LEAST 24
#define NAME_MOST  255

#define TEXT_IPV4 15
#define TEXT_IPV6 45

/* RETCODE is the address: X'0A000001' is 10.0.0.1. */
int eza_gethostid(struct eza_call *call)
{
	(void)call;
	return (int)ntohl((uint32_t)gethostid());
}

/* NAMELEN: the size, then the length; NAME, filled up with blanks */
int eza_gethostname(struct eza_call *call)
{
	char text[NAME_MOST + 1];
	long len = call->values[0];
	int rc;

	if (len < NAME_LEAST || len > NAME_MOST)
		return eza_fail(call, -EINVAL, 10190);
	rc = eza_check_result(&call->args[1], (size_t)len);
	if (rc < 0)
		return rc;
	if (gethostname(text, sizeof(text)))
		return -errno;
	eza_set_text(call, call->args[1].data, (size_t)len, text, ' ');
	eza_set_number(&call->args[0], 4, (long)strnlen(text, (size_t)len));
	return 0;
}

/* Gives the program a pointer to the result, which is valid until the thread's next resolver call.
 */
static int give_host(const struct eza_arg *arg, const struct hostent *host)
{
	memcpy(arg->data, &host, sizeof(host));
	return host ? 0 : -ENOENT;
}

/* NAMELEN, NAME, HOSTENT */
int eza_gethostbyname(struct eza_call *call)
{
	char name[NAME_MOST + 1];
	long len = call->values[0];
	int rc;

	if (len < 1 || len > NAME_MOST)
		return -EINVAL;
	rc = eza_text(call, 1, (size_t)len, name, sizeof(name));
	if (!rc && !call->copies)
		rc = strict_hostent();
	return rc ? rc : give_host(&call->args[2], gethostbyname(name));
}

/* HOSTADDR, HOSTENT */
int eza_gethostbyaddr(struct eza_call *call)
{
	struct in_addr addr;
	int rc = eza_check(&call->args[0], sizeof(addr));

	if (!rc && !call->copies)
		rc = strict_hostent();
	if (rc < 0)
		return rc;
	eza_take_address(&call->args[0], &addr);
	return give_host(&call->args[1], gethostbyaddr(&addr, sizeof(addr), AF_INET));
}

static int family_of(long family)
{
	if (family != AF_INET && family != VSE_AF_INET6)
		return -EAFNOSUPPORT;
	return vse_family_take((int)family);
}

/* FAMILY, SRCADDR, DSTADDR, DSTLEN: the size, then the length */
int eza_ntop(struct eza_call *call)
{
	const struct eza_arg *to = &call->args[2];
	int family = family_of(call->values[0]), rc;
	char text[INET6_ADDRSTRLEN];
	uint8_t addr[16];
	long room = call->values[3];

	if (family < 0)
		return family;
	rc = eza_check(&call->args[1], family == AF_INET ? 4 : 16);
	if (!rc && room > TEXT_IPV6)
		room = TEXT_IPV6;
	if (!rc && family == AF_INET)
		eza_take_address(&call->args[1], addr);
	else if (!rc)
		memcpy(addr, call->args[1].data, sizeof(addr));
	if (!rc && !inet_ntop(family, addr, text, sizeof(text)))
		rc = -errno;
	if (!rc && (long)strlen(text) > room)
		rc = -ENOSPC;
	if (!rc)
		rc = eza_check_result(to, (size_t)room);
	if (rc < 0)
		return rc;
	eza_set_text(call, to->data, (size_t)room, text, ' ');
	eza_set_number(&call->args[3], 2, (long)strlen(text));
	return 0;
}

/* FAMILY, SRCADDR, SRCLEN, DSTADDR */
int eza_pton(struct eza_call *call)
{
	int family = family_of(call->values[0]), rc;
	char text[TEXT_IPV6 + 1];
	uint8_t addr[16];
	size_t size;

	if (family < 0)
		return family;
	if (call->values[2] < 1)
		return -EINVAL;
	size = family == AF_INET ? 4 : 16;
	rc = eza_text(call, 1, (size_t)call->values[2], text, sizeof(text));
	if (!rc)
		rc = eza_check_result(&call->args[3], size);
	if (rc < 0)
		return rc;
	if (inet_pton(family, text, addr) != 1)
		return -EINVAL;
	memcpy(call->args[3].data, addr, size);
	return 0;
}
