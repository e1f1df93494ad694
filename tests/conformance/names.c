/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - getsockname and getpeername in each state, bind to all kinds of addresses, two at one
 * address */
#include "tests/conformance/conform.h"

static void say_name(const char *text, int fd)
{
	struct addr addr = {.len = sizeof(addr.storage)};

	if (getsockname(fd, &addr.sa, &addr.len) < 0)
		say(text, "%s", error_name(errno));
	else
		say(text, "%s", text_of(&addr));
}

static void say_peer(const char *text, int fd)
{
	struct addr addr = {.len = sizeof(addr.storage)};

	if (getpeername(fd, &addr.sa, &addr.len) < 0)
		say(text, "%s", error_name(errno));
	else
		say(text, "%s", text_of(&addr));
}

/* The connection was reset. */
static void bind_again(int af, int fd, bool accepted)
{

	struct addr addr, name = {.len = sizeof(name.storage)};

	close(bound(af, SOCK_STREAM, &addr));
	TRY(accepted ? "accepted, reset: bind" : "reset: bind", bind(fd, ADDR(&addr)));
	MUST(getsockname(fd, &name.sa, &name.len));
	say(accepted ? "accepted, reset: bound" : "reset: bound", "to the new port: %d",
	    name.in.sin_port == addr.in.sin_port);
}

static void states(int af, int type)
{
	struct addr addr, end = unspec();
	int fd = new_socket(af, type), pair[2];

	say_name("new: name", fd);
	say_peer("new: peer", fd);
	addr = wildcard(af, 0);
	TRY("bind to the wildcard", bind(fd, ADDR(&addr)));
	say_name("bound: name", fd);
	say_peer("bound: peer", fd);
	close(fd);
	fd = bound(af, type, &addr);
	say_name("bound to the loopback: name", fd);
	if (type == SOCK_STREAM) {
		MUST(listen(fd, 1));
		say_name("listening: name", fd);
		say_peer("listening: peer", fd);
		stream_pair(af, pair);
	} else {
		datagram_pair(af, pair);
	}
	close(fd);
	say_name("connected: name", pair[0]);
	say_peer("connected: peer", pair[0]);
	shutdown(pair[0], SHUT_WR);
	say_peer("shut down for writing: peer", pair[0]);
	if (type == SOCK_STREAM) {
		shutdown(pair[1], SHUT_WR);
		WAIT(all_events(pair[0]) & POLLHUP);
		say_name("both shut down: name", pair[0]);
		say_peer("both shut down: peer", pair[0]);
		WAIT(all_events(pair[1]) & POLLHUP);
		say_peer("both shut down: the accepted one's peer", pair[1]);
		close_pair(pair);
		stream_pair(af, pair);
		MUST(send(pair[0], "x", 1, 0));
		wait_bytes(pair[1], 1);
		close(pair[1]);
		WAIT(all_events(pair[0]) & POLLHUP);
		say_name("reset: name", pair[0]);
		say_peer("reset: peer", pair[0]);
		bind_again(af, pair[0], false);
		close(pair[0]);
		stream_pair(af, pair);
		say_name("accepted: name", pair[1]);
		MUST(send(pair[1], "x", 1, 0));
		wait_bytes(pair[0], 1);
		close(pair[0]);
		WAIT(all_events(pair[1]) & POLLHUP);
		bind_again(af, pair[1], true);
		close(pair[1]);
		return;
	}
	MUST(connect(pair[0], ADDR(&end)));
	say_name("disconnected: name", pair[0]);
	say_peer("disconnected: peer", pair[0]);
	close_pair(pair);
	fd = new_socket(af, type);
	addr = loopback(af, 9);
	MUST(connect(fd, ADDR(&addr)));
	say_name("connected without bind: name", fd);
	MUST(connect(fd, ADDR(&end)));
	say_name("disconnected without bind: name", fd);
	close(fd);
	fd = new_socket(af, type);
	MUST(sendto(fd, "x", 1, 0, ADDR(&addr)));
	say_name("after sendto: name", fd);
	close(fd);
}

static void lengths(int af, int type)
{
	struct addr addr;
	int fd = bound(af, type, &addr);
	void *nowhere = bad_address();

	addr.in.sin_addr.s_addr = 0x5a5a5a5a;
	addr.len = 0;
	TRY("length 0", getsockname(fd, &addr.sa, &addr.len));
	say("length 0: it", "%u, untouched %d", addr.len, addr.in.sin_addr.s_addr == 0x5a5a5a5a);
	addr.len = 3;
	TRY("length 3", getsockname(fd, &addr.sa, &addr.len));
	say("length 3: it", "%u, family %d", addr.len, addr.sa.sa_family == af);
	addr.len = (socklen_t)-1;
	TRY("negative length", getsockname(fd, &addr.sa, &addr.len));
	addr.len = sizeof(addr.storage);
	TRY("bad address", getsockname(fd, nowhere, &addr.len));
	TRY("bad length", getsockname(fd, &addr.sa, nowhere));
	TRY("a file", getsockname(0, &addr.sa, &addr.len));
	TRY("a file: getpeername", getpeername(0, &addr.sa, &addr.len));
	close(fd);
}

