/* SPDX-License-Identifier: Apache-2.0 */
/* lfp-scale.c - many idle sockets of one program: how long it takes to open one more */

/*
 *	lfp-scale [-b ADDRESS] -p PORT SOCKETS...
 *
 * Connects to the server of lfp-many until it has the first number of sockets, then the second and
 *so on. At each it prints a line of JSON: the time of the last BLOCK, in us for one. It then waits
 *for a line, so that others can look at the memory of all processes. At the end it closes the
 *sockets and prints the time of one close().
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/lfp-bench/clock.h"

#define BLOCK       96 /* sockets: near ends are made 16 at a time */
#define SOCKETS_MAX 60000

static int socks[SOCKETS_MAX];
static int nr_socks;

static void __attribute__((noreturn)) die(const char *what)
{
	fprintf(stderr, "lfp-scale: %s of socket %d: %s\n", what, nr_socks + 1, strerror(errno));
	exit(1);
}

static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		die("getrlimit");
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		die("setrlimit");
}

static void open_one(const struct sockaddr_in *addr)
{
	int sock = socket(AF_INET, SOCK_STREAM, 0);

	if (sock < 0)
		die("socket");
	if (connect(sock, (const struct sockaddr *)addr, sizeof(*addr)) < 0)
		die("connect");
	socks[nr_socks++] = sock;
}

static double us_of(uint64_t since, int nr)
{
	return (double)(now_ns() - since) / 1e3 / nr;
}

static void open_to(const struct sockaddr_in *addr, int nr)
{
	uint64_t since = 0;

	while (nr_socks < nr) {
		if (nr_socks == nr - BLOCK)
			since = now_ns();
		open_one(addr);
	}
	printf("{\"sockets\": %d, \"open_us\": %.3f}\n", nr, us_of(since, BLOCK));
	fflush(stdout);
}

static void wait_for_line(void)
{
	char line[16];

	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

static void close_all(void)
{
	uint64_t since = now_ns();

	for (int i = 0; i < nr_socks; i++)
		close(socks[i]);
	printf("{\"close_us\": %.3f}\n", us_of(since, nr_socks));
}

/* At least BLOCK above the number before. */
static int parse_number(const char *text, int before)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*end || value < before + BLOCK || value > SOCKETS_MAX) {
		fprintf(stderr, "lfp-scale: %s is no number from %d to %d\n", text, before + BLOCK,
			SOCKETS_MAX);
		exit(64);
	}
	return (int)value;
}

int main(int argc, char **argv)
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int opt;

	while ((opt = getopt(argc, argv, "b:p:")) != -1) {
		if (opt == 'p')
			addr.sin_port = htons((uint16_t)strtoul(optarg, NULL, 10));
		else if (opt != 'b' || inet_pton(AF_INET, optarg, &addr.sin_addr) != 1)
			addr.sin_port = 0;
	}
	if (optind == argc || !addr.sin_port) {
		fputs("usage: lfp-scale [-b ADDRESS] -p PORT SOCKETS...\n", stderr);
		return 64;
	}
	raise_limit();
	for (; optind < argc; optind++) {
		open_to(&addr, parse_number(argv[optind], nr_socks));
		wait_for_line();
	}
	close_all();
	return 0;
}
