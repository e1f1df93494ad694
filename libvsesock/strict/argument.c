/* SPDX-License-Identifier: Apache-2.0 */
/* argument.c - rules of functions, socket types and local addresses */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "libvsesock/core/ctl-client.h"
#include "libvsesock/core/place.h"
#include "libvsesock/strict/strict.h"

#define TYPE_MASK 0xf /* flags are in higher bits */

int strict_unlisted(void)
{
	return strict_found(STRICT_FUNCTION, "LFP is not known to have this function");
}

int strict_lec(const char *name)
{
	static const char *const unlisted[] = {"poll", "readv", "writev"};

	strict_call("LE/C", name);
	for (size_t i = 0; i < sizeof(unlisted) / sizeof(unlisted[0]); i++)
		if (!strcmp(unlisted[i], name))
			return strict_unlisted();
	return 0;
}

int strict_type(int type)
{
	if (strict_on() && (type & TYPE_MASK) == SOCK_RAW)
		return strict_found(STRICT_RAW, "LFP has no raw sockets");
	return 0;
}

static int not_host_id(int family, const void *addr)
{
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(family, addr, text, sizeof(text));
	return strict_found(STRICT_ADDRESS,
			    "%s is not the host id; LFP has no other address, not even loopback",
			    text);
}

static int check_ipv4(const struct in_addr *addr)
{
	struct ctl_call call = {.nn = place_now(), .op = LFP_CTL_GETHOSTID, .fd = -1};
	bool loopback = (ntohl(addr->s_addr) >> 24) == IN_LOOPBACKNET;

	if (addr->s_addr == htonl(INADDR_ANY))
		return 0;
	/* Without a configured host id, any address of lfpd's host may be the one. */
	if (!loopback &&
	    (ctl_call(&call) < 0 || !call.value || (in_addr_t)call.value == addr->s_addr))
		return 0;
	return not_host_id(AF_INET, addr);
}

/* IPv6 addresses of z/VSE are not known here, so only the loopback is checked. */
int strict_local(const struct sockaddr *addr, socklen_t len)
{
	struct sockaddr_in6 in6;
	struct in_addr in;
	int saved = errno, rc = 0;

	if (!strict_on() || !addr)
		return 0;
	if (addr->sa_family == AF_INET && len >= sizeof(struct sockaddr_in)) {
		memcpy(&in, (const char *)addr + offsetof(struct sockaddr_in, sin_addr),
		       sizeof(in));
		rc = check_ipv4(&in);
	} else if (addr->sa_family == AF_INET6 && len >= sizeof(in6)) {
		memcpy(&in6, addr, sizeof(in6));
		memcpy(&in, &in6.sin6_addr.s6_addr[12], sizeof(in));
		if (IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr))
			rc = check_ipv4(&in);
		else if (IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr))
			rc = not_host_id(AF_INET6, &in6.sin6_addr);
	}
	errno = saved;
	return rc;
}
