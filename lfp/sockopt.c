/* SPDX-License-Identifier: Apache-2.0 */
/* sockopt.c - socket options: layout of their values on the wire, and the side that handles them */
#include "lfp/sockopt.h"

#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

/*
 * Theory of operation
 *
 * A value is described by a layout, read from left to right:
 *
 *   B H I Q	1, 2, 4, 8 bytes; B stays as it is, the others are numbers of the machine
 *   24I	so many of them
 *   *I		as many as there are
 *   W		the whole value is one number, 4 or 8 bytes
 *
 * Bytes after the layout and a truncated field stay unchanged: a program may give IP_TTL as one
 * byte. Addresses and ports are in network order already, so they are bytes here. Bit fields in a
 * byte stay as the machine has them.
 */

#define SOCKADDR "H22BI" /* family; IPv4 and IPv6 alike; the scope of IPv6, padding for IPv4 */
#define STORAGE  SOCKADDR "100B"

/* As the kernel's struct tcp_info has grown; linux/tcp.h. */
#define TCP_INFO_LAYOUT "8B24I4Q6I4Q2I2Q6I2H8I"

/* Names that the headers of some systems do not have yet. */
#define NAME_DEVMEM_LINEAR   78 /* SO_DEVMEM_LINEAR */
#define NAME_DEVMEM_DONTNEED 80
#define NAME_ORIGINAL_DST    80 /* SO_ORIGINAL_DST, IP6T_SO_ORIGINAL_DST */
/* First and last of netfilter's numbers among the options of IP. */
#define IPTABLES  64, 67
#define IP6TABLES 64, 65
#define ARPTABLES 96, 99
#define EBTABLES  128, 131
#define IPVS      1152, 1215

struct option {
	int level;
	int first, last; /* names */
	enum lfp_opt_policy policy;
	const char *layout;
};

#define ONE(level, name, policy, layout)                                                           \
	{                                                                                          \
		level, name, name, LFP_OPT_##policy, layout                                        \
	}
#define RANGE(level, first, last, policy, layout)                                                  \
	{                                                                                          \
		level, first, last, LFP_OPT_##policy, layout                                       \
	}

