/* SPDX-License-Identifier: Apache-2.0 */
/* udp.c - datagrams: sizes, connect and disconnect, receivers, order, overflow, broadcast */
#include "tests/conformance/conform.h"

enum { LARGEST = 65507 };

static unsigned char sent[70000], got[70000];

/* Receive one with its sender: "bytes from sender NR" */
static const char *take(int fd, const struct addr *senders, int nr)
{
	static char text[64];
	struct addr from = {.len = sizeof(from.storage)};
	ssize_t n;

	if (!readable(fd))
		return "nothing came";
	n = recvfrom(fd, got, sizeof(got), 0, &from.sa, &from.len);
	if (n < 0)
		return error_name(errno);
	for (int i = 0; i < nr; i++) {
		if (same_addr(&from, &senders[i])) {
			snprintf(text, sizeof(text), "%zd bytes from sender %d", n, i);
			return text;
		}
	}
	snprintf(text, sizeof(text), "%zd bytes from another sender", n);
	return text;
}

/* A port that was asked for by its number outlasts a connection. */
static int bound_by_number(int af, struct addr *addr)
{
	int fd;

	*addr = nobody(af);
	fd = new_socket(af, SOCK_DGRAM);
	MUST(bind(fd, ADDR(addr)));
	return fd;
}

static void sizes(int af)
{
	/* IPv6 takes its own header off. */
	static const size_t lengths[] = {0,    1,    1471,  1472,  1473,   8000,
					 8192, 8193, 30000, 65000, LARGEST};
	struct addr addr[2];
	const char *taken;
	char text[64];
	int fd[2];

	about("udp%d size", digit(af));
	fd[0] = bound(af, SOCK_DGRAM, &addr[0]);
	fd[1] = bound(af, SOCK_DGRAM, &addr[1]);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		ssize_t n;

		pattern(sent, lengths[i], i);
		memset(got, 0, sizeof(got));
		n = sendto(fd[0], sent, lengths[i], 0, ADDR(&addr[1]));
		snprintf(text, sizeof(text), "%zu, to an address", lengths[i]);
		taken = take(fd[1], addr, 2);
		say(text, "%zd, %s, unchanged %d", n, taken, !memcmp(sent, got, lengths[i]));
	}
	MUST(connect(fd[0], ADDR(&addr[1])));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		ssize_t n;

		pattern(sent, lengths[i], i + 100);
		n = write(fd[0], sent, lengths[i]);
		snprintf(text, sizeof(text), "%zu, connected", lengths[i]);
		taken = take(fd[1], addr, 2);
		say(text, "%zd, %s, unchanged %d", n, taken, !memcmp(sent, got, lengths[i]));
	}
	TRY("one more", send(fd[0], sent, LARGEST + 21, 0));
	TRY("far too much", send(fd[0], sent, sizeof(sent), 0));
	TRY("far too much, to an address", sendto(fd[1], sent, sizeof(sent), 0, ADDR(&addr[0])));
	say("it still works", "%s", exchange(fd[0], fd[1]));
	close_pair(fd);
}

/* Three senders: a connected socket hears its peer alone. */
static void connecting(int af)
{
	struct addr addr[3], end = unspec(), name;
	int fd[3];

	about("udp%d connect", digit(af));
	for (int i = 0; i < 3; i++)
		fd[i] = bound_by_number(af, &addr[i]);
	TRY("send, not connected", send(fd[0], "x", 1, 0));
	TRY("write, not connected", write(fd[0], "x", 1));
	TRY("connect", connect(fd[0], ADDR(&addr[1])));
	MUST(sendto(fd[2], "no", 2, 0, ADDR(&addr[0])));
	MUST(sendto(fd[1], "yes", 3, 0, ADDR(&addr[0])));
	say("only the peer is heard", "%s", take(fd[0], addr, 3));
	say("other sockets", "%s", events_text(poll_for(fd[0], POLLIN, NOTHING_MS)));
	TRY("send", send(fd[0], "a", 1, 0));
	say("to the peer", "%s", take(fd[1], addr, 3));
	TRY("sendto another peer", sendto(fd[0], "ab", 2, 0, ADDR(&addr[2])));
	say("to another peer", "%s", take(fd[2], addr, 3));
	TRY("connect to another peer", connect(fd[0], ADDR(&addr[2])));
	name = peer_of(fd[0]);
	say("its name", "%d", same_addr(&name, &addr[2]));
	TRY("write", write(fd[0], "abc", 3));
	say("to the other peer", "%s", take(fd[2], addr, 3));
	MUST(sendto(fd[1], "no", 2, 0, ADDR(&addr[0])));
	MUST(sendto(fd[2], "yes!", 4, 0, ADDR(&addr[0])));
	say("the other peer is heard", "%s", take(fd[0], addr, 3));
	say("the first one is not", "%s", events_text(poll_for(fd[0], POLLIN, NOTHING_MS)));
	TRY("disconnect", connect(fd[0], ADDR(&end)));
	name = name_of(fd[0]);
	say("the name stays, as it was bound", "%d", same_addr(&name, &addr[0]));
	TRY("send, disconnected", send(fd[0], "x", 1, 0));
	MUST(sendto(fd[1], "12345", 5, 0, ADDR(&addr[0])));
	say("everybody is heard", "%s", take(fd[0], addr, 3));
	MUST(sendto(fd[2], "123456", 6, 0, ADDR(&addr[0])));
	say("everybody is heard, the other", "%s", take(fd[0], addr, 3));
	TRY("disconnect twice", connect(fd[0], ADDR(&end)));
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}

