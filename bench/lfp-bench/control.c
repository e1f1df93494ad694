/* SPDX-License-Identifier: Apache-2.0 */
/* control.c - calls of lfp-bench that move no data */
#include "bench/lfp-bench/control.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/lfp-bench/clock.h"
#include "bench/lfp-bench/connection.h"
#include "bench/lfp-bench/times.h"

/* Calls between two looks at the clock, which takes a tenth of the time of the shortest. */
#define CALLS 16

static void call(int sock, enum work work)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int fd;

	switch (work) {
	case WORK_NODELAY:
		set_int(sock, IPPROTO_TCP, TCP_NODELAY, 1);
		break;
	case WORK_GETSOCKNAME:
		if (getsockname(sock, (struct sockaddr *)&addr, &len) < 0)
			die("getsockname");
		break;
	case WORK_GETPEERNAME:
		if (getpeername(sock, (struct sockaddr *)&addr, &len) < 0)
			die("getpeername");
		break;
	default:
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (fd < 0 || close(fd) < 0)
			die("socket");
	}
}

uint64_t control_run(const struct addrinfo *ai, const struct order *order)
{
	int sock = order->work == WORK_SOCKET ? -1 : make_connection(ai, false);
	uint64_t now = now_ns(), end = now + order->ns, before, calls = 0;

	do {
		before = now;
		for (int i = 0; i < CALLS; i++)
			call(sock, (enum work)order->work);
		now = now_ns();
		times_note((now - before) / CALLS);
		calls += CALLS;
	} while (now < end);
	if (sock >= 0)
		close(sock);
	return calls;
}
