/* SPDX-License-Identifier: Apache-2.0 */
/* netinet/in.h - Internet addresses of LE/C */
#ifndef VSESOCK_LEC_NETINET_IN_H
#define VSESOCK_LEC_NETINET_IN_H

#include <stdint.h>

#include "../sys/socket.h"

typedef uint32_t in_addr_t;
typedef uint16_t in_port_t;

#define IPPROTO_IP     0
#define IPPROTO_ICMP   1
#define IPPROTO_TCP    6
#define IPPROTO_UDP    17
#define IPPROTO_IPV6   41
#define IPPROTO_ICMPV6 58
#define IPPROTO_RAW    255

#define INADDR_ANY       ((in_addr_t)0x00000000)
#define INADDR_LOOPBACK  ((in_addr_t)0x7F000001)
#define INADDR_BROADCAST ((in_addr_t)0xFFFFFFFF)
#define INADDR_NONE      ((in_addr_t)0xFFFFFFFF)

#define INET_ADDRSTRLEN  16
#define INET6_ADDRSTRLEN 46

#define IPPORT_RESERVED 1024

struct in_addr {
	in_addr_t s_addr;
};

struct in6_addr {
	union {
		uint8_t bytes[16];
		uint32_t words[4];
	} in6_u;
};
#define s6_addr in6_u.bytes

struct sockaddr_in {
	unsigned char sin_len;
	sa_family_t sin_family;
	in_port_t sin_port;
	struct in_addr sin_addr;
	unsigned char sin_zero[8];
};

struct sockaddr_in6 {
	unsigned char sin6_len;
	sa_family_t sin6_family;
	in_port_t sin6_port;
	uint32_t sin6_flowinfo;
	struct in6_addr sin6_addr;
	uint32_t sin6_scope_id;
};

/* Options of level IPPROTO_IP ... */
#define IP_MULTICAST_TTL   3
#define IP_MULTICAST_LOOP  4
#define IP_ADD_MEMBERSHIP  5
#define IP_DROP_MEMBERSHIP 6
#define IP_MULTICAST_IF    7

struct ip_mreq {
	struct in_addr imr_multiaddr;
	struct in_addr imr_interface;
};

/* ... and IPPROTO_IPV6. */
#define IPV6_UNICAST_HOPS   3
#define IPV6_MULTICAST_LOOP 4
#define IPV6_JOIN_GROUP     5
#define IPV6_LEAVE_GROUP    6
#define IPV6_MULTICAST_IF   7
#define IPV6_MULTICAST_HOPS 9
#define IPV6_V6ONLY         10

struct ipv6_mreq {
	struct in6_addr ipv6mr_multiaddr;
	unsigned int ipv6mr_interface;
};

#define IN6ADDR_ANY_INIT                                                                           \
	{                                                                                          \
		{                                                                                  \
			{                                                                          \
				0                                                                  \
			}                                                                          \
		}                                                                                  \
	}
#define IN6ADDR_LOOPBACK_INIT                                                                      \
	{                                                                                          \
		{                                                                                  \
			{                                                                          \
				0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1                     \
			}                                                                          \
		}                                                                                  \
	}

#define IN6_IS_ADDR_UNSPECIFIED(a)                                                                 \
	(!((a)->in6_u.words[0] | (a)->in6_u.words[1] | (a)->in6_u.words[2] | (a)->in6_u.words[3]))
#define IN6_IS_ADDR_LOOPBACK(a)                                                                    \
	(!((a)->in6_u.words[0] | (a)->in6_u.words[1] | (a)->in6_u.words[2]) &&                     \
	 (a)->in6_u.words[3] == htonl(1))
#define IN6_IS_ADDR_V4MAPPED(a)                                                                    \
	(!((a)->in6_u.words[0] | (a)->in6_u.words[1]) && (a)->in6_u.words[2] == htonl(0xFFFF))
#define IN6_IS_ADDR_MULTICAST(a) ((a)->s6_addr[0] == 0xFF)
#define IN6_IS_ADDR_LINKLOCAL(a) ((a)->s6_addr[0] == 0xFE && ((a)->s6_addr[1] & 0xC0) == 0x80)

LEC_BEGIN

extern const struct in6_addr in6addr_any;
extern const struct in6_addr in6addr_loopback;

extern uint32_t htonl(uint32_t host);
extern uint16_t htons(uint16_t host);
extern uint32_t ntohl(uint32_t net);
extern uint16_t ntohs(uint16_t net);

LEC_END

#endif
