/* SPDX-License-Identifier: Apache-2.0 */
/* test-accept.c - accept(): records, waiting, the descriptor limit, listeners that have ended */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "tests/libvsesock/fake.h"
#include "tests/libvsesock/near.h"
#include "tests/qemu-user.h"

static void test_address_and_flags(void **state)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	int fd = near_listener(), conn;

	(void)state;
	fake_tell(fd, FAKE_ARRIVE, 4);
	errno = 12345;
	conn = accept(fd, (struct sockaddr *)&addr, &len);
	assert_true(conn >= 0);
	assert_int_equal(errno, 12345);
	assert_int_equal(len, sizeof(addr));
	assert_int_equal(addr.sin_family, AF_INET);
	assert_int_equal(addr.sin_addr.s_addr, inet_addr(FAKE_PEER));
	assert_true(ntohs(addr.sin_port) >= FAKE_PEER_PORT);
	assert_int_equal(fcntl(conn, F_GETFD), 0);
	assert_int_equal(fcntl(conn, F_GETFL), O_RDWR);
	fake_tell(conn, FAKE_SEND, 1);
	assert_int_equal(read(conn, &addr, 4), 1);
	close(conn);

	conn = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	assert_int_equal(fcntl(conn, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(conn, F_GETFL), O_RDWR);
	close(conn);
	memset(&addr, 0xee, sizeof(addr));
	len = 2;
	conn = accept4(fd, (struct sockaddr *)&addr, &len, SOCK_NONBLOCK);
	assert_int_equal(len, sizeof(addr));
	assert_int_equal(addr.sin_port, 0xeeee);
	assert_int_equal(fcntl(conn, F_GETFD), 0);
	assert_int_equal(fcntl(conn, F_GETFL), O_RDWR | O_NONBLOCK);
	close(conn);
	assert_fails(accept4(fd, NULL, NULL, 1), EINVAL);
	close(fd);
}

static void test_waiting(void **state)
{
	struct timeval tv = {.tv_usec = 20000};
	struct pollfd pfd;
	int fd = near_listener(), conn;

	(void)state;
	pfd = (struct pollfd){.fd = fd, .events = POLLIN | POLLOUT};
	assert_int_equal(poll(&pfd, 1, 0), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)), 0);
	assert_fails(accept(fd, NULL, NULL), EAGAIN);
	fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK);
	assert_fails(accept(fd, NULL, NULL), EAGAIN);
	fake_tell(fd, FAKE_ARRIVE, 1);
	assert_int_equal(poll(&pfd, 1, 0), 1);
	assert_int_equal(pfd.revents, POLLIN);
	conn = accept(fd, NULL, NULL);
	assert_true(conn >= 0);
	assert_int_equal(fcntl(conn, F_GETFL), O_RDWR); /* not inherited */
	assert_fails(accept(fd, NULL, NULL), EAGAIN);
	close(conn);
	close(fd);
}

static void test_descriptor_limit(void **state)
{
	int fd = near_listener(), conn;

	(void)state;
	fake_tell(fd, FAKE_ARRIVE, 1);
	fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK);
	near_fill(0);
	assert_fails(accept(fd, NULL, NULL), EMFILE);
	near_unfill();
	conn = accept(fd, NULL, NULL);
	assert_true(conn >= 0);
	close(conn);
	fake_tell(fd, FAKE_ARRIVE, 1);
	near_fill(1);
	conn = accept(fd, NULL, NULL);
	near_unfill();
	assert_true(conn >= 0);
	fake_tell(conn, FAKE_SEND, 1);
	close(conn);
	close(fd);
}

static void test_no_listener(void **state)
{
	int fd = near_new();

	(void)state;
	assert_fails(accept(fd, NULL, NULL), EINVAL);
	close(fd);
	fd = near_connected();
	assert_fails(accept(fd, NULL, NULL), EINVAL); /* and does not wait */
	fake_tell(fd, FAKE_SEND, 200);
	assert_fails(accept(fd, NULL, NULL), EINVAL);
	assert_int_equal(recv(fd, (char[256]){0}, 256, 0), 200); /* nothing is lost */
	close(fd);
	fd = near_connected();
	fake_tell(fd, FAKE_END, ECONNRESET);
	assert_fails(accept(fd, NULL, NULL), EINVAL); /* a listener that has ended is no listener
						       * either */
	close(fd);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_fails(accept(fd, NULL, NULL), EINVAL);
	close(fd);
	assert_fails(accept(0, NULL, NULL), ENOTSOCK);
}

