/* SPDX-License-Identifier: Apache-2.0 */
/* test-handover.c - suspended state on its way to the next process */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lfpd/restart/handover.h"
#include "lfpd/saved/saved.h"

#define MANY 600

static struct suspended make(size_t nr)
{
	struct suspended what = {
		.memory = saved_memory_create(), .fds = calloc(nr + 1, sizeof(int)), .nr = nr};

	assert_true(what.memory >= 0);
	assert_non_null(what.fds);
	assert_int_equal(saved_memory_seal(what.memory), 0);
	for (size_t i = 0; i < nr; i++) {
		what.fds[i] = fcntl(what.memory, F_DUPFD_CLOEXEC, 3);
		assert_true(what.fds[i] >= 0);
	}
	return what;
}

static void forget(struct suspended *what)
{
	for (size_t i = 0; i < what->nr; i++)
		close(what->fds[i]);
	close(what->memory);
	free(what->fds);
}

static void test_exec(void **state)
{
	struct suspended what = make(MANY), got;

	(void)state;
	assert_int_equal(handover_by_exec(&what), 0);
	assert_int_equal(fcntl(what.memory, F_GETFD), 0);
	assert_int_equal(fcntl(what.fds[MANY - 1], F_GETFD), 0);
	assert_int_equal(handover_take(&got), 1);
	assert_null(getenv(HANDOVER_ENV));
	assert_int_equal(got.memory, what.memory);
	assert_int_equal(got.nr, MANY);
	assert_memory_equal(got.fds, what.fds, MANY * sizeof(int));
	assert_int_equal(fcntl(got.fds[0], F_GETFD), FD_CLOEXEC);
	free(got.fds);
	forget(&what);
}

static void test_exec_without_sockets(void **state)
{
	struct suspended what = make(0), got;

	(void)state;
	assert_int_equal(handover_by_exec(&what), 0);
	assert_int_equal(handover_take(&got), 1);
	assert_int_equal(got.nr, 0);
	free(got.fds);
	forget(&what);
}

/* One that is missing: the others are closed, so that no connection is left open. */
static void test_exec_without_one(void **state)
{
	struct suspended what = make(3), got;

	(void)state;
	assert_int_equal(handover_by_exec(&what), 0);
	close(what.fds[1]);
	assert_int_equal(handover_take(&got), -EBADF);
	assert_int_equal(fcntl(what.fds[0], F_GETFD), -1);
	assert_int_equal(fcntl(what.fds[2], F_GETFD), -1);
	assert_int_equal(fcntl(what.memory, F_GETFD), -1);
	free(what.fds);
}

static void test_bad_variable(void **state)
{
	static const char *const values[] = {"", "x", "5", "1 2", "5 5", "9999 9998", "5 6 7"};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct suspended got;

		setenv(HANDOVER_ENV, values[i], 1);
		assert_true(handover_take(&got) < 0);
		assert_null(getenv(HANDOVER_ENV));
	}
}

static void test_nothing_left(void **state)
{
	struct suspended got;

	(void)state;
	unsetenv("LISTEN_FDS");
	assert_int_equal(handover_take(&got), 0);
}

/* A socket in systemd's place. */
static int notify_socket(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	socklen_t len = sizeof(addr.sun_family);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* A name of the kernel's choice, so that none is taken. */
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, len), 0);
	len = sizeof(addr);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	addr.sun_path[0] = '@';
	addr.sun_path[len - offsetof(struct sockaddr_un, sun_path)] = '\0';
	setenv("NOTIFY_SOCKET", addr.sun_path, 1);
	return fd;
}

/* The next message; the descriptor that came with it. */
static int next(int fd, char *text, size_t size)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(256 * sizeof(int)) + CMSG_SPACE(64)];
	} control;
	struct iovec part = {text, size - 1};
	struct msghdr msg = {.msg_iov = &part,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	int came = -1;

	assert_true(n >= 0);
	text[n] = '\0';
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_type != SCM_RIGHTS)
			continue;
		assert_int_equal(c->cmsg_len, CMSG_LEN(sizeof(int)));
		memcpy(&came, CMSG_DATA(c), sizeof(int));
	}
	return came;
}

static int count_open(void)
{
	int nr = 0;

	for (int fd = 0; fd < 10000; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}

static void test_store(void **state)
{
	int before = count_open();
	struct suspended what = make(MANY), got = {.nr = 2, .packed = true};
	int fd = notify_socket();
	struct pollfd carrier = {.events = POLLIN};
	char text[256];

	(void)state;
	/* Thousands of descriptors go as a few: systemd compares each with all others. */
	assert_int_equal(handover_by_store(&what), 0);
	got.fds = calloc(2, sizeof(int));
	assert_non_null(got.fds);
	got.fds[0] = next(fd, text, sizeof(text));
	assert_string_equal(text, "FDSTORE=1\nFDPOLL=0\nFDNAME=" HANDOVER_SOCKETS);
	carrier.fd = got.fds[0];
	got.fds[1] = next(fd, text, sizeof(text));
	assert_string_equal(text, "FDSTORE=1\nFDPOLL=0\nFDNAME=" HANDOVER_SOCKETS);
	got.memory = next(fd, text, sizeof(text));
	assert_string_equal(text, "FDSTORE=1\nFDPOLL=0\nFDNAME=" HANDOVER_STATE);
	forget(&what);
	/* systemd may drop descriptors that hang up. */
	poll(&carrier, 1, 0);
	assert_int_equal(carrier.revents, POLLIN);

	/* All descriptors come out again, and the store gets the order to drop its copies. */
	handover_claim(&got);
	assert_int_equal(got.nr, MANY);
	for (size_t i = 0; i < MANY; i++)
		assert_int_equal(fcntl(got.fds[i], F_GETFD), FD_CLOEXEC);
	assert_int_equal(next(fd, text, sizeof(text)), -1);
	assert_string_equal(text, "FDSTOREREMOVE=1\nFDNAME=" HANDOVER_STATE);
	assert_int_equal(next(fd, text, sizeof(text)), -1);
	assert_string_equal(text, "FDSTOREREMOVE=1\nFDNAME=" HANDOVER_SOCKETS);
	unsetenv("NOTIFY_SOCKET");
	close(fd);
	forget(&got);
	assert_int_equal(count_open(), before);
}

static void test_no_store(void **state)
{
	struct suspended what = make(1);

	(void)state;
	unsetenv("NOTIFY_SOCKET");
	assert_int_equal(handover_by_store(&what), -ENOTCONN);
	forget(&what);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_exec_without_sockets),
		cmocka_unit_test(test_exec_without_one),
		cmocka_unit_test(test_bad_variable),
		cmocka_unit_test(test_nothing_left),
		cmocka_unit_test(test_store),
		cmocka_unit_test(test_no_store),
	};

	return cmocka_run_group_tests_name("handover", tests, NULL, NULL);
}
