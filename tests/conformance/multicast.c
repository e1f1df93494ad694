/* SPDX-License-Identifier: Apache-2.0 */
/* multicast.c - join and leave, interface, loop, TTL, of both families */
#include <net/if.h>

#include "tests/conformance/conform.h"

/* Each run has groups of its own, because Linux delivers to a socket the groups that other sockets
 * have joined (IP_MULTICAST_ALL, ip(7)). */
static char group4[32], other4[32], group6[48];

/* A socket that hears a port of all addresses */
static int hearer(int af, unsigned int *port)
{
	struct addr any = wildcard(af, *port);
	int fd = new_socket(af, SOCK_DGRAM);

	MUST(set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1));
	MUST(bind(fd, ADDR(&any)));
	any = name_of(fd);
	*port = port_of(&any);
	return fd;
}

/* Where it is not to be heard */
static const char *not_heard(int fd)
{
	return poll_for(fd, POLLIN, 4 * NOTHING_MS) ? received(fd, MSG_DONTWAIT) : "nothing";
}

static void four(void)
{
	struct ip_mreq join = {0};
	struct ip_mreqn by_index = {0};
	struct in_addr out = {0};
	struct addr group, own = numeric("10.9.0.1", 0);
	unsigned int port = 0;
	unsigned char byte = 5;
	int to, from = new_socket(AF_INET, SOCK_DGRAM);
	socklen_t len = sizeof(out);

	about("udp4");
	to = hearer(AF_INET, &port);
	group = numeric(group4, port);
	inet_pton(AF_INET, group4, &join.imr_multiaddr);
	join.imr_interface = own.in.sin_addr;
	/* Only a socket that has joined receives. */
	TRY("IP_MULTICAST_IF", setsockopt(from, IPPROTO_IP, IP_MULTICAST_IF, &own.in.sin_addr, 4));
	TRY("IP_MULTICAST_IF get", getsockopt(from, IPPROTO_IP, IP_MULTICAST_IF, &out, &len));
	say("IP_MULTICAST_IF: it", "%s, %u bytes", inet_ntoa(out), len);
	TRY("without members", sendto(from, "x", 1, 0, ADDR(&group)));
	say("without members: heard", "%s", not_heard(to));
	TRY("join", setsockopt(to, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof(join)));
	TRY("join twice", setsockopt(to, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof(join)));
	TRY("send", sendto(from, "hello", 5, 0, ADDR(&group)));
	say("heard", "%s", received(to, 0));
	TRY("IP_MULTICAST_LOOP by one byte",
	    setsockopt(from, IPPROTO_IP, IP_MULTICAST_LOOP, "", 1));
	len = 1;
	TRY("IP_MULTICAST_LOOP get", getsockopt(from, IPPROTO_IP, IP_MULTICAST_LOOP, &byte, &len));
	say("IP_MULTICAST_LOOP: it", "%d, %u bytes", byte, len);
	MUST(sendto(from, "quiet", 5, 0, ADDR(&group)));
	say("without loop: heard", "%s", not_heard(to));
	MUST(set_option(from, IPPROTO_IP, IP_MULTICAST_LOOP, 1));
	byte = 9;
	TRY("IP_MULTICAST_TTL by one byte",
	    setsockopt(from, IPPROTO_IP, IP_MULTICAST_TTL, &byte, 1));
	TRY("IP_MULTICAST_TTL get", get_option(from, IPPROTO_IP, IP_MULTICAST_TTL));
	TRY("IP_MULTICAST_TTL too large", set_option(from, IPPROTO_IP, IP_MULTICAST_TTL, 256));
	TRY("IP_MULTICAST_TTL default", set_option(from, IPPROTO_IP, IP_MULTICAST_TTL, -1));
	TRY("IP_MULTICAST_TTL then", get_option(from, IPPROTO_IP, IP_MULTICAST_TTL));
	TRY("IP_RECVTTL", set_option(to, IPPROTO_IP, IP_RECVTTL, 1));
	TRY("leave", setsockopt(to, IPPROTO_IP, IP_DROP_MEMBERSHIP, &join, sizeof(join)));
	TRY("leave twice", setsockopt(to, IPPROTO_IP, IP_DROP_MEMBERSHIP, &join, sizeof(join)));
	MUST(sendto(from, "gone", 4, 0, ADDR(&group)));
	say("after leaving: heard", "%s", not_heard(to));
	inet_pton(AF_INET, other4, &by_index.imr_multiaddr);
	by_index.imr_address = own.in.sin_addr;
	TRY("join with ip_mreqn",
	    setsockopt(to, IPPROTO_IP, IP_ADD_MEMBERSHIP, &by_index, sizeof(by_index)));
	group = numeric(other4, port);
	TRY("connect to a group", connect(from, ADDR(&group)));
	TRY("send, connected", send(from, "again", 5, 0));
	say("connected: heard", "%s", received(to, 0));
	join.imr_multiaddr = own.in.sin_addr;
	TRY("join an address that is no group",
	    setsockopt(to, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof(join)));
	TRY("join, too short", setsockopt(to, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, 4));
	inet_pton(AF_INET, group4, &join.imr_multiaddr);
	inet_pton(AF_INET, "192.0.2.1", &join.imr_interface);
	TRY("join at an address that is not ours",
	    setsockopt(to, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof(join)));
	close(from);
	close(to);
}