static void test_shut_down(void **state)
{
	int fd = near_listener();

	(void)state;
	assert_int_equal(shutdown(fd, SHUT_RDWR), 0);
	assert_fails(accept(fd, NULL, NULL), EINVAL);
	close(fd);
}

static void *run_accept(void *arg)
{
	accept(*(int *)arg, NULL, NULL);
	return NULL;
}

static void test_cancellation(void **state)
{
	int fd = near_listener();
	pthread_t thread;
	void *result;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, run_accept, &fd), 0);
	assert_int_equal(pthread_cancel(thread), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	close(fd);
}

/* Programs that accept again and again must not spin. */
static void test_instance_has_ended(void **state)
{
	struct timespec from, to;
	int fd = near_listener();

	(void)state;
	fake_stop();
	clock_gettime(CLOCK_MONOTONIC, &from);
	assert_fails(accept(fd, NULL, NULL), ENETDOWN);
	assert_fails(accept(fd, NULL, NULL), ENETDOWN);
	clock_gettime(CLOCK_MONOTONIC, &to);
	assert_true((to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000 >=
		    199);
	close(fd);
}

/* Options that accept() inherits from the listener in the kernel, and that the near end has by
 * itself. */
static void test_inherits(void **state)
{
	struct timeval receive = {.tv_sec = 3}, send = {.tv_usec = 500000}, got;
	int fd = near_listener(), conn, number = 7, inline_ = 1;
	socklen_t len = sizeof(got);

	(void)state;
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &receive, sizeof(receive)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &send, sizeof(send)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &number, sizeof(number)), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &inline_, sizeof(inline_)), 0);
	fake_tell(fd, FAKE_ARRIVE, 1);
	conn = accept(fd, NULL, NULL);
	assert_int_equal(getsockopt(conn, SOL_SOCKET, SO_RCVTIMEO, &got, &len), 0);
	assert_int_equal(got.tv_sec, 3);
	assert_int_equal(getsockopt(conn, SOL_SOCKET, SO_SNDTIMEO, &got, &len), 0);
	assert_int_equal(got.tv_usec, 500000);
	len = sizeof(number);
	assert_int_equal(getsockopt(conn, SOL_SOCKET, SO_RCVLOWAT, &number, &len), 0);
	assert_int_equal(number, 7);
	assert_int_equal(getsockopt(conn, SOL_SOCKET, SO_OOBINLINE, &number, &len), 0);
	assert_int_equal(number, 1);
	close(conn);
	close(fd);
}

/* Where the kernel would add pages to the mark's buffer, the mark alone tells its sender. */
static void test_mark(void **state)
{
	int fd = near_listener(), conn[2], on;
	socklen_t len = sizeof(on);

	(void)state;
	for (int merges = 0; merges < 2; merges++) {
		fake_tell(fd, FAKE_MERGES, merges);
		fake_tell(fd, FAKE_ARRIVE, 1);
		conn[merges] = accept(fd, NULL, NULL);
		assert_true(conn[merges] >= 0);
		assert_int_equal(getsockopt(conn[merges], SOL_SOCKET, SO_PASSCRED, &on, &len), 0);
		assert_int_equal(on, 0);
	}
	fake_tell(fd, FAKE_MERGES, 0);
	assert_int_equal(fake_ask(conn[0], FAKE_MARKER), 0);
	assert_int_equal(fake_ask(conn[1], FAKE_MARKER), getpid());
	close(conn[0]);
	close(conn[1]);
	close(fd);
}

static void *cancelled_before(void *arg)
{
	pthread_cancel(pthread_self());
	return (void *)(intptr_t)accept(*(int *)arg, NULL, NULL);
}

/* accept() is a point for cancellation also when it needs not wait, and then takes nothing. */
static void test_cancelled_before(void **state)
{
	int fd = near_listener(), conn;
	pthread_t thread;
	void *result;

	(void)state;
	fake_tell(fd, FAKE_ARRIVE, 1);
	assert_int_equal(pthread_create(&thread, NULL, cancelled_before, &fd), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	conn = accept(fd, NULL, NULL);
	assert_true(conn >= 0);
	close(conn);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inherits),
		cmocka_unit_test(test_cancelled_before),
		cmocka_unit_test(test_address_and_flags),
		cmocka_unit_test(test_waiting),
		cmocka_unit_test(test_descriptor_limit),
		cmocka_unit_test(test_no_listener),
		cmocka_unit_test(test_shut_down),
		cmocka_unit_test(test_cancellation),
		cmocka_unit_test(test_mark),
		cmocka_unit_test(test_instance_has_ended), /* the last one: it ends the fake */
	};

	(void)argc;
	QEMU_USER_CANNOT("SO_COOKIE");
	fake_start(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
