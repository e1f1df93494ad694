/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.c - programs with UDP sockets, for test-datagram.sh */
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>

#include "tests/system/tool.h"

#define WAIT_MS 60000
#define LARGEST 65507

static char buf[LARGEST + 1], sent[LARGEST + 1];

static int udp(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0)
		die("socket");
	return fd;
}

static int udp_at(const char *host, unsigned long port)
{
	struct sockaddr_in addr = host_addr(host, port);
	int fd = udp();

	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		die("bind");
	return fd;
}

static void udp_connect(int fd, const struct sockaddr_in *addr)
{
	if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0)
		die("connect");
}

static bool is_there(int fd, int ms)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, ms) == 1;
}

/* One datagram: bytes, or a negative errno. */
static ssize_t take(int fd, struct sockaddr_in *from)
{
	socklen_t len = sizeof(*from);
	ssize_t n;

	if (!is_there(fd, WAIT_MS))
		return -EAGAIN;
	n = recvfrom(fd, buf, sizeof(buf), MSG_DONTWAIT, (struct sockaddr *)from, &len);
	return n < 0 ? -errno : n;
}

static void say(const char *what, ssize_t n)
{
	if (n < 0)
		printf("%s: %s\n", what, error_name(errno));
	else
		printf("%s: %zd\n", what, n);
	fflush(stdout);
}

/* Answers each datagram; "N30x" is answered 30 times, each answer with its number. */
static _Noreturn void run_echo(const char *host, unsigned long port)
{
	int fd = udp_at(host, port);

	for (;;) {
		struct sockaddr_in from;
		socklen_t len = sizeof(from);
		ssize_t n = recvfrom(fd, buf, sizeof(buf) - 1, 0, (struct sockaddr *)&from, &len);
		unsigned int times = 0;
		char mark = 0;

		if (n < 0)
			continue;
		buf[n] = '\0';
		if (sscanf(buf, "N%u%c", &times, &mark) != 2 || mark != 'x') {
			(void)!sendto(fd, buf, (size_t)n, 0, (struct sockaddr *)&from, len);
			continue;
		}
		for (unsigned int i = 0; i < times; i++) {
			char text[16];
			int size = snprintf(text, sizeof(text), "%u", i);

			(void)!sendto(fd, text, (size_t)size, 0, (struct sockaddr *)&from, len);
		}
	}
}

static int run_flood(const char *host, unsigned long port, unsigned long count)
{
	struct sockaddr_in addr = host_addr(host, port);
	int fd = udp();

	for (unsigned long i = 0; i < count; i++)
		(void)!sendto(fd, sent, 1000, 0, (struct sockaddr *)&addr, sizeof(addr));
	printf("flooded\n");
	return 0;
}

/* Bind, read nothing until standard input ends, then count what is there. */
static int run_slow(const char *host, unsigned long port)
{
	int fd = udp_at(host, port);
	struct sockaddr_in from;
	unsigned long nr = 0;
	char c;

	printf("bound\n");
	fflush(stdout);
	while (read(0, &c, 1) == 1)
		;
	/* Datagrams under way still arrive, so many empty looks in a row are the end.
	 */
	for (int nothing = 0; nothing < 40; nothing++)
		for (; is_there(fd, 20) && take(fd, &from) == 1000; nr++)
			nothing = 0;
	printf("read %lu\n", nr);
	fflush(stdout);
	return take(fd, &from) == 5 && !memcmp(buf, "again", 5) ? 0 : 1;
}

static int run_again(const char *host, unsigned long port)
{
	struct sockaddr_in addr = host_addr(host, port);

	return sendto(udp(), "again", 5, 0, (struct sockaddr *)&addr, sizeof(addr)) == 5 ? 0 : 1;
}

static int run_trips(const char *host, unsigned long port, unsigned long count)
{
	struct sockaddr_in addr = host_addr(host, port), from;
	int fd = udp();

	for (unsigned long i = 0; i < count; i++) {
		if (sendto(fd, &i, sizeof(i), 0, (struct sockaddr *)&addr, sizeof(addr)) < 0)
			die("sendto");
		if (take(fd, &from) != sizeof(i) || memcmp(buf, &i, sizeof(i)) != 0)
			die("no answer");
	}
	printf("%lu trips\n", count);
	return 0;
}

