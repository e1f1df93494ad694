/* SPDX-License-Identifier: Apache-2.0 */
/* test-close.c - a socket whose close waits for its peer is closed without that wait */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "via/close.h"
#include "via/loop.h"

#define LINGER_S 20
#define SOON_MS  10000 /* on a busy machine */

/* A connection of TCP over the loopback, whose other end takes nothing. Returns an end that sends,
 * and whose close would wait. */
static int lingering(int *other)
{
	const struct linger linger = {.l_onoff = 1, .l_linger = LINGER_S};
	struct sockaddr_in addr = {.sin_family = AF_INET,
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(addr);
	int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	char data[65536] = {0};

	assert_int_equal(bind(listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, len), 0);
	*other = accept(listener, NULL, NULL);
	assert_true(*other >= 0);
	close(listener);
	while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	return fd;
}

/* As that of AF_IUCV, this close waits whatever its own SO_LINGER says: the socket is in a message
 * that nobody has taken. */
static int with_a_message(int *other)
{
	int ends[2], passed = lingering(other);
	char byte = 0;
	struct iovec part = {&byte, 1};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.head = {.cmsg_level = SOL_SOCKET,
			      .cmsg_type = SCM_RIGHTS,
			      .cmsg_len = CMSG_LEN(sizeof(int))}};
	const struct msghdr msg = {.msg_iov = &part,
				   .msg_iovlen = 1,
				   .msg_control = &control,
				   .msg_controllen = sizeof(control)};

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	memcpy(CMSG_DATA(&control.head), &passed, sizeof(passed));
	assert_int_equal(sendmsg(ends[0], &msg, 0), 1);
	close(passed);
	close(ends[0]);
	return ends[1];
}

static int64_t closing_takes(int fd)
{
	int64_t since = via_now();

	via_close(fd);
	return via_now() - since;
}

static void a_close_hardly_waits(void **state)
{
	int others[2];

	(void)state;
	assert_true(closing_takes(lingering(&others[0])) < SOON_MS);
	assert_true(closing_takes(with_a_message(&others[1])) < SOON_MS);
	close(others[0]);
	close(others[1]);
}

static void no_alarm_comes_later(void **state)
{
	int others[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, others), 0);
	via_close(others[0]);
	assert_int_equal(recv(others[1], &others[0], 1, 0), 0);
	via_close(others[1]);
	assert_int_equal(poll(NULL, 0, 50), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_close_hardly_waits),
		cmocka_unit_test(no_alarm_comes_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
