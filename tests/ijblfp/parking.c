/* SPDX-License-Identifier: Apache-2.0 */
/* parking.c - parked connections of a program */
#include "parking.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/ctl/ctl-state.h"

int park(struct host *host)
{
	unsigned int before = host->inst->ctl->nr_parked;
	int conn = call_send(host, LFP_CTL_PARK, 0, 0, 0, 0, "", 0, -1);

	host_until(host, host->inst->ctl->nr_parked == before + 1);
	return conn;
}

/* A call through a parked connection, with the arguments of call_wait(). */
int hand(int parked, int op, int fd)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	request_put(ends[0], op, 0, 0, 0, 4, "", 0, fd);
	request_put(parked, LFP_CTL_HAND, 0, 0, 0, 0, "", 0, ends[1]);
	close(ends[1]);
	return ends[0];
}

void expect_end(struct host *host, int conn)
{
	char byte;

	host_until(host, recv(conn, &byte, 1, MSG_DONTWAIT) == 0);
}

void ask_directly(int parked, int op, unsigned int flags, int fd)
{
	request_put(parked, op, LFP_CTL_DIRECT | flags, 0, 0, 4, "", 0, fd);
}
