/* SPDX-License-Identifier: Apache-2.0 */
/* test-closers.c - slow closes of one user do not hold up the sockets of others */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/qemu-user.h"
#include "tests/transport/lingering.h"
#include "transport/closers.h"
#include "transport/passed.h"

#define HOSTILE 1001u
#define GOOD    1002u
#define MANY    200 /* more than there are threads that close, by far */
#define LINGER  3600

/* A UNIX socket with a TCP connection in its queue, whose SO_LINGER cannot be turned off there. */
static int wrapped_make(int *keep)
{
	const struct linger linger = {1, LINGER};
	int ends[2], both[2], fd = lingering_make(both);
	struct iovec iov = {.iov_base = (void *)(uintptr_t) "x", .iov_len = 1};
	union passed control = {0};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(sizeof(fd)),
	};

	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	assert_int_equal(sendmsg(ends[0], &msg, 0), 1);
	close(fd);
	close(ends[0]);
	close(both[0]);
	*keep = both[1];
	return ends[1];
}

/* A good user's socket is closed. */
static void expect_closed(uint32_t user)
{
	int ends[2];
	char c;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	passed_close_of(ends[1], user);
	alarm(60);
	assert_int_equal(read(ends[0], &c, 1), 0);
	alarm(0);
	close(ends[0]);
}

/* The same with the end of a pipe, which is a file. */
static void expect_file_closed(uint32_t user)
{
	int ends[2];
	char c;

	assert_int_equal(pipe(ends), 0);
	passed_close_of(ends[1], user);
	alarm(60);
	assert_int_equal(read(ends[0], &c, 1), 0);
	alarm(0);
	close(ends[0]);
}

/* A closer may not have noticed yet that its close() is over. */
static void wait_until_done(uint32_t user)
{
	alarm(60);
	while (!closers_are_done(user, closers_serial()))
		sched_yield();
	alarm(0);
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* It does not wait for its turn behind all of another user's. */
static void test_sockets(void **state)
{
	int keep[MANY], fds[MANY], waiting = 0;
	uint64_t serial, before;

	(void)state;
	for (int i = 0; i < MANY; i++)
		fds[i] = wrapped_make(&keep[i]);
	before = closers_serial();
	for (int i = 0; i < MANY; i++)
		passed_close_of(fds[i], HOSTILE);
	serial = closers_serial();
	assert_false(closers_are_done(HOSTILE, serial));
	assert_true(closers_are_done(HOSTILE, before));
	expect_closed(GOOD);
	wait_until_done(GOOD);
	assert_false(closers_are_done(HOSTILE, serial));
	/* No other descriptor is made meanwhile. */
	for (int i = 0; i < MANY; i++)
		waiting += is_open(fds[i]);
	assert_true(waiting > MANY / 2);
	for (int i = 0; i < MANY; i++)
		close(keep[i]);
	expect_closed(HOSTILE);
	wait_until_done(HOSTILE);
}

/* Files that are not sockets keep some of the threads only. */
static void test_files(void **state)
{
	int file;

	(void)state;
	QEMU_USER_LACKS("FUSE in its own byte order");
	file = stuck_file_open();
	if (file < 0)
		skip(); /* cannot mount a file system in user space */
	assert_false(passed_is_crowded(HOSTILE));
	for (int i = 0; i < MANY; i++) {
		int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);

		assert_true(copy >= 0);
		passed_close_of(copy, HOSTILE);
	}
	expect_closed(GOOD);
	expect_closed(HOSTILE);
	expect_file_closed(GOOD);
	assert_true(passed_is_crowded(HOSTILE));
	assert_false(passed_is_crowded(GOOD));
	stuck_file_end(file);
	alarm(60);
	while (passed_is_crowded(HOSTILE))
		usleep(1000);
	alarm(0);
}

/* Files of no known user are not taken without end. */
static void test_nobodys_files(void **state)
{
	int file, ends[2];
	struct iovec iov = {.iov_base = (void *)(uintptr_t) "x", .iov_len = 1};
	union passed control = {0};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(sizeof(int)),
	};
	unsigned int taken = 0;
	char c;

	(void)state;
	QEMU_USER_LACKS("FUSE in its own byte order");
	file = stuck_file_open();
	if (file < 0)
		skip(); /* cannot mount a file system in user space */
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(send(ends[0], "y", 1, 0), 1);
	assert_int_equal(passed_receive(ends[1], &c, 1), 1);
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &file, sizeof(int));
	do
		assert_int_equal(sendmsg(ends[0], &msg, 0), 1);
	while (passed_receive(ends[1], &c, 1) == 1 && ++taken < MANY);
	assert_int_equal(errno, EMFILE);
	assert_in_range(taken, 1, MANY / 2);
	stuck_file_end(file);
	alarm(60);
	while (passed_receive(ends[1], &c, 1) < 0)
		usleep(1000);
	alarm(0);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sockets),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_nobodys_files),
	};
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	return cmocka_run_group_tests_name("closers", tests, NULL, NULL);
}
