/* SPDX-License-Identifier: Apache-2.0 */
/* slow.h - connections that take their time
 *
 * tests/system/connect.c, which the runner starts on the host for each topic that includes this,
 * has a listener whose queue can be filled, so that connect() waits. It obeys on the next port.
 * CONFORM_SLOW is its port. IPv6 sockets reach it by its mapped address.
 */
#ifndef TESTS_CONFORMANCE_SLOW_H
#define TESTS_CONFORMANCE_SLOW_H

#include "tests/conformance/conform.h"

static inline struct addr slow_addr(int af, unsigned int offset)
{
	const char *port = getenv("CONFORM_SLOW");

	return numeric(af == AF_INET ? "127.0.0.1" : "::ffff:127.0.0.1",
		       (unsigned int)atoi(port ? port : "7010") + offset);
}

static inline void slow_order(char order)
{
	struct addr addr = slow_addr(AF_INET, 1);
	int fd = new_socket(AF_INET, SOCK_STREAM);
	char answer;

	MUST(connect(fd, ADDR(&addr)));
	MUST(send(fd, &order, 1, 0));
	MUST(recv(fd, &answer, 1, 0));
	close(fd);
}

/* Lets no connection in from now on. */
static inline void slow_fill(void)
{
	slow_order('f');
}

/* Lets all connections in. */
static inline void slow_let_in(void)
{
	slow_order('g');
}

/* Refuses the waiting connections. */
static inline void slow_refuse(void)
{
	slow_order('r');
}

#endif