/* So many sockets at a time, bound and connected, again and again until it were that many. */
static int run_many(unsigned long at_once, unsigned long count, unsigned long port)
{
	struct sockaddr_in addr = host_addr("127.0.0.1", 9);
	int *fds = calloc(at_once, sizeof(*fds));

	if (!fds)
		die("calloc");
	for (unsigned long done = 0; done < count; done += at_once) {
		for (unsigned long i = 0; i < at_once; i++) {
			fds[i] = udp_at("127.0.0.1", port + i);
			if (i % 2)
				udp_connect(fds[i], &addr);
		}
		for (unsigned long i = 0; i < at_once; i++)
			close(fds[i]);
	}
	free(fds);
	printf("made %lu\n", count);
	return 0;
}

/* The largest datagrams both ways, connected and not. */
static int run_large(const char *host, unsigned long port)
{
	struct sockaddr_in addr = host_addr(host, port), from;
	int fd = udp();

	for (size_t i = 0; i < sizeof(sent); i++)
		sent[i] = (char)(i * 31 + i / 256);
	for (int round = 0; round < 8; round++) {
		size_t len = round % 4 == 3 ? (size_t)round * 1000 : LARGEST;
		ssize_t n;

		if (round == 4)
			udp_connect(fd, &addr);
		n = round < 4 ? sendto(fd, sent, len, 0, (struct sockaddr *)&addr, sizeof(addr))
			      : send(fd, sent, len, 0);
		if (n != (ssize_t)len)
			die("send");
		if (take(fd, &from) != (ssize_t)len || memcmp(buf, sent, len) != 0)
			die("it came back in another way");
	}
	printf("large ones pass\n");
	return 0;
}

/* 30 answers from there are queued: the kernel holds some, the instance others, the host the rest.
 */
static void queue_answers(int fd, const struct sockaddr_in *to)
{
	struct sockaddr_in from;
	int other = udp();

	if (sendto(fd, "N30x", 4, 0, (const struct sockaddr *)to, sizeof(*to)) != 4 ||
	    !is_there(fd, WAIT_MS))
		die("no answers");
	/* The server does one thing after the other. */
	if (sendto(other, "?", 1, 0, (const struct sockaddr *)to, sizeof(*to)) != 1 ||
	    take(other, &from) != 1)
		die("no answer");
	close(other);
}

static unsigned int take_answers(int fd, in_port_t port)
{
	for (unsigned int nr = 0; nr < 30; nr++) {
		struct sockaddr_in from;
		ssize_t n = take(fd, &from);

		if (n < 0)
			return nr;
		buf[n] = '\0';
		if (from.sin_port != port || number(buf) != nr) {
			printf("'%s' from %u\n", buf, ntohs(from.sin_port));
			return nr;
		}
	}
	return 30;
}

/* Queued datagrams survive connect() to a peer, to another one, to none. */
static int run_connect(const char *host, unsigned long port, unsigned long other_port)
{
	struct sockaddr_in addr = host_addr(host, port), other = host_addr(host, other_port);
	const struct sockaddr none = {.sa_family = AF_UNSPEC};
	const struct {
		const struct sockaddr_in *from; /* answers are queued from there, */
		const struct sockaddr_in *to;   /* and then this is the peer, NULL for none */
	} rounds[] = {
		{&addr, &addr},  {&addr, &other}, {&other, &other}, {&other, NULL},
		{&addr, &other}, {&other, NULL},  {&addr, NULL},
	};
	int fd = udp();

	for (size_t i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
		const struct sockaddr *to =
			rounds[i].to ? (const struct sockaddr *)rounds[i].to : &none;
		unsigned int nr;

		queue_answers(fd, rounds[i].from);
		if (connect(fd, to, rounds[i].to ? sizeof(*rounds[i].to) : sizeof(none)) < 0)
			die("connect");
		nr = take_answers(fd, rounds[i].from->sin_port);
		if (nr != 30) {
			printf("round %zu: %u answers in order\n", i, nr);
			return 1;
		}
	}
	return 0;
}

