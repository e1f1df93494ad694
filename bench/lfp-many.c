/* SPDX-License-Identifier: Apache-2.0 */
/* lfp-many.c - many sockets of one program: round trips on all of them at once, or on a few */

/*
 *	lfp-many server                                  says "port N", echoes until it is ended
 *	lfp-many client [-e] [-b ADDRESS] -p PORT -n SOCKETS [-a ACTIVE] [-s BYTES] [-t MS] [-r
 *PRIORITY]
 *
 * The client opens its sockets as programs with an event loop do, without waiting. Its epoll set
 *asks for EPOLLIN, as libuv's, or with -e for edges of EPOLLIN and EPOLLOUT, as that of Go and of
 *tokio. Then it has one message on its way on each active socket for the given time. It prints one
 *line of JSON. With -u PATH it connects to a relay. With -r it is scheduled as SCHED_FIFO while it
 *measures, but not while it opens its sockets, which takes long with some.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "bench/lfp-bench/times.h"

#define SOCKETS_MAX 4000
#define SIZE_MOST   65536
#define EVENTS      256
#define CONNECT_MS  10000

static char buf[SIZE_MOST];
/* By descriptor: bytes of the message that has begun, when the last one was sent. */
static size_t got[SOCKETS_MAX + 64];
static uint64_t sent[SOCKETS_MAX + 64];

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "lfp-many: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static double cpu_seconds(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (double)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) +
	       (double)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6;
}

static void raise_limit(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static void prepare(int sock)
{
	const int on = 1;

	(void)setsockopt(sock, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
	(void)setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static void watch(int epfd, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	if (epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &event))
		die("epoll_ctl");
}

static int run_server(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};
	socklen_t len = sizeof(addr);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), epfd = epoll_create1(0);
	struct epoll_event events[EVENTS];

	if (listener < 0 || epfd < 0 || bind(listener, (struct sockaddr *)&addr, sizeof(addr)) ||
	    listen(listener, 4096) || getsockname(listener, (struct sockaddr *)&addr, &len))
		die("listener");
	printf("port %u\n", ntohs(addr.sin_port));
	fflush(stdout);
	watch(epfd, listener, EPOLLIN);
	for (;;) {
		int nr = epoll_wait(epfd, events, EVENTS, -1);

		for (int i = 0; i < nr; i++) {
			int fd = events[i].data.fd;
			ssize_t n;

			if (fd == listener) {
				while ((fd = accept(listener, NULL, NULL)) >= 0) {
					prepare(fd);
					watch(epfd, fd, EPOLLIN);
				}
				continue;
			}
			n = recv(fd, buf, sizeof(buf), 0);
			if (n <= 0 || send(fd, buf, (size_t)n, MSG_NOSIGNAL) != n)
				close(fd);
		}
	}
}

/* Connects as programs with an event loop do, without waiting in connect(). */
static void connect_socket(int sock, const struct sockaddr *addr, socklen_t len)
{
	struct pollfd pfd = {.fd = sock, .events = POLLOUT};
	int error = 0;
	socklen_t size = sizeof(error);

	while (connect(sock, addr, len)) {
		if (errno == EINPROGRESS && poll(&pfd, 1, CONNECT_MS) == 1 &&
		    !getsockopt(sock, SOL_SOCKET, SO_ERROR, &error, &size) && !error)
			return;
		/* A UNIX socket does not wait for a place in the backlog. */
		if (errno != EAGAIN)
			die("connect");
		(void)poll(NULL, 0, 1);
	}
}

