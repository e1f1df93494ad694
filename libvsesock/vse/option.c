/* SPDX-License-Identifier: Apache-2.0 */
/* option.c - socket options and ioctls by the numbers of the z/VSE interfaces */
#include "libvsesock/vse/values.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

/* OPTNAME is one of these plus the number of LE/C. */
#define EZA_IP   UINT32_C(0x00100000)
#define EZA_IPV6 UINT32_C(0x00010000)
#define EZA_TCP  UINT32_C(0x80000000)

/* LE/C's number and Linux's option of the same name. */
#define ROW(level, number, native_level, name, value, size)                                        \
	{                                                                                          \
		level, number, #name,                                                              \
		{                                                                                  \
			native_level, name, VSE_VALUE_##value, size                                \
		}                                                                                  \
	}

#define TIME_SIZE sizeof(struct timeval)

/* clang-format off */
static const struct row {
	int level, number;
	const char *text;
	struct vse_option option;
} rows[] = {
	ROW(VSE_SOL_SOCKET, 0x0001, SOL_SOCKET, SO_DEBUG, FLAG, 4),
	ROW(VSE_SOL_SOCKET, 0x0002, SOL_SOCKET, SO_ACCEPTCONN, FLAG, 4),
	ROW(VSE_SOL_SOCKET, 0x0004, SOL_SOCKET, SO_REUSEADDR, FLAG, 4),
	ROW(VSE_SOL_SOCKET, 0x0008, SOL_SOCKET, SO_KEEPALIVE, FLAG, 4),
	ROW(VSE_SOL_SOCKET, 0x0010, SOL_SOCKET, SO_DONTROUTE, FLAG, 4),
	ROW(VSE_SOL_SOCKET, 0x0020, SOL_SOCKET, SO_BROADCAST, FLAG, 4),
	ROW(VSE_SOL_SOCKET, 0x0080, SOL_SOCKET, SO_LINGER, NUMBERS, 8),
	ROW(VSE_SOL_SOCKET, 0x0100, SOL_SOCKET, SO_OOBINLINE, FLAG, 4),
	ROW(VSE_SOL_SOCKET, 0x0200, SOL_SOCKET, SO_REUSEPORT, FLAG, 4),
	ROW(VSE_SOL_SOCKET, 0x1001, SOL_SOCKET, SO_SNDBUF, BUFFER, 4),
	ROW(VSE_SOL_SOCKET, 0x1002, SOL_SOCKET, SO_RCVBUF, BUFFER, 4),
	ROW(VSE_SOL_SOCKET, 0x1003, SOL_SOCKET, SO_SNDLOWAT, NUMBER, 4),
	ROW(VSE_SOL_SOCKET, 0x1004, SOL_SOCKET, SO_RCVLOWAT, NUMBER, 4),
	ROW(VSE_SOL_SOCKET, 0x1005, SOL_SOCKET, SO_SNDTIMEO, TIME, TIME_SIZE),
	ROW(VSE_SOL_SOCKET, 0x1006, SOL_SOCKET, SO_RCVTIMEO, TIME, TIME_SIZE),
	ROW(VSE_SOL_SOCKET, 0x1007, SOL_SOCKET, SO_ERROR, ERROR, 4),
	ROW(VSE_SOL_SOCKET, 0x1008, SOL_SOCKET, SO_TYPE, NUMBER, 4),
	ROW(IPPROTO_IP, 3, IPPROTO_IP, IP_MULTICAST_TTL, BYTE, 4),
	ROW(IPPROTO_IP, 4, IPPROTO_IP, IP_MULTICAST_LOOP, FLAG, 4),
	ROW(IPPROTO_IP, 5, IPPROTO_IP, IP_ADD_MEMBERSHIP, BYTES, 8),
	ROW(IPPROTO_IP, 6, IPPROTO_IP, IP_DROP_MEMBERSHIP, BYTES, 8),
	ROW(IPPROTO_IP, 7, IPPROTO_IP, IP_MULTICAST_IF, BYTES, 4),
	ROW(IPPROTO_IPV6, 3, IPPROTO_IPV6, IPV6_UNICAST_HOPS, NUMBER, 4),
	ROW(IPPROTO_IPV6, 4, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, FLAG, 4),
	ROW(IPPROTO_IPV6, 5, IPPROTO_IPV6, IPV6_JOIN_GROUP, MREQ6, 20),
	ROW(IPPROTO_IPV6, 6, IPPROTO_IPV6, IPV6_LEAVE_GROUP, MREQ6, 20),
	ROW(IPPROTO_IPV6, 7, IPPROTO_IPV6, IPV6_MULTICAST_IF, NUMBER, 4),
	ROW(IPPROTO_IPV6, 9, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, NUMBER, 4),
	ROW(IPPROTO_IPV6, 10, IPPROTO_IPV6, IPV6_V6ONLY, FLAG, 4),
	ROW(IPPROTO_TCP, 1, IPPROTO_TCP, TCP_NODELAY, FLAG, 4),
	/* z/OS alone has these: they have a name and no value. */
	{VSE_SOL_SOCKET, 0x0040, "SO_USELOOPBACK", {.size = 0}},
	{IPPROTO_IP, 10, "IP_BLOCK_SOURCE", {.size = 0}},
	{IPPROTO_IP, 11, "IP_UNBLOCK_SOURCE", {.size = 0}},
	{IPPROTO_IP, 12, "IP_ADD_SOURCE_MEMBERSHIP", {.size = 0}},
	{IPPROTO_IP, 13, "IP_DROP_SOURCE_MEMBERSHIP", {.size = 0}},
	{IPPROTO_IP, 40, "MCAST_JOIN_GROUP", {.size = 0}},
	{IPPROTO_IP, 41, "MCAST_LEAVE_GROUP", {.size = 0}},
	{IPPROTO_IP, 42, "MCAST_JOIN_SOURCE_GROUP", {.size = 0}},
	{IPPROTO_IP, 43, "MCAST_LEAVE_SOURCE_GROUP", {.size = 0}},
	{IPPROTO_IP, 44, "MCAST_BLOCK_SOURCE", {.size = 0}},
	{IPPROTO_IP, 45, "MCAST_UNBLOCK_SOURCE", {.size = 0}},
	{IPPROTO_IPV6, 32, "IPV6_ADDR_PREFERENCES", {.size = 0}},
	{IPPROTO_TCP, 8, "TCP_KEEPALIVE", {IPPROTO_TCP, TCP_KEEPIDLE, VSE_VALUE_NUMBER, 4}},
};
/* clang-format on */

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

