/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - the far end of lfp-bench: one connection after the other */
#include "bench/lfp-bench/ends.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/lfp-bench/blocks.h"
#include "bench/lfp-bench/connection.h"
#include "bench/lfp-bench/greeting.h"

static void serve(int sock, bool tcp)
{
	struct order order;
	uint64_t bytes;
	char byte = 1;

	/* A client may be gone without a word: a TCP/IP stack that has ended with its program. */
	set_timeout(sock, SO_RCVTIMEO);
	set_timeout(sock, SO_SNDTIMEO);
	if (!read_order(sock, &order) || order.size > sizeof(buf) || !order.size)
		return;
	switch (order.work) {
	case WORK_SEND:
		if (take_blocks(sock, order.size))
			write_all(sock, &byte, 1);
		break;
	case WORK_RECV:
		(void)pour(sock, &order, &bytes);
		break;
	case WORK_RR:
	case WORK_CONN:
		if (tcp)
			set_int(sock, IPPROTO_TCP, TCP_NODELAY, 1);
		while (read_all(sock, buf, order.size) && write_all(sock, buf, order.size))
			;
		break;
	default:
		break;
	}
}

int run_server(const struct addrinfo *ai)
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
	/* The port is in the same place in both families of TCP. */
	printf("port %u\n",
	       addr.ss_family == AF_UNIX ? 0 : ntohs(((struct sockaddr_in *)&addr)->sin_port));
	fflush(stdout);
	for (;;) {
		int sock = accept(listener, NULL, NULL);

		if (sock < 0)
			die("accept");
		serve(sock, ai->ai_family != AF_UNIX);
		close(sock);
	}
}
