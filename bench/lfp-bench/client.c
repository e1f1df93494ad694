/* SPDX-License-Identifier: Apache-2.0 */
/* client.c - one measurement of lfp-bench */
#include "bench/lfp-bench/ends.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/lfp-bench/blocks.h"
#include "bench/lfp-bench/clock.h"
#include "bench/lfp-bench/connection.h"
#include "bench/lfp-bench/control.h"
#include "bench/lfp-bench/greeting.h"
#include "bench/lfp-bench/times.h"

const char *const work_names[NR_WORKS] = {"send",    "recv",        "rr",          "conn",
					  "nodelay", "getsockname", "getpeername", "socket"};

struct result {
	uint64_t ops; /* writes, messages or connections */
	uint64_t bytes;
	char congestion_control[16];
};

static void run_stream(const struct addrinfo *ai, const struct order *order, struct result *res)
{
	int sock = make_connection(ai, false);
	char byte;

	name_congestion_control(sock, res->congestion_control);
	if (!greet(sock, order, NULL, 0))
		die("send");
	if (order->work == WORK_SEND) {
		if (!pour(sock, order, &res->bytes))
			die("send");
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
	if (!greet(sock, order, NULL, 0))
		die("send");
	do {
		before = now;
		if (!write_all(sock, buf, order->size) || !read_all(sock, buf, order->size))
			die("round trip");
		now = now_ns();
		times_note(now - before);
		res->ops++;
	} while (now < end);
	res->bytes = res->ops * order->size;
	close(sock);
}

static void run_connections(const struct addrinfo *ai, const struct order *order,
			    struct result *res)
{
	const char byte = 1;
	uint64_t now = now_ns(), end = now + order->ns, before;

	do {
		int sock = make_connection(ai, true);

		if (!res->ops)
			name_congestion_control(sock, res->congestion_control);
		if (!greet(sock, order, &byte, 1) || !read_all(sock, buf, 1))
			die("connection");
		close(sock);
		before = now;
		now = now_ns();
		times_note(now - before);
		res->ops++;
	} while (now < end);
	res->bytes = res->ops;
}

int run_client(const struct addrinfo *ai, const struct order *order)
{
	struct result res = {0};
	uint64_t start = now_ns();
	uint64_t cpu = cpu_ns();
	double seconds;
	uint32_t p50, p99;

	switch (order->work) {
	case WORK_SEND:
	case WORK_RECV:
		run_stream(ai, order, &res);
		break;
	case WORK_RR:
		run_round_trips(ai, order, &res);
		break;
	case WORK_CONN:
		run_connections(ai, order, &res);
		break;
	default:
		res.ops = control_run(ai, order);
		break;
	}
	seconds = (double)(now_ns() - start) / (double)NS_PER_S;
	cpu = cpu_ns() - cpu; /* sorting is no part of it */
	times_settle(&p50, &p99);
	printf("{\"work\": \"%s\", \"size\": %u, \"seconds\": %.6f, \"ops\": %llu, \"bytes\": "
	       "%llu, "
	       "\"cpu\": %.6f, \"p50\": %u, \"p99\": %u, \"cc\": \"%s\", "
	       "\"start\": %.6f}\n",
	       work_names[order->work], order->size, seconds, (unsigned long long)res.ops,
	       (unsigned long long)res.bytes, (double)cpu / (double)NS_PER_S, p50, p99,
	       res.congestion_control, (double)start / (double)NS_PER_S);
	return 0;
}
