/* SPDX-License-Identifier: Apache-2.0 */
/* test-passed.c - bytes from a socket that can be sent descriptors */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "transport/closers.h"
#include "transport/passed.h"
#include "tests/transport/descriptors.h"
#include "tests/transport/lingering.h"

#define FEW       5
#define MANY      66 /* more than there are threads that close */
#define LINGER    8  /* seconds */
#define PASSPIDFD 76 /* SO_PASSPIDFD, which older headers do not have */

static int pair[2];
static int linger_seconds = LINGER;

static int begin(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
}

static int end(void **state)
{
	(void)state;
	close(pair[0]);
	close(pair[1]);
	return 0;
}

static void send_with(int to, const char *text, const int *fds, size_t nr)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)text, .iov_len = strlen(text)};
	union passed control = {0};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(nr * sizeof(int)),
	};

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(nr * sizeof(int));
	memcpy(CMSG_DATA(&control.header), fds, nr * sizeof(int));
	assert_int_equal(sendmsg(to, &msg, 0), strlen(text));
}

static time_t now(void)
{
	struct timespec ts;

	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &ts), 0);
	return ts.tv_sec;
}

static void test_bytes(void **state)
{
	char buf[8];

	(void)state;
	assert_int_equal(passed_receive(pair[1], buf, sizeof(buf)), -1);
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(send(pair[0], "ab", 2, 0), 2);
	assert_int_equal(passed_receive(pair[1], buf, sizeof(buf)), 2);
	assert_memory_equal(buf, "ab", 2);
	assert_int_equal(shutdown(pair[0], SHUT_WR), 0);
	assert_int_equal(passed_receive(pair[1], buf, sizeof(buf)), 0);
}

/* The bytes arrive, and descriptors that came with them are closed, although each close takes a
 * minute. */
static void test_lingering(void **state)
{
	int keep[FEW][2], fds[FEW];
	unsigned int before = descriptors();
	char buf[8];
	time_t start;

	(void)state;
	for (int i = 0; i < FEW; i++)
		fds[i] = lingering_make(keep[i]);
	send_with(pair[0], "xyz", fds, FEW);
	for (int i = 0; i < FEW; i++)
		close(fds[i]);
	start = now();
	assert_int_equal(passed_receive(pair[1], buf, sizeof(buf)), 3);
	assert_true(now() - start < 45);
	assert_memory_equal(buf, "xyz", 3);
	for (int i = 0; i < FEW; i++) {
		close(keep[i][0]);
		close(keep[i][1]);
	}
	/* Threads may need a moment to close the last descriptors. */
	while (descriptors() != before) {
		assert_true(now() - start < 45);
		usleep(1000);
	}
}

/* A UNIX socket with a TCP connection in its queue, whose SO_LINGER cannot be turned off there. */
static int wrapped_make(int *keep)
{
	struct linger linger = {1, linger_seconds};
	int ends[2], both[2], fd = lingering_make(both);

	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	send_with(ends[0], "x", &fd, 1);
	/* Descriptors may be scarce: close those that the queue and its connection do not need. */
	close(fd);
	close(ends[0]);
	close(both[0]);
	*keep = both[1];
	return ends[1];
}

/* Receiving does not wait if there are more descriptors than closing threads; all are closed in the
 * end. */
static void test_many(void **state)
{
	int keep[MANY], fds[MANY];
	unsigned int before = descriptors();
	time_t start;

	(void)state;
	for (int i = 0; i < MANY; i++)
		fds[i] = wrapped_make(&keep[i]);
	start = now();
	for (int i = 0; i < MANY; i++)
		passed_close(fds[i]);
	assert_true(now() - start < LINGER / 2);
	for (int i = 0; i < MANY; i++)
		close(keep[i]);
	while (descriptors() != before) {
		assert_true(now() - start < 45);
		usleep(1000);
	}
}

/* More sockets that linger, and longer, than there are threads do not keep the next descriptor
 * open. */
static void test_stuck(void **state)
{
	int keep[MANY], fds[MANY], ends[2];
	unsigned int before = descriptors();
	time_t start;
	char c;

	(void)state;
	linger_seconds = 3600;
	for (int i = 0; i < MANY; i++)
		fds[i] = wrapped_make(&keep[i]);
	linger_seconds = LINGER;
	assert_int_equal(pipe(ends), 0);
	for (int i = 0; i < MANY; i++)
		passed_close(fds[i]);
	passed_close(ends[1]);
	alarm(60);
	assert_int_equal(read(ends[0], &c, 1), 0);
	alarm(0);
	close(ends[0]);
	for (int i = 0; i < MANY; i++)
		close(keep[i]);
	start = now();
	while (descriptors() != before) {
		assert_true(now() - start < 45);
		usleep(1000);
	}
}

/* Without numbers for all that comes, the message stays and nothing is closed in this thread. */
static void test_no_numbers(void **state)
{
	int keep[FEW][2], fds[FEW], lowest = dup(0);
	struct rlimit limit, few;
	char buf[8];
	time_t start;

	(void)state;
	close(lowest);
	for (int i = 0; i < FEW; i++) {
		const struct linger linger = {1, LINGER};

		fds[i] = lingering_make(keep[i]);
		assert_int_equal(setsockopt(fds[i], SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)),
				 0);
	}
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	few.rlim_cur = (rlim_t)lowest + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	numbers_start();
	start = now();
	assert_int_equal(send(pair[0], "ab", 2, 0), 2);
	assert_int_equal(passed_receive(pair[1], buf, sizeof(buf)), 2);
	assert_memory_equal(buf, "ab", 2);
	send_with(pair[0], "xyz", fds, FEW);
	for (int i = 0; i < FEW; i++)
		close(fds[i]);
	assert_int_equal(passed_receive(pair[1], buf, sizeof(buf)), -1);
	assert_int_equal(errno, EMFILE);
	assert_true(now() - start < LINGER / 2);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	numbers_start();
	assert_false(numbers_are_short());
	assert_int_equal(passed_receive(pair[1], buf, sizeof(buf)), 3);
	assert_true(now() - start < LINGER / 2);
	for (int i = 0; i < FEW; i++) {
		close(keep[i][0]);
		close(keep[i][1]);
	}
}

/* A receiver that has asked for it is given a descriptor of the sender's process with the bytes. */
static void test_pidfd(void **state)
{
	const int on = 1;
	unsigned int before;
	char buf[8];

	(void)state;
	if (setsockopt(pair[1], SOL_SOCKET, PASSPIDFD, &on, sizeof(on))) {
		assert_int_equal(errno, ENOPROTOOPT);
		skip(); /* before Linux 6.5 */
	}
	/* Threads may still close descriptors of the tests before. */
	while (closers_are_at_work())
		sched_yield();
	before = descriptors();
	assert_int_equal(send(pair[0], "ab", 2, 0), 2);
	assert_int_equal(passed_receive(pair[1], buf, sizeof(buf)), 2);
	assert_int_equal(descriptors(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bytes, begin, end),
		cmocka_unit_test_setup_teardown(test_lingering, begin, end),
		cmocka_unit_test_setup_teardown(test_many, begin, end),
		cmocka_unit_test_setup_teardown(test_stuck, begin, end),
		cmocka_unit_test_setup_teardown(test_no_numbers, begin, end),
		cmocka_unit_test_setup_teardown(test_pidfd, begin, end),
	};

	return cmocka_run_group_tests_name("bytes and descriptors", tests, NULL, NULL);
}