static void binding(int af, int type)
{
	struct addr addr = loopback(af, 0), other, any;
	int fd = new_socket(af, type), second;
	void *nowhere = bad_address();

	TRY("bind: too short", bind(fd, &addr.sa, 7));
	TRY("bind: no length", bind(fd, &addr.sa, 0));
	TRY("bind: too long", bind(fd, &addr.sa, 200));
	TRY("bind: bad address", bind(fd, nowhere, addr.len));
	other = numeric(af == AF_INET ? "192.0.2.1" : "2001:db8::1", 0);
	TRY("bind: not ours", bind(fd, ADDR(&other)));
	other = loopback(af == AF_INET ? AF_INET6 : AF_INET, 0);
	TRY("bind: another family", bind(fd, ADDR(&other)));
	other = addr;
	other.sa.sa_family = AF_UNIX;
	TRY("bind: AF_UNIX", bind(fd, ADDR(&other)));
	other = unspec();
	other.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	TRY("bind: AF_UNSPEC with an address", bind(fd, ADDR(&other)));
	other = unspec();
	TRY("bind: AF_UNSPEC", bind(fd, ADDR(&other)));
	close(fd);
	fd = new_socket(af, type);
	addr = numeric(af == AF_INET ? "10.9.0.1" : "fd00:9::1", 0);
	TRY("bind: another address of the host", bind(fd, ADDR(&addr)));
	say_name("bind: another address of the host: name", fd);
	close(fd);
	if (af == AF_INET) {
		fd = new_socket(af, type);
		addr = numeric("127.9.9.9", 0);
		TRY("bind: 127.9.9.9", bind(fd, ADDR(&addr)));
		close(fd);
	}

	fd = bound(af, type, &addr);
	second = new_socket(af, type);
	TRY("in use", bind(second, ADDR(&addr)));
	any = wildcard(af, port_of(&addr));
	TRY("in use, by the wildcard", bind(second, ADDR(&any)));
	MUST(set_option(second, SOL_SOCKET, SO_REUSEADDR, 1));
	TRY("in use, one with SO_REUSEADDR", bind(second, ADDR(&addr)));
	MUST(set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1));
	TRY("in use, both with SO_REUSEADDR", bind(second, ADDR(&addr)));
	if (type == SOCK_STREAM) {
		TRY("the first listens", listen(fd, 1));
		TRY("the second listens", listen(second, 1));
	}
	close(second);
	close(fd);
	fd = new_socket(af, type);
	second = new_socket(af, type);
	MUST(set_option(fd, SOL_SOCKET, SO_REUSEPORT, 1));
	MUST(set_option(second, SOL_SOCKET, SO_REUSEPORT, 1));
	addr = loopback(af, 0);
	MUST(bind(fd, ADDR(&addr)));
	addr = name_of(fd);
	TRY("SO_REUSEPORT: the second", bind(second, ADDR(&addr)));
	if (type == SOCK_STREAM) {
		TRY("SO_REUSEPORT: listen", listen(fd, 1));
		TRY("SO_REUSEPORT: the second, listen", listen(second, 1));
	}
	close(fd);
	close(second);
	/* The port of a closed bound socket is free at once. No other topic gets this port
	 * meanwhile. */
	addr = nobody(af);
	fd = new_socket(af, type);
	MUST(bind(fd, ADDR(&addr)));
	close(fd);
	fd = new_socket(af, type);
	TRY("a port again", bind(fd, ADDR(&addr)));
	close(fd);
}