static const struct option options[] = {
	/* Wanted where the program reads and writes, at the near end. */
	ONE(SOL_SOCKET, SO_RCVTIMEO_OLD, LOCAL, "QQ"),
	ONE(SOL_SOCKET, SO_SNDTIMEO_OLD, LOCAL, "QQ"),
	ONE(SOL_SOCKET, SO_RCVTIMEO_NEW, LOCAL, "QQ"),
	ONE(SOL_SOCKET, SO_SNDTIMEO_NEW, LOCAL, "QQ"),
	ONE(SOL_SOCKET, SO_RCVLOWAT, LOCAL, "I"),
	ONE(SOL_SOCKET, SO_PEEK_OFF, LOCAL, "I"),
	ONE(SOL_SOCKET, SO_OOBINLINE, LOCAL, "I"),
	ONE(SOL_SOCKET, SO_TIMESTAMP_OLD, LOCAL, "I"),
	ONE(SOL_SOCKET, SO_TIMESTAMP_NEW, LOCAL, "I"),
	ONE(SOL_SOCKET, SO_TIMESTAMPNS_OLD, LOCAL, "I"),
	ONE(SOL_SOCKET, SO_TIMESTAMPNS_NEW, LOCAL, "I"),

	/* Pages and programs: the other side cannot use a pointer or descriptor of this process. */
	ONE(SOL_SOCKET, SO_ZEROCOPY, ASK, "I"),
	ONE(SOL_SOCKET, SO_ATTACH_FILTER, ASK, "*B"),
	ONE(SOL_SOCKET, SO_ATTACH_BPF, REFUSE, "I"),
	ONE(SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, REFUSE, "*B"),
	ONE(SOL_SOCKET, SO_ATTACH_REUSEPORT_EBPF, REFUSE, "I"),
	RANGE(SOL_SOCKET, NAME_DEVMEM_LINEAR, NAME_DEVMEM_DONTNEED, REFUSE, "*B"),
	ONE(IPPROTO_TCP, TCP_ULP, ASK, "*B"),
	ONE(IPPROTO_TCP, TCP_ZEROCOPY_RECEIVE, REFUSE, "*B"),
	RANGE(IPPROTO_TCP, TCP_REPAIR, TCP_REPAIR_OPTIONS, ASK, "*B"),
	ONE(IPPROTO_TCP, TCP_REPAIR_WINDOW, ASK, "5I"),
	/* Only the instance asks for it. */
	ONE(LFP_OPT_LEVEL, LFP_OPT_SOURCE, REFUSE, "*B"),
	/* iptables and its kind: not a socket's, and with pointers that would be lfpd's. */
	{IPPROTO_IP, IPTABLES, LFP_OPT_REFUSE, "*B"},
	{IPPROTO_IP, ARPTABLES, LFP_OPT_REFUSE, "*B"},
	{IPPROTO_IP, EBTABLES, LFP_OPT_REFUSE, "*B"},
	{IPPROTO_IP, IPVS, LFP_OPT_REFUSE, "*B"},
	{IPPROTO_IPV6, IP6TABLES, LFP_OPT_REFUSE, "*B"},

	ONE(SOL_SOCKET, SO_LINGER, FORWARD, "II"),
	ONE(SOL_SOCKET, SO_BINDTODEVICE, FORWARD, "*B"),
	ONE(SOL_SOCKET, SO_PEERCRED, FORWARD, "III"),
	ONE(SOL_SOCKET, SO_PEERGROUPS, FORWARD, "*I"),
	ONE(SOL_SOCKET, SO_PEERNAME, FORWARD, SOCKADDR),
	ONE(SOL_SOCKET, SO_PEERSEC, FORWARD, "*B"),
	ONE(SOL_SOCKET, SO_MAX_PACING_RATE, FORWARD, "W"),
	ONE(SOL_SOCKET, SO_MEMINFO, FORWARD, "*I"),
	ONE(SOL_SOCKET, SO_COOKIE, FORWARD, "Q"),
	ONE(SOL_SOCKET, SO_NETNS_COOKIE, FORWARD, "Q"),
	ONE(SOL_SOCKET, SO_TXTIME, FORWARD, "II"),
	ONE(SOL_SOCKET, SO_TIMESTAMPING_OLD, FORWARD, "II"),
	ONE(SOL_SOCKET, SO_TIMESTAMPING_NEW, FORWARD, "II"),

	ONE(IPPROTO_TCP, TCP_INFO, FORWARD, TCP_INFO_LAYOUT),
	ONE(IPPROTO_TCP, TCP_CONGESTION, FORWARD, "*B"),
	ONE(IPPROTO_TCP, TCP_CC_INFO, FORWARD, "*I"),
	ONE(IPPROTO_TCP, TCP_FASTOPEN_KEY, FORWARD, "*B"),
	ONE(IPPROTO_TCP, TCP_SAVED_SYN, FORWARD, "*B"),
	ONE(IPPROTO_TCP, TCP_MD5SIG, FORWARD, STORAGE "2BHI"),
	ONE(IPPROTO_TCP, TCP_MD5SIG_EXT, FORWARD, STORAGE "2BHI"),

	ONE(IPPROTO_IP, IP_OPTIONS, FORWARD, "*B"),
	ONE(IPPROTO_IP, IP_PKTOPTIONS, FORWARD, "*B"),
	ONE(IPPROTO_IP, IP_UNICAST_IF, FORWARD, "*B"),    /* a number in network order */
	ONE(IPPROTO_IP, IP_MULTICAST_IF, FORWARD, "8BI"), /* or only an address, or two */
	ONE(IPPROTO_IP, IP_ADD_MEMBERSHIP, FORWARD, "8BI"),
	ONE(IPPROTO_IP, IP_DROP_MEMBERSHIP, FORWARD, "8BI"),
	RANGE(IPPROTO_IP, IP_UNBLOCK_SOURCE, IP_DROP_SOURCE_MEMBERSHIP, FORWARD, "*B"),
	ONE(IPPROTO_IP, IP_MSFILTER, FORWARD, "8BII"),
	ONE(IPPROTO_IP, NAME_ORIGINAL_DST, FORWARD, SOCKADDR),
	ONE(IPPROTO_IP, MCAST_JOIN_GROUP, FORWARD, "I4B" SOCKADDR),
	ONE(IPPROTO_IP, MCAST_LEAVE_GROUP, FORWARD, "I4B" SOCKADDR),
	RANGE(IPPROTO_IP, MCAST_BLOCK_SOURCE, MCAST_UNBLOCK_SOURCE, FORWARD,
	      "I4B" STORAGE SOCKADDR),
	RANGE(IPPROTO_IP, MCAST_JOIN_SOURCE_GROUP, MCAST_LEAVE_SOURCE_GROUP, FORWARD,
	      "I4B" STORAGE SOCKADDR),

	ONE(IPPROTO_IPV6, IPV6_2292PKTOPTIONS, FORWARD, "*B"),
	ONE(IPPROTO_IPV6, IPV6_UNICAST_IF, FORWARD, "*B"), /* a number in network order */
	ONE(IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, FORWARD, "16BI"),
	ONE(IPPROTO_IPV6, IPV6_DROP_MEMBERSHIP, FORWARD, "16BI"),
	ONE(IPPROTO_IPV6, IPV6_JOIN_ANYCAST, FORWARD, "16BI"),
	ONE(IPPROTO_IPV6, IPV6_LEAVE_ANYCAST, FORWARD, "16BI"),
	ONE(IPPROTO_IPV6, IPV6_PKTINFO, FORWARD, "16BI"),
	ONE(IPPROTO_IPV6, IPV6_NEXTHOP, FORWARD, SOCKADDR),
	ONE(IPPROTO_IPV6, IPV6_PATHMTU, FORWARD, SOCKADDR "I"),
	ONE(IPPROTO_IPV6, IPV6_HOPOPTS, FORWARD, "*B"),
	ONE(IPPROTO_IPV6, IPV6_RTHDRDSTOPTS, FORWARD, "*B"),
	ONE(IPPROTO_IPV6, IPV6_RTHDR, FORWARD, "*B"),
	ONE(IPPROTO_IPV6, IPV6_DSTOPTS, FORWARD, "*B"),
	ONE(IPPROTO_IPV6, NAME_ORIGINAL_DST, FORWARD, SOCKADDR),
	ONE(IPPROTO_IPV6, MCAST_JOIN_GROUP, FORWARD, "I4B" SOCKADDR),
	ONE(IPPROTO_IPV6, MCAST_LEAVE_GROUP, FORWARD, "I4B" SOCKADDR),
	RANGE(IPPROTO_IPV6, MCAST_BLOCK_SOURCE, MCAST_LEAVE_SOURCE_GROUP, FORWARD,
	      "I4B" STORAGE SOCKADDR),
};