/* The results of option calls, on an interface with a broadcast address. */
static int run_trace(const char *host, const char *broadcast, unsigned long port)
{
	struct sockaddr_in addr = host_addr(host, port), all = host_addr(broadcast, port), from;
	struct ip_mreqn group = {.imr_address = addr.sin_addr};
	struct sockaddr_in multi = host_addr("239.9.9.9", port);
	int fd = udp(), receiver = udp(), on = 1;
	struct sockaddr_in any = host_addr("0.0.0.0", port);

	setsockopt(receiver, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(receiver, (struct sockaddr *)&any, sizeof(any)) < 0)
		die("bind");
	say("broadcast, not allowed", sendto(fd, "b", 1, 0, (struct sockaddr *)&all, sizeof(all)));
	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof(on));
	say("broadcast", sendto(fd, "b", 1, 0, (struct sockaddr *)&all, sizeof(all)));
	say("comes", take(receiver, &from));
	group.imr_multiaddr = multi.sin_addr;
	say("join", setsockopt(receiver, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof(group)));
	say("join again",
	    setsockopt(receiver, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof(group)));
	say("interface", setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &group, sizeof(group)));
	say("multicast", sendto(fd, "mm", 2, 0, (struct sockaddr *)&multi, sizeof(multi)));
	say("comes", take(receiver, &from));
	on = 0;
	say("no loop", setsockopt(fd, IPPROTO_IP, IP_MULTICAST_LOOP, &on, sizeof(on)));
	say("multicast", sendto(fd, "mm", 2, 0, (struct sockaddr *)&multi, sizeof(multi)));
	say("leave", setsockopt(receiver, IPPROTO_IP, IP_DROP_MEMBERSHIP, &group, sizeof(group)));
	say("too long", sendto(fd, sent, sizeof(sent), 0, (struct sockaddr *)&addr, sizeof(addr)));
	addr.sin_port = 0;
	say("to no port", sendto(fd, "x", 1, 0, (struct sockaddr *)&addr, sizeof(addr)));
	addr = host_addr("10.200.0.1", port);
	say("no route", sendto(fd, "x", 1, 0, (struct sockaddr *)&addr, sizeof(addr)));
	say("nothing more", recv(receiver, buf, sizeof(buf), MSG_DONTWAIT));
	return 0;
}

/* Errors in a program whose instance is killed. */
static int run_orphan(const char *host, unsigned long port)
{
	struct sockaddr_in addr = host_addr(host, port);
	int fd = udp(), connected = udp();
	char c;

	udp_connect(connected, &addr);
	printf("ready\n");
	fflush(stdout);
	while (read(0, &c, 1) == 1)
		;
	say("sendto", sendto(fd, "x", 1, 0, (struct sockaddr *)&addr, sizeof(addr)));
	say("send", send(connected, "x", 1, 0));
	say("recv", recv(connected, buf, 1, MSG_DONTWAIT));
	say("connect", connect(fd, (struct sockaddr *)&addr, sizeof(addr)));
	say("close", close(fd));
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "echo") && argc == 4)
		run_echo(argv[2], number(argv[3]));
	if (!strcmp(what, "flood") && argc == 5)
		return run_flood(argv[2], number(argv[3]), number(argv[4]));
	if (!strcmp(what, "slow") && argc == 4)
		return run_slow(argv[2], number(argv[3]));
	if (!strcmp(what, "again") && argc == 4)
		return run_again(argv[2], number(argv[3]));
	if (!strcmp(what, "trips") && argc == 5)
		return run_trips(argv[2], number(argv[3]), number(argv[4]));
	if (!strcmp(what, "many") && argc == 5)
		return run_many(number(argv[2]), number(argv[3]), number(argv[4]));
	if (!strcmp(what, "large") && argc == 4)
		return run_large(argv[2], number(argv[3]));
	if (!strcmp(what, "connect") && argc == 5)
		return run_connect(argv[2], number(argv[3]), number(argv[4]));
	if (!strcmp(what, "trace") && argc == 5)
		return run_trace(argv[2], argv[3], number(argv[4]));
	if (!strcmp(what, "orphan") && argc == 4)
		return run_orphan(argv[2], number(argv[3]));
	fprintf(stderr, "usage: datagram "
			"echo|flood|slow|again|trips|many|large|connect|trace|orphan ...\n");
	return 64;
}