int vse_option(struct vse_option *option, int level, int name)
{
	for (size_t i = 0; i < NR_ROWS; i++) {
		if (rows[i].level != level || rows[i].number != name || !rows[i].option.size)
			continue;
		*option = rows[i].option;
		return 0;
	}
	return -ENOPROTOOPT;
}

/* The number that OPTNAME has in front of LE/C's. */
static uint32_t prefix_of(int level)
{
	switch (level) {
	case IPPROTO_IP:
		return EZA_IP;
	case IPPROTO_IPV6:
		return EZA_IPV6;
	case IPPROTO_TCP:
		return EZA_TCP;
	default:
		return 0;
	}
}

int vse_option_number(uint32_t *optname, const char *text)
{
	for (size_t i = 0; i < NR_ROWS; i++) {
		if (strcmp(rows[i].text, text) != 0)
			continue;
		*optname = prefix_of(rows[i].level) | (uint32_t)rows[i].number;
		return 0;
	}
	return -ENOPROTOOPT;
}

const char *vse_option_text(uint32_t optname)
{
	uint32_t number = optname & UINT32_C(0xFFFF);

	for (size_t i = 0; i < NR_ROWS; i++)
		if (prefix_of(rows[i].level) == optname - number && rows[i].number == (int)number)
			return rows[i].text;
	return NULL;
}

bool vse_option_is_byte(const struct vse_option *option, size_t len)
{
	return len == 1 && (option->value == VSE_VALUE_FLAG || option->value == VSE_VALUE_BYTE);
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
