/* SPDX-License-Identifier: Apache-2.0 */
/* options-ip.c - options of IP, IPv6, TCP and UDP: each at first, set, and then */
#include <linux/udp.h>

#include "tests/conformance/conform.h"

struct option {
	const char *text;
	int level, name, value;
};

#define OPTION(level, name, value)                                                                 \
	{                                                                                          \
#name, level, name, value                                                          \
	}

static const struct option of_ip[] = {
	OPTION(IPPROTO_IP, IP_TOS, 0x28),
	OPTION(IPPROTO_IP, IP_TTL, 33),
	OPTION(IPPROTO_IP, IP_TTL, 0),
	OPTION(IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DONT),
	OPTION(IPPROTO_IP, IP_RECVERR, 1),
	OPTION(IPPROTO_IP, IP_FREEBIND, 1),
	OPTION(IPPROTO_IP, IP_MULTICAST_TTL, 9),
	OPTION(IPPROTO_IP, IP_MULTICAST_TTL, 300),
	OPTION(IPPROTO_IP, IP_MULTICAST_LOOP, 0),
	OPTION(IPPROTO_IP, IP_MULTICAST_ALL, 0),
	OPTION(IPPROTO_IP, IP_MINTTL, 5),
	OPTION(IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1),
	OPTION(IPPROTO_IP, IP_MTU, 1),
	{"unknown of IP", IPPROTO_IP, 250, 1},
};

static const struct option of_ip6[] = {
	OPTION(IPPROTO_IPV6, IPV6_V6ONLY, 1),
	OPTION(IPPROTO_IPV6, IPV6_UNICAST_HOPS, 44),
	OPTION(IPPROTO_IPV6, IPV6_UNICAST_HOPS, 400),
	OPTION(IPPROTO_IPV6, IPV6_MULTICAST_HOPS, 7),
	OPTION(IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 0),
	OPTION(IPPROTO_IPV6, IPV6_MULTICAST_LOOP, 2),
	OPTION(IPPROTO_IPV6, IPV6_TCLASS, 0x40),
	OPTION(IPPROTO_IPV6, IPV6_RECVERR, 1),
	OPTION(IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DONT),
	OPTION(IPPROTO_IPV6, IPV6_FREEBIND, 1),
	OPTION(IPPROTO_IPV6, IPV6_DONTFRAG, 1),
	OPTION(IPPROTO_IPV6, IPV6_MTU, 1300),
	{"unknown of IPV6", IPPROTO_IPV6, 250, 1},
};

static const struct option of_tcp[] = {
	OPTION(IPPROTO_TCP, TCP_NODELAY, 1),      OPTION(IPPROTO_TCP, TCP_NODELAY, 0),
	OPTION(IPPROTO_TCP, TCP_CORK, 1),         OPTION(IPPROTO_TCP, TCP_CORK, 0),
	OPTION(IPPROTO_TCP, TCP_MAXSEG, 1000),    OPTION(IPPROTO_TCP, TCP_MAXSEG, 4),
	OPTION(IPPROTO_TCP, TCP_KEEPIDLE, 100),   OPTION(IPPROTO_TCP, TCP_KEEPIDLE, 0),
	OPTION(IPPROTO_TCP, TCP_KEEPINTVL, 12),   OPTION(IPPROTO_TCP, TCP_KEEPCNT, 3),
	OPTION(IPPROTO_TCP, TCP_SYNCNT, 4),       OPTION(IPPROTO_TCP, TCP_LINGER2, 15),
	OPTION(IPPROTO_TCP, TCP_DEFER_ACCEPT, 1), OPTION(IPPROTO_TCP, TCP_WINDOW_CLAMP, 20000),
	OPTION(IPPROTO_TCP, TCP_QUICKACK, 0),     OPTION(IPPROTO_TCP, TCP_USER_TIMEOUT, 12345),
	OPTION(IPPROTO_TCP, TCP_FASTOPEN, 5),     OPTION(IPPROTO_TCP, TCP_NOTSENT_LOWAT, 60000),
	OPTION(IPPROTO_TCP, TCP_SAVE_SYN, 1),     {"unknown of TCP", IPPROTO_TCP, 250, 1},
};

static const struct option of_udp[] = {
	OPTION(IPPROTO_UDP, UDP_CORK, 0),  OPTION(IPPROTO_UDP, UDP_SEGMENT, 0),
	OPTION(IPPROTO_UDP, UDP_GRO, 0),   {"unknown of UDP", IPPROTO_UDP, 250, 1},
	OPTION(IPPROTO_IP, IP_PKTINFO, 1), OPTION(IPPROTO_IP, IP_RECVTTL, 1),
	OPTION(IPPROTO_IP, IP_RECVTOS, 1), OPTION(IPPROTO_IP, IP_RECVORIGDSTADDR, 1),
};

static const struct option of_udp6[] = {
	OPTION(IPPROTO_IPV6, IPV6_RECVPKTINFO, 1),
	OPTION(IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1),
	OPTION(IPPROTO_IPV6, IPV6_RECVTCLASS, 1),
	OPTION(IPPROTO_IPV6, IPV6_RECVPATHMTU, 1),
};

