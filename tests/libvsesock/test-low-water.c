/* SPDX-License-Identifier: Apache-2.0 */
/* test-low-water.c - SO_RCVLOWAT and the calls that wait: full near ends, descriptors, long lists
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/libvsesock/fake.h"
#include "tests/libvsesock/near.h"
#include "tests/qemu-user.h"

#define LIMIT_MS 20000

static void set_mark(int fd, int mark)
{
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof(mark)), 0);
}

/* Connected, with a mark, and fewer bytes. */
static int below(int mark, int bytes)
{
	int fd = near_connected();

	set_mark(fd, mark);
	fake_tell(fd, FAKE_SEND, bytes);
	return fd;
}

static int ready(int fd, int ms)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, ms);
}

static int descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static void test_full(void **state)
{
	int fd = below(1000, 50);

	(void)state;
	assert_int_equal(ready(fd, 0), 0);
	fake_tell(fd, FAKE_HELD, 1);
	assert_int_equal(ready(fd, LIMIT_MS), 1);
	fake_tell(fd, FAKE_HELD, 0);
	assert_int_equal(ready(fd, 0), 0);
	/* So few always fit. */
	close(fd);
	fd = below(1000, 3);
	fake_tell(fd, FAKE_HELD, 1);
	assert_int_equal(ready(fd, 0), 0);
	close(fd);
}

struct waiter {
	int fd;
	atomic_int rc;
};

static void *wait_in_poll(void *arg)
{
	struct waiter *waiter = arg;

	waiter->rc = ready(waiter->fd, LIMIT_MS);
	return NULL;
}

/* Nothing arrives any more: the wait has to find it out by itself. */
static void test_gets_full(void **state)
{
	struct waiter waiter = {.fd = below(1000, 50), .rc = -1};
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, wait_in_poll, &waiter), 0);
	fake_tell(waiter.fd, FAKE_HELD, 1);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(waiter.rc, 1);
	close(waiter.fd);
}

static void test_no_instance_call_without_mark(void **state)
{
	int fd = near_connected(), calls;

	(void)state;
	fake_tell(fd, FAKE_SEND, 50);
	calls = fake_ask(fd, FAKE_CALLS);
	assert_int_equal(ready(fd, 0), 1);
	assert_int_equal(fake_ask(fd, FAKE_CALLS), calls + 1);
	close(fd);
}

/* Nothing is left after a wait. */
static void test_descriptors(void **state)
{
	int fd = below(10, 3), before = descriptors(), set = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN};
	struct timeval tv = {.tv_usec = 1000};
	fd_set readable;

	(void)state;
	assert_int_equal(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), 0);
	assert_int_equal(ready(fd, 1), 0);
	assert_int_equal(ready(set, 1), 0);
	assert_int_equal(epoll_wait(set, &event, 1, 1), 0);
	FD_ZERO(&readable);
	FD_SET(fd, &readable);
	assert_int_equal(select(fd + 1, &readable, NULL, NULL, &tv), 0);
	close(set);
	assert_int_equal(descriptors(), before);
	close(fd);
}

/* The wait has a descriptor, but the lowest free number is the program's. */
static void test_cancelled(void **state)
{
	struct waiter waiter = {.fd = below(10, 3), .rc = -1};
	int before = descriptors(), lowest = dup(0), low;
	pthread_t thread;
	void *result;

	(void)state;
	close(lowest);
	assert_int_equal(pthread_create(&thread, NULL, wait_in_poll, &waiter), 0);
	while (descriptors() == before)
		sched_yield();
	do {
		low = dup(0);
		close(low);
	} while (low != lowest);
	assert_int_equal(pthread_cancel(thread), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	assert_int_equal(descriptors(), before);
	close(waiter.fd);
}

/* Then the kernel's answer counts. */
static void test_no_descriptor(void **state)
{
	int fd = below(10, 3), set = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN}, got;

	(void)state;
	assert_int_equal(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event), 0);
	near_fill(0);
	assert_int_equal(ready(fd, LIMIT_MS), 1);
	assert_int_equal(epoll_wait(set, &got, 1, LIMIT_MS), 1);
	assert_int_equal(got.events, EPOLLIN);
	near_unfill();
	close(set);
	close(fd);
}

/* More than the stack has room for. */
static void test_long_list(void **state)
{
	enum { MANY = 500 };
	struct pollfd *fds = calloc(MANY, sizeof(*fds));
	int fd = below(10, 3), pair[2];

	(void)state;
	assert_non_null(fds);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	for (int i = 0; i < MANY; i++)
		fds[i] = (struct pollfd){.fd = i % 2 ? fd : pair[0], .events = POLLIN};
	assert_int_equal(poll(fds, MANY, 1), 0);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(fds[i].revents, 0);
	assert_int_equal(write(pair[1], "x", 1), 1);
	assert_int_equal(poll(fds, MANY, LIMIT_MS), MANY / 2);
	fake_tell(fd, FAKE_SEND, 7);
	assert_int_equal(poll(fds, MANY, LIMIT_MS), MANY);
	free(fds);
	close(pair[0]);
	close(pair[1]);
	close(fd);
}

/* Two entries have the same data: what one of them has counts. */
static void test_same_data(void **state)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = 7}, got[4];
	int one = below(10, 3), other = near_connected(), set = epoll_create1(0);

	(void)state;
	assert_int_equal(epoll_ctl(set, EPOLL_CTL_ADD, one, &event), 0);
	assert_int_equal(epoll_ctl(set, EPOLL_CTL_ADD, other, &event), 0);
	assert_int_equal(epoll_wait(set, got, 4, 0), 0);
	fake_tell(other, FAKE_SEND, 1);
	assert_true(epoll_wait(set, got, 4, LIMIT_MS) >= 1);
	close(one);
	close(other);
	close(set);
}

/* A set may watch more than one buffer of /proc tells of, and give more than are looked up at once.
 */
static void test_many_in_a_set(void **state)
{
	enum { MANY = 150 };
	struct epoll_event event = {.events = EPOLLIN}, got[MANY];
	int fds[MANY], set = epoll_create1(0);

	(void)state;
	for (int i = 0; i < MANY; i++) {
		event.data.u64 = (uint64_t)i | UINT64_C(1) << 63;
		fds[i] = below(10, 3);
		assert_int_equal(epoll_ctl(set, EPOLL_CTL_ADD, fds[i], &event), 0);
	}
	assert_int_equal(epoll_wait(set, got, MANY, 0), 0);
	assert_int_equal(epoll_wait(set, got, 2, 1), 0);
	fake_tell(fds[MANY - 1], FAKE_SEND, 7);
	assert_int_equal(epoll_wait(set, got, 1, LIMIT_MS), 1);
	assert_int_equal(got[0].data.u64, (uint64_t)(MANY - 1) | UINT64_C(1) << 63);
	assert_int_equal(epoll_wait(set, got, MANY, LIMIT_MS), 1);
	for (int i = 0; i < MANY; i++)
		close(fds[i]);
	close(set);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_instance_call_without_mark),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_gets_full),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_no_descriptor),
		cmocka_unit_test(test_long_list),
		cmocka_unit_test(test_same_data),
		cmocka_unit_test(test_many_in_a_set),
	};

	(void)argc;
	QEMU_USER_CANNOT("SO_COOKIE");
	fake_start(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