static int open_socket(const struct sockaddr *addr, socklen_t len)
{
	int sock = socket(addr->sa_family, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (sock < 0)
		die("socket");
	if (addr->sa_family == AF_INET)
		prepare(sock);
	connect_socket(sock, addr, len);
	if ((size_t)sock >= sizeof(got) / sizeof(got[0]))
		die("too many descriptors");
	return sock;
}

static void send_message(int sock, size_t size, uint64_t now)
{
	sent[sock] = now;
	if (send(sock, buf, size, MSG_NOSIGNAL) != (ssize_t)size)
		die("send");
}

static void become_fifo(int priority)
{
	struct sched_param param = {.sched_priority = priority};

	if (priority && sched_setscheduler(0, SCHED_FIFO, &param))
		die("SCHED_FIFO");
}

static int run_client(const struct sockaddr *addr, socklen_t len, int nr_socks, int active,
		      size_t size, uint64_t ns, int priority, uint32_t watched)
{
	struct epoll_event events[EVENTS];
	int epfd = epoll_create1(0), *socks = calloc((size_t)nr_socks, sizeof(*socks));
	uint64_t start, end, now, ops = 0;
	uint32_t p50, p99;
	double seconds, cpu;

	if (epfd < 0 || !socks)
		die("epoll");
	for (int i = 0; i < nr_socks; i++)
		watch(epfd, socks[i] = open_socket(addr, len), watched);
	become_fifo(priority);
	cpu = cpu_seconds();
	start = now_ns();
	end = start + ns;
	for (int i = 0; i < active; i++)
		send_message(socks[i], size, start);
	while (now_ns() < end || !ops) {
		int nr = epoll_wait(epfd, events, EVENTS, 1000);

		for (int i = 0; i < nr; i++) {
			int fd = events[i].data.fd;
			ssize_t n = recv(fd, buf, size - got[fd], 0);

			/* an edge of EPOLLOUT */
			if (n < 0 && errno == EAGAIN)
				continue;
			if (n <= 0)
				die("recv");
			got[fd] += (size_t)n;
			if (got[fd] < size)
				continue;
			got[fd] = 0;
			ops++;
			now = now_ns();
			times_note(now - sent[fd]);
			send_message(fd, size, now);
		}
	}
	seconds = (double)(now_ns() - start) / 1e9;
	cpu = cpu_seconds() - cpu;
	times_settle(&p50, &p99);
	printf("{\"work\": \"many\", \"size\": %zu, \"seconds\": %.6f, \"ops\": %llu, \"bytes\": "
	       "%llu, "
	       "\"cpu\": %.6f, \"p50\": %u, \"p99\": %u, \"cc\": \"cubic\"}\n",
	       size, seconds, (unsigned long long)ops, (unsigned long long)(ops * size), cpu, p50,
	       p99);
	free(socks);
	return 0;
}

static unsigned long number(const char *text, unsigned long most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || !value || value > most) {
		fprintf(stderr, "lfp-many: %s is not a number from 1 to %lu\n", text, most);
		exit(64);
	}
	return value;
}

int main(int argc, char **argv)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000001)};
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int nr = 1, active = 0, priority = 0, opt;
	size_t size = 1024;
	uint32_t watched = EPOLLIN;
	uint64_t ns = 200000000;
	bool client = argc > 1 && !strcmp(argv[1], "client");

	raise_limit();
	if (argc == 2 && !strcmp(argv[1], "server"))
		return run_server();
	optind = 2;
	while (client && (opt = getopt(argc, argv, "eb:p:u:n:a:s:t:r:")) != -1) {
		if (opt == 'e')
			watched = EPOLLIN | EPOLLOUT | EPOLLET;
		else if (opt == 'p')
			in.sin_port = htons((uint16_t)number(optarg, 65535));
		else if (opt == 'b')
			client = inet_pton(AF_INET, optarg, &in.sin_addr) == 1;
		else if (opt == 'u')
			snprintf(un.sun_path, sizeof(un.sun_path), "%s", optarg);
		else if (opt == 'n')
			nr = (int)number(optarg, SOCKETS_MAX);
		else if (opt == 'a')
			active = (int)number(optarg, SOCKETS_MAX);
		else if (opt == 's')
			size = number(optarg, SIZE_MOST);
		else if (opt == 't')
			ns = number(optarg, 60000) * 1000000u;
		else if (opt == 'r')
			priority = (int)number(optarg, 99);
		else
			client = false;
	}
	if (!client || optind != argc || (!in.sin_port && !*un.sun_path)) {
		fputs("usage: lfp-many server\n"
		      "       lfp-many client [-e] [-b ADDRESS] -p PORT|-u PATH -n SOCKETS [-a ACTIVE] "
		      "[-s BYTES] [-t MS] [-r PRIORITY]\n",
		      stderr);
		return 64;
	}
	if (!active || active > nr)
		active = nr;
	alarm(60);
	if (*un.sun_path)
		return run_client((struct sockaddr *)&un, sizeof(un), nr, active, size, ns,
				  priority, watched);
	return run_client((struct sockaddr *)&in, sizeof(in), nr, active, size, ns, priority,
			  watched);
}
