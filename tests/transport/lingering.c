/* SPDX-License-Identifier: Apache-2.0 */
/* lingering.c - a descriptor whose close() waits for a minute, unless SO_LINGER is turned off */
#include "tests/transport/lingering.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <netinet/in.h>
#include <sys/socket.h>

int lingering_make(int keep[2])
{
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct linger linger = {1, 60};
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	static const char bytes[100000];
	/*
	 * Of many connections the buffers would fill the kernel's memory for TCP. The data must not
	 * fit into the peer's receive buffer, whose size comes from the listening socket.
	 */
	const int sent = 65536, received = 4096;

	keep[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &sent, sizeof(sent)), 0);
	assert_int_equal(setsockopt(keep[0], SOL_SOCKET, SO_RCVBUF, &received, sizeof(received)),
			 0);
	assert_int_equal(bind(keep[0], (const struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(keep[0], 1), 0);
	assert_int_equal(getsockname(keep[0], (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&addr, sizeof(addr)), 0);
	keep[1] = accept(keep[0], NULL, NULL);
	assert_true(keep[1] >= 0);
	while (send(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	return fd;
}