/* IPv6 sockets that are also IPv4's */
static void both_families(int type)
{
	struct addr any = wildcard(AF_INET6, 0), mapped, four, from = {.len = sizeof(from.storage)};
	int fd = new_socket(AF_INET6, type), client = new_socket(AF_INET, type), conn;
	char c;

	TRY("IPV6_V6ONLY", get_option(fd, IPPROTO_IPV6, IPV6_V6ONLY));
	MUST(bind(fd, ADDR(&any)));
	any = name_of(fd);
	four = loopback(AF_INET, port_of(&any));
	if (type == SOCK_STREAM) {
		MUST(listen(fd, 1));
		TRY("IPv4 to IPv6", connect(client, ADDR(&four)));
		conn = TRY_FD("accept", accept(fd, &from.sa, &from.len));
		say("the peer is mapped", "%s", text_of(&from));
		say_name("its own name is mapped", conn);
		close(conn);
	} else {
		TRY("IPv4 to IPv6", sendto(client, "x", 1, 0, ADDR(&four)));
		readable(fd);
		TRY("recvfrom", recvfrom(fd, &c, 1, 0, &from.sa, &from.len));
		say("the sender is mapped", "%s", text_of(&from));
		TRY("an answer", sendto(fd, "y", 1, 0, ADDR(&from)));
		say("which comes", "%s", received(client, 0));
	}
	close(client);
	client = new_socket(AF_INET6, type);
	mapped = numeric("::ffff:127.0.0.1", port_of(&any));
	TRY("to a mapped address", connect(client, ADDR(&mapped)));
	say_peer("whose name is mapped", client);
	say_name("and its own", client);
	close(client);
	MUST(close(fd));
	/* Another program may hold one port of IPv4 by chance, but not several. */
	for (int tries = 5; tries; tries--) {
		fd = new_socket(AF_INET6, type);
		MUST(set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1));
		any = wildcard(AF_INET6, 0);
		MUST(bind(fd, ADDR(&any)));
		any = name_of(fd);
		if (type == SOCK_STREAM)
			MUST(listen(fd, 1));
		four = loopback(AF_INET, port_of(&any));
		client = new_socket(AF_INET, type);
		if (bind(client, ADDR(&four)) == 0 || tries == 1)
			break;
		close(client);
		close(fd);
	}
	TRY("IPV6_V6ONLY set", get_option(fd, IPPROTO_IPV6, IPV6_V6ONLY));
	four = name_of(client);
	say("IPv4 has the port, too", "%d", port_of(&four) == port_of(&any));
	TRY("IPV6_V6ONLY when bound", set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0));
	mapped = numeric("::ffff:127.0.0.1", 0);
	close(client);
	client = new_socket(AF_INET6, type);
	MUST(set_option(client, IPPROTO_IPV6, IPV6_V6ONLY, 1));
	TRY("a mapped address and IPV6_V6ONLY", bind(client, ADDR(&mapped)));
	mapped = numeric("::ffff:127.0.0.1", 9);
	TRY("connect to one", connect(client, ADDR(&mapped)));
	close(client);
	close(fd);
}

/* socket() itself */
static void kinds(void)
{
	static const struct {
		const char *text;
		int af, type, protocol;
	} kinds[] = {
		{"AF_INET, TCP named", AF_INET, SOCK_STREAM, IPPROTO_TCP},
		{"AF_INET6, TCP named", AF_INET6, SOCK_STREAM, IPPROTO_TCP},
		{"AF_INET, UDP named", AF_INET, SOCK_DGRAM, IPPROTO_UDP},
		{"AF_INET6, UDP named", AF_INET6, SOCK_DGRAM, IPPROTO_UDP},
		{"a stream of UDP", AF_INET, SOCK_STREAM, IPPROTO_UDP},
		{"datagrams of TCP", AF_INET, SOCK_DGRAM, IPPROTO_TCP},
		{"AF_INET6, a stream of UDP", AF_INET6, SOCK_STREAM, IPPROTO_UDP},
		{"unknown protocol", AF_INET, SOCK_STREAM, 250},
		{"protocol out of range", AF_INET, SOCK_STREAM, 1000},
		{"negative protocol", AF_INET, SOCK_STREAM, -1},
		{"unknown type", AF_INET, 9, 0},
		{"type 0", AF_INET, 0, 0},
		{"SOCK_SEQPACKET", AF_INET, SOCK_SEQPACKET, 0},
		{"SOCK_RDM", AF_INET6, SOCK_RDM, 0},
		{"type out of range", AF_INET, 99, 0},
		{"no family", AF_UNSPEC, SOCK_STREAM, 0},
		{"family out of range", 999, SOCK_STREAM, 0},
		{"AF_UNIX", AF_UNIX, SOCK_STREAM, 0},
		{"AF_NETLINK", AF_NETLINK, SOCK_RAW, 0},
	};
	int fd[2];

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int made = socket(kinds[i].af, kinds[i].type, kinds[i].protocol);

		say(kinds[i].text, "%s", made < 0 ? error_name(errno) : "fd");
		if (made >= 0)
			close(made);
	}
	TRY("socketpair", socketpair(AF_INET, SOCK_STREAM, 0, fd));
	TRY("socketpair of AF_INET6", socketpair(AF_INET6, SOCK_DGRAM, 0, fd));
	TRY("socketpair of AF_UNIX", socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
	say("which are not ours", "%s", exchange(fd[0], fd[1]));
	say_name("and have names of their own", fd[0]);
	close_pair(fd);
}

int main(void)
{
	int af;

	begin();
	for (int type = SOCK_STREAM; type <= SOCK_DGRAM; type++) {
		EACH_FAMILY(af)
		{
			about("%s%d", type == SOCK_STREAM ? "tcp" : "udp", digit(af));
			states(af, type);
			lengths(af, type);
			binding(af, type);
		}
		about("%s4and6", type == SOCK_STREAM ? "tcp" : "udp");
		both_families(type);
	}
	about("socket");
	kinds();
	return 0;
}