static void table(int fd, const char *state, const struct option *options, size_t nr)
{
	char text[64];

	for (size_t i = 0; i < nr; i++) {
		const struct option *o = &options[i];
		int before = get_option(fd, o->level, o->name),
		    error_before = before < 0 ? errno : 0;
		int set = set_option(fd, o->level, o->name, o->value) < 0 ? errno : 0;
		int after = get_option(fd, o->level, o->name), error_after = after < 0 ? errno : 0;

		snprintf(text, sizeof(text), "%s%s = %d", state, o->text, o->value);
		say(text, "at first %d %s, set %s, then %d %s", before, error_name(error_before),
		    error_name(set), after, error_name(error_after));
	}
}

#define TABLE(fd, state, options) table(fd, state, options, sizeof(options) / sizeof((options)[0]))

static void tcp_structures(int af)
{
	struct tcp_info info;
	char name[16] = "";
	struct addr addr;
	int fd[2], at;
	socklen_t len = sizeof(info);

	fd[0] = new_socket(af, SOCK_STREAM);
	memset(&info, 0xff, sizeof(info));
	TRY("new: TCP_INFO", getsockopt(fd[0], IPPROTO_TCP, TCP_INFO, &info, &len));
	say("new: TCP_INFO: state", "%d", info.tcpi_state);
	close(fd[0]);
	stream_pair(af, fd);
	len = sizeof(info);
	memset(&info, 0xff, sizeof(info));
	TRY("TCP_INFO", getsockopt(fd[0], IPPROTO_TCP, TCP_INFO, &info, &len));
	say("TCP_INFO: state, mss", "%d, %d", info.tcpi_state, info.tcpi_snd_mss > 500);
	say("TCP_INFO: bytes", "%u", len);
	len = 1;
	TRY("TCP_INFO, one byte", getsockopt(fd[0], IPPROTO_TCP, TCP_INFO, &info, &len));
	say("TCP_INFO, one byte: bytes", "%u", len);
	len = sizeof(name);
	TRY("TCP_CONGESTION", getsockopt(fd[0], IPPROTO_TCP, TCP_CONGESTION, name, &len));
	say("TCP_CONGESTION: it", "'%s', %u bytes", name, len);
	TRY("TCP_CONGESTION reno", setsockopt(fd[0], IPPROTO_TCP, TCP_CONGESTION, "reno", 4));
	len = sizeof(name);
	memset(name, 0, sizeof(name));
	MUST(getsockopt(fd[0], IPPROTO_TCP, TCP_CONGESTION, name, &len));
	say("TCP_CONGESTION: then", "'%s'", name);
	TRY("TCP_CONGESTION nothing", setsockopt(fd[0], IPPROTO_TCP, TCP_CONGESTION, "nothing", 7));
	TRY("TCP_MAXSEG of a connection", get_option(fd[0], IPPROTO_TCP, TCP_MAXSEG) > 500);
	TRY("IP_MTU of a connection", get_option(fd[0], af == AF_INET ? IPPROTO_IP : IPPROTO_IPV6,
						 af == AF_INET ? IP_MTU : IPV6_MTU));
	TRY("TCP_KEEPALIVE values of a peer", get_option(fd[1], IPPROTO_TCP, TCP_KEEPIDLE));
	shutdown(fd[0], SHUT_WR);
	WAIT(all_events(fd[1]) & POLLRDHUP);
	close_pair(fd);
	at = listener(af, 0, &addr);
	len = sizeof(info);
	MUST(getsockopt(at, IPPROTO_TCP, TCP_INFO, &info, &len));
	say("listening: TCP_INFO: state", "%d", info.tcpi_state);
	close(at);
}

/* accept() returns a connection only after the client has sent data. */
static void defer_accept(int af)
{
	struct addr addr;
	int at = bound(af, SOCK_STREAM, &addr), fd, conn;

	MUST(set_option(at, IPPROTO_TCP, TCP_DEFER_ACCEPT, 5));
	MUST(listen(at, 8));
	fd = new_socket(af, SOCK_STREAM);
	TRY("TCP_DEFER_ACCEPT: connect", connect(fd, ADDR(&addr)));
	say("TCP_DEFER_ACCEPT: no connection yet", "%s",
	    events_text(poll_for(at, POLLIN, NOTHING_MS)));
	MUST(send(fd, "now", 3, 0));
	say("TCP_DEFER_ACCEPT: now", "%s", events_text(poll_for(at, POLLIN, WAIT_MS)));
	conn = (int)MUST(accept(at, NULL, NULL));
	say("TCP_DEFER_ACCEPT: data", "%s", received(conn, 0));
	close(fd);
	close(conn);
	close(at);
}

int main(void)
{
	int af, fd;

	begin();
	EACH_FAMILY(af)
	{
		for (int type = SOCK_STREAM; type <= SOCK_DGRAM; type++) {
			about("%s%d", type == SOCK_STREAM ? "tcp" : "udp", digit(af));
			fd = new_socket(af, type);
			TABLE(fd, "", of_ip);
			TABLE(fd, "", of_ip6);
			if (type == SOCK_STREAM)
				TABLE(fd, "", of_tcp);
			else
				TABLE(fd, "", of_udp);
			if (type == SOCK_DGRAM && af == AF_INET6)
				TABLE(fd, "", of_udp6);
			close(fd);
		}
		about("tcp%d", digit(af));
		tcp_structures(af);
		defer_accept(af);
	}
	return 0;
}