/* Queued datagrams stay, in order, when connect() is called. */
static void queued(int af)
{
	struct addr addr[3], end = unspec();
	int fd[3];

	about("udp%d queued", digit(af));
	for (int i = 0; i < 3; i++)
		fd[i] = bound_by_number(af, &addr[i]);
	/* The test can wait only for the first of two datagrams; the peer's may arrive after
	 * connect(). */
	MUST(sendto(fd[2], "1", 1, 0, ADDR(&addr[0])));
	readable(fd[0]);
	MUST(sendto(fd[1], "22", 2, 0, ADDR(&addr[0])));
	MUST(connect(fd[0], ADDR(&addr[1])));
	MUST(sendto(fd[1], "333", 3, 0, ADDR(&addr[0])));
	say("at connect: the first", "%s", take(fd[0], addr, 3));
	say("at connect: the second", "%s", take(fd[0], addr, 3));
	say("at connect: the third", "%s", take(fd[0], addr, 3));
	MUST(sendto(fd[1], "4444", 4, 0, ADDR(&addr[0])));
	readable(fd[0]);
	MUST(connect(fd[0], ADDR(&addr[2])));
	MUST(sendto(fd[2], "55555", 5, 0, ADDR(&addr[0])));
	say("at another connect: the first", "%s", take(fd[0], addr, 3));
	say("at another connect: the second", "%s", take(fd[0], addr, 3));
	MUST(sendto(fd[2], "666666", 6, 0, ADDR(&addr[0])));
	readable(fd[0]);
	MUST(connect(fd[0], ADDR(&end)));
	MUST(sendto(fd[1], "7777777", 7, 0, ADDR(&addr[0])));
	say("at disconnect: the first", "%s", take(fd[0], addr, 3));
	say("at disconnect: the second", "%s", take(fd[0], addr, 3));
	say("no more", "%s", events_text(poll_for(fd[0], POLLIN, NOTHING_MS)));
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}

static void shutting(int af)
{
	struct addr addr;
	int fd[2];
	char c;

	about("udp%d shutdown", digit(af));
	fd[0] = bound(af, SOCK_DGRAM, &addr);
	TRY("not connected", shutdown(fd[0], SHUT_RDWR));
	close(fd[0]);
	datagram_pair(af, fd);
	MUST(send(fd[1], "queued", 6, 0));
	readable(fd[0]);
	TRY("for reading", shutdown(fd[0], SHUT_RD));
	say("queued data", "%s", received(fd[0], 0));
	TRY("then the end", recv(fd[0], &c, 1, 0));
	TRY("sending works", send(fd[0], "x", 1, 0));
	say("it comes", "%s", received(fd[1], 0));
	TRY("for writing", shutdown(fd[0], SHUT_WR));
	TRY("sending does not", send(fd[0], "x", 1, MSG_NOSIGNAL));
	TRY("unknown way", shutdown(fd[0], 7));
	close_pair(fd);
}

/* Many small datagrams arrive in order. The kernel drops those that do not fit, and other sockets
 * go on. */
