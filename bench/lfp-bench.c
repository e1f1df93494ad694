/* SPDX-License-Identifier: Apache-2.0 */
/* lfp-bench.c - one stream, round trips and connections over TCP, natively or on LFP */

/*
 * Theory of operation
 *
 *	lfp-bench server [-b ADDR] [-p PORT]             says "port N", serves until it is ended
 *	lfp-bench server -u PATH                         the same at a UNIX socket
 *	lfp-bench client -p PORT -w WORK [...]           one measurement, one line of JSON
 *	lfp-bench client -u PATH -w WORK [...]           by way of a relay that listens at PATH
 *	lfp-bench client -v CID -p PORT -w WORK [...]    by AF_VSOCK alone
 *
 * Both sides are one blocking loop, so that the sockets dominate the measurement. A connection
 * starts with a struct order, which describes its work: lfp-bench/order.h. With "-g tls:NAME" or
 * "-g http:NAME" a ClientHello or a request that names a server comes before it.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/lfp-bench/ends.h"
#include "bench/lfp-bench/clock.h"
#include "bench/lfp-bench/connection.h"
#include "bench/lfp-bench/greeting.h"

static int usage(void)
{
	fputs("usage: lfp-bench server [-b ADDRESS] [-p PORT]|-u PATH\n"
	      "       lfp-bench client [-b ADDRESS|-v CID] -p PORT|-u PATH -w WORK [-s BYTES] "
	      "[-t MS] [-n BYTES] [-g GREETING]\n"
	      "works: send recv rr conn nodelay getsockname getpeername socket\n",
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
	unsigned int cid = 0;
	bool server;
	int opt;

	if (argc < 2)
		return usage();
	server = !strcmp(argv[1], "server");
	if (!server && strcmp(argv[1], "client") != 0)
		return usage();
	optind = 2;
	while ((opt = getopt(argc, argv, "b:g:n:p:u:v:w:s:t:")) != -1) {
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
		case 'v':
			cid = number(optarg, UINT_MAX);
			break;
		case 'w':
			for (order.work = 0; order.work < NR_WORKS; order.work++)
				if (!strcmp(optarg, work_names[order.work]))
					break;
			break;
		case 's':
			order.size = number(optarg, SIZE_MAX_BYTES);
			break;
		case 'g':
			if (!greeting_set(optarg))
				return usage();
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
	if (server)
		return run_server(path ? unix_addr(path) : find_addr(host, port ? port : "0"));
	if (!port == !path || order.work == NR_WORKS)
		return usage();
	if (order.work == WORK_CONN)
		order.size = 1;
	alarm(60);
	if (cid && port)
		return run_client(vsock_addr(cid, number(port, UINT_MAX)), &order);
	return run_client(path ? unix_addr(path) : find_addr(host, port), &order);
}
