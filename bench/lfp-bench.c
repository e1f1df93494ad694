/* SPDX-License-Identifier: Apache-2.0 */
/* lfp-bench.c - one stream, round trips and connections over TCP, natively or on LFP */

/*
 * Theory of operation
 *
 *	lfp-bench server [-b ADDR]                       says "port N", serves until it is ended
 *	lfp-bench client -p PORT -w WORK [...]           one measurement, one line of JSON
 *	lfp-bench client -u PATH -w WORK [...]           by way of a relay that listens at PATH
 *
 * Both sides are one blocking loop, so that what is measured is the sockets. A connection starts
 * with a struct order that says what is to be done with it:
 *
 *	send   the client writes blocks for some time, or a number of bytes; the server reads, and
 *	       answers the last with one byte. A block says whether it is the last, as there are
 *	       proxies that end both directions with the first
 *	recv   the server writes in the same way, and closes
 *	rr     the server sends back every message of the given size
 *	conn   as rr with one byte, but each on a connection of its own
 *
 * Time is the client's, from before the order to after the last byte that confirms the work.
 *
 * BBR paces with timers even on loopback and makes one and the same program differ by a factor of
 * three from run to run, so each socket asks for cubic (or reno), before it is connected.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define SIZE_MAX_BYTES (1024u * 1024u)
#define LAST           1 /* what the last block of a stream begins with */
#define NS_PER_S       1000000000ull
#define SILENT_S       5

enum work { WORK_SEND, WORK_RECV, WORK_RR, WORK_CONN, NR_WORKS };

static const char *const work_names[NR_WORKS] = {"send", "recv", "rr", "conn"};

struct order {
	uint32_t work;
	uint32_t size;  /* bytes a write or a message */
	uint64_t ns;    /* how long the sender of a stream sends */
	uint64_t bytes; /* or how much, if this is not 0 */
};

static char buf[SIZE_MAX_BYTES];
static bool serving; /* a server goes on when a client has failed */

static void __attribute__((noreturn, format(printf, 1, 2))) die(const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	fputs("lfp-bench: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", strerror(error));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static uint64_t cpu_ns(void)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	return (uint64_t)(ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * NS_PER_S +
	       (uint64_t)(ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * 1000;
}

/* --- Sockets --- */

static void set_int(int sock, int level, int name, int value)
{
	if (setsockopt(sock, level, name, &value, sizeof(value)) < 0)
		die("setsockopt %d %d", level, name);
}

static void set_timeout(int sock, int name)
{
	const struct timeval limit = {.tv_sec = SILENT_S};

	if (setsockopt(sock, SOL_SOCKET, name, &limit, sizeof(limit)) < 0)
		die("setsockopt %d", name);
}

static void choose_congestion_control(int sock)
{
	static const char *const names[] = {"cubic", "reno"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!setsockopt(sock, IPPROTO_TCP, TCP_CONGESTION, names[i],
				(socklen_t)strlen(names[i])))
			return;
	}
}

static void name_congestion_control(int sock, char name[static 16])
{
	socklen_t len = 15;

	memset(name, 0, 16);
	if (getsockopt(sock, IPPROTO_TCP, TCP_CONGESTION, name, &len) < 0)
		strcpy(name, "unknown");
}

/* A relay's socket instead of a TCP port. */
static struct addrinfo *unix_addr(const char *path)
{
	static struct sockaddr_un addr = {.sun_family = AF_UNIX};
	static struct addrinfo ai = {.ai_family = AF_UNIX,
				     .ai_addr = (struct sockaddr *)&addr,
				     .ai_addrlen = sizeof(addr)};

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	return &ai;
}

static struct addrinfo *find_addr(const char *host, const char *port)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	struct addrinfo *ai;
	int rc = getaddrinfo(host, port, &hints, &ai);

	if (rc) {
		fprintf(stderr, "lfp-bench: %s port %s: %s\n", host, port, gai_strerror(rc));
		exit(1);
	}
	return ai;
}

/* A socket that is not connected yet. */
static int make_socket(const struct addrinfo *ai)
{
	int sock = socket(ai->ai_family, SOCK_STREAM, 0);

	if (sock < 0)
		die("socket");
	if (ai->ai_family != AF_UNIX)
		choose_congestion_control(sock);
	return sock;
}

static int make_connection(const struct addrinfo *ai, bool nodelay)
{
	int sock = make_socket(ai);

	if (connect(sock, ai->ai_addr, ai->ai_addrlen) < 0)
		die("connect");
	if (nodelay && ai->ai_family != AF_UNIX)
		set_int(sock, IPPROTO_TCP, TCP_NODELAY, 1);
	return sock;
}

