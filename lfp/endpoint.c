/* SPDX-License-Identifier: Apache-2.0 */
/* endpoint.c - where something listens for this host alone: a UNIX socket, or a loopback port */
#include "lfp/endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "lfp/number.h"
#include "lfp/places.h"

int lfp_endpoint(const char *text, struct sockaddr_storage *addr, socklen_t *len)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;
	struct sockaddr_in *in = (struct sockaddr_in *)addr;
	const char *colon = strrchr(text, ':');
	char host[INET6_ADDRSTRLEN + 2];
	unsigned long port;
	size_t host_len = 0;

	memset(addr, 0, sizeof(*addr));
	if (*text == '/') {
		*len = sizeof(struct sockaddr_un);
		return lfp_unix_addr((struct sockaddr_un *)addr, text) ? -EINVAL : 0;
	}
	if (lfp_number(colon ? colon + 1 : text, 1, 65535, &port))
		return -EINVAL;
	if (colon)
		host_len = (size_t)(colon - text);
	if (host_len >= sizeof(host))
		return -EINVAL;
	memcpy(host, text, host_len);
	strcpy(host + host_len, colon ? "" : "127.0.0.1");
	if (!strcmp(host, "[::1]")) {
		in6->sin6_family = AF_INET6;
		in6->sin6_addr = in6addr_loopback;
		in6->sin6_port = htons((uint16_t)port);
		*len = sizeof(*in6);
		return 0;
	}
	in->sin_family = AF_INET;
	in->sin_port = htons((uint16_t)port);
	*len = sizeof(*in);
	if (inet_pton(AF_INET, host, &in->sin_addr) != 1 ||
	    ntohl(in->sin_addr.s_addr) >> 24 != IN_LOOPBACKNET)
		return -EINVAL;
	return 0;
}
