/* SPDX-License-Identifier: Apache-2.0 */
/* eza-bench.c - round trips and bulk by EZASOKET, against the shim's own calls */

/*
 * Theory of operation
 *
 *	eza-bench PORT WORK BURSTS MS	WORK is rr (1 KB round trips) or send (64 KB writes)
 *
 * One process does the same work in two ways, to a "lfp-bench server" on loopback: by EZASOKET, and
 * by socket(), connect(), send() and recv(), which have to be those of libvsesock-preload. Each
 * burst is a connection of its own; the two ways take turns, so that the noise of the machine meets
 * both. For each burst there is a line of JSON: way, operations, seconds, CPU seconds of this
 * process.
 *
 * The COBOL run-time system is played here, so EZASOKET does all that it does for a COBOL program:
 * numbers are big-endian, sizes are known and checked.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "include/ezasoket.h"

#define NS_PER_S UINT64_C(1000000000)
#define RR_SIZE  1024u
#define BULK     65536u
#define LAST     1 /* start of a stream's last block, as lfp-bench wants it */

/* First message to lfp-bench's server. */
struct order {
	uint32_t work; /* 0: it reads, 2: it sends back */
	uint32_t size;
	uint64_t ns;
	uint64_t bytes; /* 0: it is by time */
};

static char buf[BULK];

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "eza-bench: %s\n", what);
	exit(1);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

#define GROUP  0x01
#define BINARY 0x11
#define ALNUM  0x21
#define MOST   12

static struct {
	int nr, size[MOST], type[MOST];
} list;

int cob_get_num_params(void);
int cob_get_param_size(int n);
int cob_get_param_type(int n);

int cob_get_num_params(void)
{
	return list.nr;
}

int cob_get_param_size(int n)
{
	return list.size[n - 1];
}

int cob_get_param_type(int n)
{
	return list.type[n - 1];
}

/* The list of the call that comes: fullwords but for the first number, which is a halfword if the
 * letter is h, and areas (a number of bytes behind its letter). */
static void describe(const char *letters, int area)
{
	list.nr = 1;
	list.size[0] = 16;
	list.type[0] = ALNUM;
	for (; *letters; letters++, list.nr++) {
		list.size[list.nr] = *letters == 'h' ? 2 : *letters == 'f' ? 4 : area;
		list.type[list.nr] = *letters == 'a' ? GROUP : BINARY;
	}
}

/* Working storage: all numbers are big-endian. */
static struct {
	char send[16], recv[16], socket[16], connect[16], close[16], setsockopt[16];
	uint32_t flags, nbyte, af, type, protocol, nodelay, one, four, error, retcode;
	uint16_t s;
	struct sockaddr_in name;
} ws = {
	.send = "SEND            ",
	.recv = "RECV            ",
	.socket = "SOCKET          ",
	.connect = "CONNECT         ",
	.close = "CLOSE           ",
	.setsockopt = "SETSOCKOPT      ",
};

static long result(const char *what)
{
	long rc = (int32_t)be32toh(ws.retcode);

	if (rc < 0) {
		fprintf(stderr, "ERRNO %u\n", be32toh(ws.error));
		die(what);
	}
	return rc;
}

