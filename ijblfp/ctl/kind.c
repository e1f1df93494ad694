/* SPDX-License-Identifier: Apache-2.0 */
/* kind.c - which kinds of sockets there are, by family, type and protocol */
#include "ijblfp/ctl/calls.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define PROTOCOL_LAST 262 /* IPPROTO_MPTCP; above it the kernel says EINVAL */

/*
 * The order is that of the kernel's inet_create() and inet6_create(); __sock_create() makes a
 * packet socket of SOCK_PACKET before. No program has a privilege on the host.
 */
int kind_refused(int family, int type, int protocol)
{
	int icmp = family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6;

	if (family == AF_INET && type == SOCK_PACKET)
		return EPERM;
	if (protocol < 0 || protocol > PROTOCOL_LAST)
		return EINVAL;
	switch (type) {
	case SOCK_STREAM:
		return 0;
	case SOCK_DGRAM:
		/* ping_init_sock(): no group of the program is in net.ipv4.ping_group_range. */
		return protocol == icmp ? EACCES : 0;
	case SOCK_RAW:
		return protocol ? EPERM : EPROTONOSUPPORT;
	default:
		return ESOCKTNOSUPPORT;
	}
}