/* False if the peer is gone, which is its good right while the server writes to it. */
static bool write_all(int sock, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = send(sock, p, len, MSG_NOSIGNAL);

		if (n < 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static bool read_all(int sock, void *data, size_t len)
{
	char *p = data;

	while (len) {
		ssize_t n = recv(sock, p, len, 0);

		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* Blocks of @size bytes, until the one that begins with LAST is there; false if it never comes. */
static bool take_blocks(int sock, size_t size)
{
	size_t pos = 0; /* in a block */
	bool last = false;
	ssize_t n;

	while ((n = recv(sock, buf, size, 0)) > 0) {
		size_t next = pos ? size - pos : 0;

		/* One begins in what came, at most. */
		if (next < (size_t)n)
			last = buf[next] == LAST;
		pos = (pos + (size_t)n) % size;
		if (last && !pos)
			return true;
	}
	return false;
}

/* Bytes until the end of the stream. */
static uint64_t drain(int sock, size_t size)
{
	uint64_t bytes = 0;
	ssize_t n;

	while ((n = recv(sock, buf, size, 0)) > 0)
		bytes += (uint64_t)n;
	if (n < 0 && !serving)
		die("recv");
	return bytes;
}

/* Write as ordered; the last block begins with LAST. Returns the bytes. */
static uint64_t pour(int sock, const struct order *order)
{
	uint64_t end = now_ns() + order->ns;
	uint64_t bytes = 0;

	buf[0] = 0;
	do {
		if (order->bytes ? bytes + order->size >= order->bytes : now_ns() >= end)
			buf[0] = LAST;
		if (!write_all(sock, buf, order->size)) {
			if (serving)
				return bytes;
			die("send");
		}
		bytes += order->size;
	} while (buf[0] != LAST);
	return bytes;
}

/* --- The server --- */

static void serve(int sock)
{
	struct order order;
	char byte = 1;

	/* A client may be gone without a word: a TCP/IP stack that has ended with its program. */
	set_timeout(sock, SO_RCVTIMEO);
	set_timeout(sock, SO_SNDTIMEO);
	if (!read_all(sock, &order, sizeof(order)) || order.size > sizeof(buf) || !order.size)
		return;
	switch (order.work) {
	case WORK_SEND:
		if (take_blocks(sock, order.size))
			write_all(sock, &byte, 1);
		break;
	case WORK_RECV:
		pour(sock, &order);
		break;
	case WORK_RR:
	case WORK_CONN:
		set_int(sock, IPPROTO_TCP, TCP_NODELAY, 1);
		while (read_all(sock, buf, order.size) && write_all(sock, buf, order.size))
			;
		break;
	default:
		break;
	}
}

static int run_server(const struct addrinfo *ai)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int listener = make_socket(ai);

	set_int(listener, SOL_SOCKET, SO_REUSEADDR, 1);
	if (bind(listener, ai->ai_addr, ai->ai_addrlen) < 0)
		die("bind");
	if (listen(listener, 1024) < 0)
		die("listen");
	if (getsockname(listener, (struct sockaddr *)&addr, &len) < 0)
		die("getsockname");
	/* The port is in the same place in both families. */
	printf("port %u\n", ntohs(((struct sockaddr_in *)&addr)->sin_port));
	fflush(stdout);
	for (;;) {
		int sock = accept(listener, NULL, NULL);

		if (sock < 0)
			die("accept");
		serve(sock);
		close(sock);
	}
}

/* --- The client --- */

struct result {
	uint64_t ops; /* writes, messages or connections */
	uint64_t bytes;
	uint32_t p50, p99; /* ns of a round trip, 0 if it was none */
	char congestion_control[16];
};

/* Times of single operations; what comes after the room is full is not kept. */
static uint32_t times[1u << 20];
static size_t nr_times;

static void note_time(uint64_t ns)
{
	if (nr_times < sizeof(times) / sizeof(times[0]))
		times[nr_times++] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void settle_times(struct result *res)
{
	if (!nr_times)
		return;
	qsort(times, nr_times, sizeof(times[0]), compare);
	res->p50 = times[nr_times / 2];
	res->p99 = times[nr_times - 1 - nr_times / 100];
}

static void run_stream(const struct addrinfo *ai, const struct order *order, struct result *res)
{
	int sock = make_connection(ai, false);
	char byte;

	name_congestion_control(sock, res->congestion_control);
	if (!write_all(sock, order, sizeof(*order)))
		die("send");
	if (order->work == WORK_SEND) {
		res->bytes = pour(sock, order);
		if (!read_all(sock, &byte, 1))
			die("no answer");
	} else {
		res->bytes = drain(sock, order->size);
	}
	res->ops = res->bytes / order->size;
	close(sock);
}

static void run_round_trips(const struct addrinfo *ai, const struct order *order,
			    struct result *res)
{
	uint64_t now = now_ns(), end = now + order->ns, before;
	int sock = make_connection(ai, true);

	name_congestion_control(sock, res->congestion_control);
	if (!write_all(sock, order, sizeof(*order)))
		die("send");
	do {
		before = now;
		if (!write_all(sock, buf, order->size) || !read_all(sock, buf, order->size))
			die("round trip");
		now = now_ns();
		note_time(now - before);
		res->ops++;
	} while (now < end);
	res->bytes = res->ops * order->size;
	close(sock);
}

static void run_connections(const struct addrinfo *ai, const struct order *order,
			    struct result *res)
{
	struct {
		struct order order;
		char byte;
	} __attribute__((packed)) first = {.order = *order, .byte = 1};
	uint64_t end = now_ns() + order->ns;

	do {
		int sock = make_connection(ai, true);

		if (!res->ops)
			name_congestion_control(sock, res->congestion_control);
		if (!write_all(sock, &first, sizeof(first)) || !read_all(sock, buf, 1))
			die("connection");
		close(sock);
		res->ops++;
	} while (now_ns() < end);
	res->bytes = res->ops;
}

static int run_client(const struct addrinfo *ai, const struct order *order)
{
	struct result res = {0};
	uint64_t start = now_ns();
	uint64_t cpu = cpu_ns();
	double seconds;

	switch (order->work) {
	case WORK_SEND:
	case WORK_RECV:
		run_stream(ai, order, &res);
		break;
	case WORK_RR:
		run_round_trips(ai, order, &res);
		break;
	default:
		run_connections(ai, order, &res);
		break;
	}
	seconds = (double)(now_ns() - start) / (double)NS_PER_S;
	settle_times(&res);
	printf("{\"work\": \"%s\", \"size\": %u, \"seconds\": %.6f, \"ops\": %llu, \"bytes\": "
	       "%llu, "
	       "\"cpu\": %.6f, \"p50\": %u, \"p99\": %u, \"cc\": \"%s\", "
	       "\"start\": %.6f}\n",
	       work_names[order->work], order->size, seconds, (unsigned long long)res.ops,
	       (unsigned long long)res.bytes, (double)(cpu_ns() - cpu) / (double)NS_PER_S, res.p50,
	       res.p99, res.congestion_control, (double)start / (double)NS_PER_S);
	return 0;
}

static int usage(void)
{
	fputs("usage: lfp-bench server [-b ADDRESS]\n"
	      "       lfp-bench client [-b ADDRESS] -p PORT|-u PATH -w send|recv|rr|conn [-s "
	      "BYTES] "
	      "[-t MS] [-n BYTES]\n",
	      stderr);
	return 64;
}

static unsigned int number(const char *text, unsigned int max)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || !value || value > max)
		exit(usage());
	return (unsigned int)value;
}

int main(int argc, char **argv)
{
	struct order order = {.work = NR_WORKS, .size = 65536, .ns = NS_PER_S / 5};
	const char *host = "127.0.0.1";
	const char *port = NULL, *path = NULL;
	bool server;
	int opt;

	if (argc < 2)
		return usage();
	server = !strcmp(argv[1], "server");
	if (!server && strcmp(argv[1], "client") != 0)
		return usage();
	optind = 2;
	while ((opt = getopt(argc, argv, "b:n:p:u:w:s:t:")) != -1) {
		switch (opt) {
		case 'b':
			host = optarg;
			break;
		case 'p':
			port = optarg;
			break;
		case 'u':
			path = optarg;
			break;
		case 'w':
			for (order.work = 0; order.work < NR_WORKS; order.work++)
				if (!strcmp(optarg, work_names[order.work]))
					break;
			break;
		case 's':
			order.size = number(optarg, SIZE_MAX_BYTES);
			break;
		case 'n':
			order.bytes = number(optarg, UINT_MAX);
			break;
		case 't':
			order.ns = number(optarg, 600000) * (NS_PER_S / 1000);
			break;
		default:
			return usage();
		}
	}
	if (optind != argc)
		return usage();
	serving = server;
	if (server)
		return run_server(find_addr(host, port ? port : "0"));
	if (!port == !path || order.work == NR_WORKS)
		return usage();
	if (order.work == WORK_CONN)
		order.size = 1;
	alarm(60);
	return run_client(path ? unix_addr(path) : find_addr(host, port), &order);
}