static void eza_open(in_port_t port, bool nodelay)
{
	ws.af = htobe32(2);
	ws.type = ws.one = htobe32(1);
	ws.four = htobe32(4);
	ws.nodelay = htobe32(0x80000001u);
	describe("fffff", 0);
	EZASOKET(ws.socket, &ws.af, &ws.type, &ws.protocol, &ws.error, &ws.retcode);
	ws.s = htobe16((uint16_t)result("SOCKET"));
	ws.name = (struct sockaddr_in){.sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	((uint8_t *)&ws.name)[0] = 0;
	((uint8_t *)&ws.name)[1] = 2;
	describe("haff", 16);
	EZASOKET(ws.connect, &ws.s, &ws.name, &ws.error, &ws.retcode);
	result("CONNECT");
	if (!nodelay)
		return;
	describe("hfffff", 0);
	EZASOKET(ws.setsockopt, &ws.s, &ws.nodelay, &ws.one, &ws.four, &ws.error, &ws.retcode);
	result("SETSOCKOPT");
}

static size_t eza_move(const char *function, void *data, size_t len)
{
	ws.nbyte = htobe32((uint32_t)len);
	describe("hffaff", (int)len);
	EZASOKET(function, &ws.s, &ws.flags, &ws.nbyte, data, &ws.error, &ws.retcode);
	return (size_t)result(function);
}

static size_t eza_send(void *data, size_t len)
{
	return eza_move(ws.send, data, len);
}

static size_t eza_recv(void *data, size_t len)
{
	return eza_move(ws.recv, data, len);
}

static void eza_close(void)
{
	describe("hff", 0);
	EZASOKET(ws.close, &ws.s, &ws.error, &ws.retcode);
	result("CLOSE");
}

static int sock;

static void own_open(in_port_t port, bool nodelay)
{
	struct sockaddr_in name = {
		.sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int on = 1;

	sock = socket(AF_INET, SOCK_STREAM, 0);
	if (sock < 0 || connect(sock, (struct sockaddr *)&name, sizeof(name)) < 0 ||
	    (nodelay && setsockopt(sock, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0))
		die("socket, connect");
}

static size_t own_send(void *data, size_t len)
{
	ssize_t n = send(sock, data, len, MSG_NOSIGNAL);

	if (n < 0)
		die("send");
	return (size_t)n;
}

static size_t own_recv(void *data, size_t len)
{
	ssize_t n = recv(sock, data, len, 0);

	if (n < 0)
		die("recv");
	return (size_t)n;
}

static void own_close(void)
{
	close(sock);
}

struct way {
	const char *name;
	void (*open)(in_port_t port, bool nodelay);
	size_t (*send)(void *data, size_t len);
	size_t (*recv)(void *data, size_t len);
	void (*close)(void);
};

static const struct way ways[] = {
	{"EZASOKET", eza_open, eza_send, eza_recv, eza_close},
	{"shim", own_open, own_send, own_recv, own_close},
};

static void all(size_t (*move)(void *data, size_t len), void *data, size_t len)
{
	char *at = data;

	for (size_t n; len; at += n, len -= n) {
		n = move(at, len);
		if (!n)
			die("the server has closed the connection");
	}
}

static void burst(const struct way *way, in_port_t port, bool bulk, uint64_t ns)
{
	struct order order = {.work = bulk ? 0 : 2, .size = bulk ? BULK : RR_SIZE, .ns = ns};
	uint64_t start, now, cpu, ops = 0;
	double seconds, used;

	way->open(port, !bulk);
	all(way->send, &order, sizeof(order));
	/* The connection is warm before the clock starts. */
	if (!bulk) {
		all(way->send, buf, RR_SIZE);
		all(way->recv, buf, RR_SIZE);
	}
	cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	start = clock_ns(CLOCK_MONOTONIC);
	do {
		all(way->send, buf, order.size);
		if (!bulk)
			all(way->recv, buf, order.size);
		ops++;
		now = clock_ns(CLOCK_MONOTONIC);
	} while (now < start + ns);
	if (bulk) {
		buf[0] = LAST;
		all(way->send, buf, order.size);
		ops++;
		all(way->recv, buf, 1);
		buf[0] = 0;
		now = clock_ns(CLOCK_MONOTONIC);
	}
	seconds = (double)(now - start) / (double)NS_PER_S;
	used = (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (double)NS_PER_S;
	way->close();
	printf("{\"way\": \"%s\", \"ops\": %llu, \"seconds\": %.6f, \"cpu\": %.6f}\n", way->name,
	       (unsigned long long)ops, seconds, used);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	in_port_t port;
	long bursts, ms;

	if (argc != 5 || (strcmp(argv[2], "rr") != 0 && strcmp(argv[2], "send") != 0)) {
		fputs("usage: eza-bench PORT rr|send BURSTS MS\n", stderr);
		return 64;
	}
	port = htons((in_port_t)strtoul(argv[1], NULL, 10));
	bursts = strtol(argv[3], NULL, 10);
	ms = strtol(argv[4], NULL, 10);
	for (long i = 0; i < bursts; i++)
		for (int w = 0; w < 2; w++)
			burst(&ways[((long)getpid() + i + w) % 2], port, argv[2][0] == 's',
			      (uint64_t)ms * (NS_PER_S / 1000));
	return 0;
}