static const struct option *find_option(int level, int name)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].level == level && name >= options[i].first &&
		    name <= options[i].last)
			return &options[i];
	return NULL;
}

enum lfp_opt_policy lfp_opt_policy(int level, int name)
{
	const struct option *option = find_option(level, name);

	return option ? option->policy : LFP_OPT_FORWARD;
}

int lfp_opt_refusal(int level, int name)
{
	/* As the kernel's sk_setsockopt() for a socket whose error queue carries no completions. */
	return level == SOL_SOCKET && name == SO_ZEROCOPY ? EOPNOTSUPP : ENOPROTOOPT;
}

bool lfp_opt_certain(int level, int name, size_t len)
{
	if (len < sizeof(int))
		return false;
	if (level == SOL_SOCKET)
		return name == SO_KEEPALIVE || name == SO_REUSEADDR;
	return level == IPPROTO_TCP &&
	       (name == TCP_NODELAY || name == TCP_CORK || name == TCP_QUICKACK);
}

static void turn16(uint8_t *at)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	v = htobe16(v);
	memcpy(at, &v, sizeof(v));
}

static void turn32(uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	v = htobe32(v);
	memcpy(at, &v, sizeof(v));
}

static void turn64(uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	v = htobe64(v);
	memcpy(at, &v, sizeof(v));
}

static void turn_number(uint8_t *at, size_t size)
{
	if (size == 2)
		turn16(at);
	else if (size == 4)
		turn32(at);
	else if (size == 8)
		turn64(at);
}

static size_t kind_size(char kind, size_t len)
{
	switch (kind) {
	case 'H':
		return 2;
	case 'I':
		return 4;
	case 'Q':
		return 8;
	case 'W':
		return len == 4 || len == 8 ? len : 1;
	default:
		return 1;
	}
}

/* Returns how often the next field of @layout repeats. Moves @layout to the field's letter. */
static size_t take_count(const char **layout)
{
	size_t count = 0;

	if (**layout == '*') {
		(*layout)++;
		return SIZE_MAX;
	}
	for (; **layout >= '0' && **layout <= '9'; (*layout)++)
		count = count * 10 + (size_t)(**layout - '0');
	return count ? count : 1;
}

/* Converts in both directions: either the byte order is swapped, or the machine is big-endian. */
static void turn_value(int level, int name, uint8_t *value, size_t len)
{
	const struct option *option = find_option(level, name);
	const char *layout = option ? option->layout : len == 4 ? "I" : "*B";
	size_t at = 0;

	for (; *layout; layout++) {
		size_t count = take_count(&layout), size = kind_size(*layout, len);

		for (; count && size <= len - at; count--, at += size)
			turn_number(value + at, size);
		if (count)
			return;
	}
}

void lfp_opt_to_wire(int level, int name, void *value, size_t len)
{
	turn_value(level, name, value, len);
}

void lfp_opt_from_wire(int level, int name, void *value, size_t len)
{
	turn_value(level, name, value, len);
}