static void sources(void)
{
	struct ip_mreq_source join = {0};
	struct addr group, own = numeric("10.9.0.1", 0);
	unsigned int port = 0;
	int to = hearer(AF_INET, &port), from = new_socket(AF_INET, SOCK_DGRAM);

	about("udp4 source");
	group = numeric(group4, port);
	inet_pton(AF_INET, group4, &join.imr_multiaddr);
	join.imr_interface = join.imr_sourceaddr = own.in.sin_addr;
	MUST(setsockopt(from, IPPROTO_IP, IP_MULTICAST_IF, &own.in.sin_addr, 4));
	TRY("join", setsockopt(to, IPPROTO_IP, IP_ADD_SOURCE_MEMBERSHIP, &join, sizeof(join)));
	MUST(sendto(from, "from the source", 15, 0, ADDR(&group)));
	say("heard", "%s", received(to, 0));
	TRY("block", setsockopt(to, IPPROTO_IP, IP_BLOCK_SOURCE, &join, sizeof(join)));
	TRY("leave", setsockopt(to, IPPROTO_IP, IP_DROP_SOURCE_MEMBERSHIP, &join, sizeof(join)));
	TRY("leave twice",
	    setsockopt(to, IPPROTO_IP, IP_DROP_SOURCE_MEMBERSHIP, &join, sizeof(join)));
	close(from);
	close(to);
}

static void six(void)
{
	struct ipv6_mreq join = {0};
	struct group_req request = {0};
	struct addr group, own = numeric("fd00:9::1", 0);
	unsigned int port = 0, index;
	int to, from = new_socket(AF_INET6, SOCK_DGRAM);

	about("udp6");
	to = hearer(AF_INET6, &port);
	MUST(bind(from, ADDR(&own)));
	/* The interface by the number that if_nametoindex() returns */
	index = if_nametoindex("conf0");
	say("the interface has a number", "%d", index != 0);
	group = numeric(group6, port);
	inet_pton(AF_INET6, group6, &join.ipv6mr_multiaddr);
	join.ipv6mr_interface = index;
	TRY("IPV6_MULTICAST_IF", set_option(from, IPPROTO_IPV6, IPV6_MULTICAST_IF, (int)index));
	TRY("IPV6_MULTICAST_IF get",
	    get_option(from, IPPROTO_IPV6, IPV6_MULTICAST_IF) == (int)index);
	TRY("IPV6_MULTICAST_IF of nothing",
	    set_option(from, IPPROTO_IPV6, IPV6_MULTICAST_IF, 9999));
	TRY("without members", sendto(from, "x", 1, 0, ADDR(&group)));
	say("without members: heard", "%s", not_heard(to));
	TRY("join", setsockopt(to, IPPROTO_IPV6, IPV6_JOIN_GROUP, &join, sizeof(join)));
	TRY("join twice", setsockopt(to, IPPROTO_IPV6, IPV6_JOIN_GROUP, &join, sizeof(join)));
	TRY("send", sendto(from, "hello", 5, 0, ADDR(&group)));
	say("heard", "%s", received(to, 0));
	TRY("IPV6_MULTICAST_LOOP", set_option(from, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 0));
	MUST(sendto(from, "quiet", 5, 0, ADDR(&group)));
	say("without loop: heard", "%s", not_heard(to));
	MUST(set_option(from, IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 1));
	TRY("IPV6_MULTICAST_HOPS", set_option(from, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, 3));
	TRY("IPV6_MULTICAST_HOPS get", get_option(from, IPPROTO_IPV6, IPV6_MULTICAST_HOPS));
	TRY("IPV6_MULTICAST_HOPS too large",
	    set_option(from, IPPROTO_IPV6, IPV6_MULTICAST_HOPS, 256));
	TRY("leave", setsockopt(to, IPPROTO_IPV6, IPV6_LEAVE_GROUP, &join, sizeof(join)));
	TRY("leave twice", setsockopt(to, IPPROTO_IPV6, IPV6_LEAVE_GROUP, &join, sizeof(join)));
	MUST(sendto(from, "gone", 4, 0, ADDR(&group)));
	say("after leaving: heard", "%s", not_heard(to));
	request.gr_interface = index;
	memcpy(&request.gr_group, &group.in6, sizeof(group.in6));
	TRY("MCAST_JOIN_GROUP",
	    setsockopt(to, IPPROTO_IPV6, MCAST_JOIN_GROUP, &request, sizeof(request)));
	MUST(sendto(from, "again", 5, 0, ADDR(&group)));
	say("MCAST_JOIN_GROUP: heard", "%s", received(to, 0));
	TRY("MCAST_LEAVE_GROUP",
	    setsockopt(to, IPPROTO_IPV6, MCAST_LEAVE_GROUP, &request, sizeof(request)));
	inet_pton(AF_INET6, "fd00:9::1", &join.ipv6mr_multiaddr);
	TRY("join an address that is no group",
	    setsockopt(to, IPPROTO_IPV6, IPV6_JOIN_GROUP, &join, sizeof(join)));
	close(from);
	close(to);
}

int main(void)
{
	int own = getpid() & 0xffff;

	begin();
	snprintf(group4, sizeof(group4), "239.7.%d.%d", own >> 8, own & 255);
	snprintf(other4, sizeof(other4), "239.8.%d.%d", own >> 8, own & 255);
	snprintf(group6, sizeof(group6), "ff15::9:%x", own);
	four();
	sources();
	six();
	return 0;
}
