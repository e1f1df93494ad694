/* SPDX-License-Identifier: Apache-2.0 */
/* option.c - socket options and ioctls by the numbers of the z/VSE interfaces */
#include "libvsesock/vse/values.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/time.h>

/* OPTNAME is one of these plus the number of LE/C. */
#define EZA_IP   UINT32_C(0x00100000)
#define EZA_IPV6 UINT32_C(0x00010000)
#define EZA_TCP  UINT32_C(0x80000000)

/* LE/C's number, then Linux's option. SO_SNDTIMEO has the program's struct timeval. */
static const struct row {
	int level, name;
	struct vse_option option;
} rows[] = {
	{VSE_SOL_SOCKET, 0x0002, {SOL_SOCKET, SO_ACCEPTCONN, VSE_VALUE_NUMBER, 4}},
	{VSE_SOL_SOCKET, 0x0001, {SOL_SOCKET, SO_DEBUG, VSE_VALUE_NUMBER, 4}},
	{VSE_SOL_SOCKET, 0x0004, {SOL_SOCKET, SO_REUSEADDR, VSE_VALUE_NUMBER, 4}},
	{VSE_SOL_SOCKET, 0x0008, {SOL_SOCKET, SO_KEEPALIVE, VSE_VALUE_NUMBER, 4}},
	{VSE_SOL_SOCKET, 0x0010, {SOL_SOCKET, SO_DONTROUTE, VSE_VALUE_NUMBER, 4}},
	{VSE_SOL_SOCKET, 0x0020, {SOL_SOCKET, SO_BROADCAST, VSE_VALUE_NUMBER, 4}},
	{VSE_SOL_SOCKET, 0x0080, {SOL_SOCKET, SO_LINGER, VSE_VALUE_NUMBERS, 8}},
	{VSE_SOL_SOCKET, 0x0100, {SOL_SOCKET, SO_OOBINLINE, VSE_VALUE_NUMBER, 4}},
	{VSE_SOL_SOCKET, 0x0200, {SOL_SOCKET, SO_REUSEPORT, VSE_VALUE_NUMBER, 4}},
	{VSE_SOL_SOCKET, 0x1001, {SOL_SOCKET, SO_SNDBUF, VSE_VALUE_BUFFER, 4}},
	{VSE_SOL_SOCKET, 0x1002, {SOL_SOCKET, SO_RCVBUF, VSE_VALUE_BUFFER, 4}},
	{VSE_SOL_SOCKET, 0x1003, {SOL_SOCKET, SO_SNDLOWAT, VSE_VALUE_NUMBER, 4}},
	{VSE_SOL_SOCKET, 0x1004, {SOL_SOCKET, SO_RCVLOWAT, VSE_VALUE_NUMBER, 4}},
	{VSE_SOL_SOCKET, 0x1005, {SOL_SOCKET, SO_SNDTIMEO, VSE_VALUE_TIME, sizeof(struct timeval)}},
	{VSE_SOL_SOCKET, 0x1006, {SOL_SOCKET, SO_RCVTIMEO, VSE_VALUE_TIME, sizeof(struct timeval)}},
	{VSE_SOL_SOCKET, 0x1007, {SOL_SOCKET, SO_ERROR, VSE_VALUE_ERROR, 4}},
	{VSE_SOL_SOCKET, 0x1008, {SOL_SOCKET, SO_TYPE, VSE_VALUE_NUMBER, 4}},
	{IPPROTO_IP, 3, {IPPROTO_IP, IP_MULTICAST_TTL, VSE_VALUE_BYTE, 1}},
	{IPPROTO_IP, 4, {IPPROTO_IP, IP_MULTICAST_LOOP, VSE_VALUE_BYTE, 1}},
	{IPPROTO_IP, 5, {IPPROTO_IP, IP_ADD_MEMBERSHIP, VSE_VALUE_BYTES, 8}},
	{IPPROTO_IP, 6, {IPPROTO_IP, IP_DROP_MEMBERSHIP, VSE_VALUE_BYTES, 8}},
	{IPPROTO_IP, 7, {IPPROTO_IP, IP_MULTICAST_IF, VSE_VALUE_BYTES, 4}},
	{IPPROTO_IPV6, 3, {IPPROTO_IPV6, IPV6_UNICAST_HOPS, VSE_VALUE_NUMBER, 4}},
	{IPPROTO_IPV6, 4, {IPPROTO_IPV6, IPV6_MULTICAST_LOOP, VSE_VALUE_NUMBER, 4}},
	{IPPROTO_IPV6, 5, {IPPROTO_IPV6, IPV6_JOIN_GROUP, VSE_VALUE_MREQ6, 20}},
	{IPPROTO_IPV6, 6, {IPPROTO_IPV6, IPV6_LEAVE_GROUP, VSE_VALUE_MREQ6, 20}},
	{IPPROTO_IPV6, 7, {IPPROTO_IPV6, IPV6_MULTICAST_IF, VSE_VALUE_NUMBER, 4}},
	{IPPROTO_IPV6, 9, {IPPROTO_IPV6, IPV6_MULTICAST_HOPS, VSE_VALUE_NUMBER, 4}},
	{IPPROTO_IPV6, 10, {IPPROTO_IPV6, IPV6_V6ONLY, VSE_VALUE_NUMBER, 4}},
	{IPPROTO_TCP, 1, {IPPROTO_TCP, TCP_NODELAY, VSE_VALUE_NUMBER, 4}},
	{IPPROTO_TCP, 8, {IPPROTO_TCP, TCP_KEEPIDLE, VSE_VALUE_NUMBER, 4}},
};

int vse_option(struct vse_option *option, int level, int name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].level != level || rows[i].name != name)
			continue;
		*option = rows[i].option;
		return 0;
	}
	return -ENOPROTOOPT;
}

int vse_option_of_eza(struct vse_option *option, uint32_t optname)
{
	uint32_t name = optname & UINT32_C(0xFFFF);

	switch (optname - name) {
	case 0:
		return vse_option(option, VSE_SOL_SOCKET, (int)name);
	case EZA_IP:
		return vse_option(option, IPPROTO_IP, (int)name);
	case EZA_IPV6:
		return vse_option(option, IPPROTO_IPV6, (int)name);
	case EZA_TCP:
		return vse_option(option, IPPROTO_TCP, (int)name);
	default:
		return -ENOPROTOOPT;
	}
}