static void many(int af)
{
	enum { MANY = 100 };
	struct addr addr[3];
	const char *taken;
	int fd[3], in_order = 0;
	uint32_t nr;

	about("udp%d many", digit(af));
	for (int i = 0; i < 3; i++)
		fd[i] = bound(af, SOCK_DGRAM, &addr[i]);
	for (uint32_t i = 0; i < MANY; i++)
		MUST(sendto(fd[0], &i, sizeof(i), 0, ADDR(&addr[1])));
	for (uint32_t i = 0; i < MANY; i++)
		in_order +=
			readable(fd[1]) && recv(fd[1], &nr, sizeof(nr), 0) == sizeof(nr) && nr == i;
	say("in order", "%d", in_order);
	MUST(set_option(fd[1], SOL_SOCKET, SO_RCVBUF, 20000));
	for (uint32_t i = 0; i < 2000; i++)
		MUST(sendto(fd[0], sent, 1000, 0, ADDR(&addr[1])));
	TRY("to another one", sendto(fd[0], "x", 1, 0, ADDR(&addr[2])));
	say("which hears it", "%s", take(fd[2], addr, 3));
	TRY("from the full one", sendto(fd[1], "y", 1, 0, ADDR(&addr[2])));
	say("which is heard", "%s", take(fd[2], addr, 3));
	/* All datagrams have arrived or are on their way, so many empty looks in a row are the
	 * end. */
	nr = 0;
	for (int nothing = 0; nothing < 60; nothing++)
		for (; poll_for(fd[1], POLLIN, 5) &&
		       recv(fd[1], got, sizeof(got), MSG_DONTWAIT) == 1000;
		     nr++)
			nothing = 0;
	say("some came, some were dropped", "%d", nr > 5 && nr < 2000);
	TRY("and it goes on", sendto(fd[0], "z", 1, 0, ADDR(&addr[1])));
	do
		taken = take(fd[1], addr, 3);
	while (!strcmp(taken, "1000 bytes from sender 0"));
	say("and it hears", "%s", taken);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}

static void to_itself(int af)
{
	struct addr addr;
	int fd = bound(af, SOCK_DGRAM, &addr);

	about("udp%d to itself", digit(af));
	TRY("sendto", sendto(fd, "me", 2, 0, ADDR(&addr)));
	say("it comes", "%s", take(fd, &addr, 1));
	TRY("connect", connect(fd, ADDR(&addr)));
	say("data", "%s", exchange(fd, fd));
	close(fd);
}

static void broadcast(void)
{
	struct addr everybody = numeric("10.9.0.255", 0), any = wildcard(AF_INET, 0);
	int from = new_socket(AF_INET, SOCK_DGRAM), to = new_socket(AF_INET, SOCK_DGRAM);

	about("udp4 broadcast");
	MUST(bind(to, ADDR(&any)));
	any = name_of(to);
	everybody = numeric("10.9.0.255", port_of(&any));
	TRY("without SO_BROADCAST", sendto(from, "x", 1, 0, ADDR(&everybody)));
	TRY("connect without it", connect(from, ADDR(&everybody)));
	MUST(set_option(from, SOL_SOCKET, SO_BROADCAST, 1));
	TRY("with SO_BROADCAST", sendto(from, "x", 1, 0, ADDR(&everybody)));
	say("it comes", "%s", received(to, 0));
	TRY("connect with it", connect(from, ADDR(&everybody)));
	TRY("send", send(from, "yz", 2, 0));
	say("it comes, too", "%s", received(to, 0));
	close(from);
	close(to);
}

static void options_of_sending(int af)
{
	int fd[2];

	about("udp%d", digit(af));
	datagram_pair(af, fd);
	TRY("UDP_CORK on", set_option(fd[0], IPPROTO_UDP, 1, 1));
	TRY("first part", send(fd[0], "one ", 4, 0));
	TRY("second part", send(fd[0], "piece", 5, 0));
	say("nothing yet", "%s", events_text(poll_for(fd[1], POLLIN, NOTHING_MS)));
	TRY("UDP_CORK off", set_option(fd[0], IPPROTO_UDP, 1, 0));
	say("in one piece", "%s", received(fd[1], 0));
	/* UDP_SEGMENT */
	TRY("UDP_SEGMENT", set_option(fd[0], IPPROTO_UDP, 103, 4));
	TRY("UDP_SEGMENT: send", send(fd[0], "aaaabbbbcc", 10, 0));
	say("UDP_SEGMENT: the first", "%s", received(fd[1], 0));
	say("UDP_SEGMENT: the second", "%s", received(fd[1], 0));
	say("UDP_SEGMENT: the third", "%s", received(fd[1], 0));
	close_pair(fd);
}

int main(void)
{
	int af;

	begin();
	EACH_FAMILY(af)
	{
		sizes(af);
		connecting(af);
		queued(af);
		shutting(af);
		many(af);
		to_itself(af);
		options_of_sending(af);
	}
	broadcast();
	return 0;
}
