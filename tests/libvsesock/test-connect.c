/* SPDX-License-Identifier: Apache-2.0 */
/* test-connect.c - connect(): results, signals, time limits, cancellation */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/libvsesock/fake.h"
#include "tests/libvsesock/near.h"
#include "tests/qemu-user.h"

static void set_limit(int fd, int ms)
{
	struct timeval tv = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};

	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)), 0);
}

static atomic_int alarms;

static void on_alarm(int sig)
{
	alarms += sig == SIGALRM;
}

/* Again and again, as the first one may come before connect() waits: that ends nothing. */
static void set_alarm(void (*handler)(int), int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	struct itimerval timer = {{.tv_usec = 30000}, {.tv_usec = 30000}};

	alarms = 0;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

/* No more; so many have come at least. */
static void end_alarm(int least)
{
	struct itimerval never = {0};

	assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
	assert_true(alarms >= least);
}

static void test_results(void **state)
{
	int fd = near_new(), direct;

	(void)state;
	assert_true(fake_ask(fd, FAKE_PARKED) >= 0); /* parks, if nothing is parked */
	direct = fake_ask(fd, FAKE_DIRECT);
	errno = 12345;
	assert_int_equal(near_connect(fd, PORT_GOOD), 0);
	assert_int_equal(errno, 12345);
	/* by one request on the parked connection */
	assert_int_equal(fake_ask(fd, FAKE_DIRECT), direct + 2);
	assert_fails(near_connect(fd, PORT_GOOD), EISCONN);
	close(fd);
	fd = near_new();
	assert_fails(near_connect(fd, PORT_REFUSED), ECONNREFUSED);
	assert_int_equal(near_connect(fd, PORT_GOOD), 0);
	close(fd);
	fd = near_new();
	assert_fails(near_connect(fd, PORT_DEAF), ENETDOWN);
	close(fd);
	fd = near_new();
	fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK);
	assert_fails(near_connect(fd, PORT_SLOW), EINPROGRESS);
	close(fd);
}

static void test_time_limit(void **state)
{
	int fd = near_new(), detached = fake_ask(fd, FAKE_DETACHED);

	(void)state;
	set_limit(fd, 30);
	assert_fails(near_connect(fd, PORT_SLOW), EINPROGRESS);
	assert_int_equal(fake_ask(fd, FAKE_DETACHED), detached + 1);
	/* it was made just then */
	errno = 12345;
	assert_int_equal(near_connect(fd, PORT_JUST_IN_TIME), 0);
	assert_int_equal(errno, 12345);
	assert_int_equal(send(fd, "abc", 3, 0), 3);
	assert_int_equal(fake_ask(fd, FAKE_TAKEN), 3);
	close(fd);
}

/* The answer and DETACH cross on the way. */
static void test_crossed(void **state)
{
	int fd = near_new();

	(void)state;
	set_limit(fd, 30);
	assert_int_equal(near_connect(fd, PORT_CROSSED), 0);
	assert_int_equal(send(fd, "abc", 3, 0), 3);
	assert_int_equal(fake_ask(fd, FAKE_TAKEN), 3);
	close(fd);
}

static void test_signal(void **state)
{
	int fd = near_new(), detached = fake_ask(fd, FAKE_DETACHED);

	(void)state;
	set_alarm(on_alarm, 0);
	assert_fails(near_connect(fd, PORT_SLOW), EINTR);
	end_alarm(1);
	assert_int_equal(fake_ask(fd, FAKE_DETACHED), detached + 1);
	/* with a time limit a wait is not started again, even with SA_RESTART */
	set_limit(fd, 60000);
	set_alarm(on_alarm, SA_RESTART);
	assert_fails(near_connect(fd, PORT_SLOW), EINTR);
	end_alarm(1);
	close(fd);
}

/* The connection is there, or its answer on the way, when the signal comes. */
static void test_late_signal(void **state)
{
	static const int ports[] = {PORT_JUST_IN_TIME, PORT_CROSSED};

	(void)state;
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
		int fd = near_new();

		set_alarm(on_alarm, 0);
		assert_int_equal(near_connect(fd, ports[i]), 0);
		end_alarm(1);
		assert_int_equal(send(fd, "abc", 3, 0), 3);
		assert_int_equal(fake_ask(fd, FAKE_TAKEN), 3);
		close(fd);
	}
}

static void close_all_others(int sig)
{
	alarms += sig == SIGALRM;
	closefrom(100);
}

/* The handler closes what is parked, on which the answer would come. */
static void test_signal_that_closes(void **state)
{
	int fd = near_new();

	(void)state;
	set_alarm(close_all_others, 0);
	assert_fails(near_connect(fd, PORT_SLOW), EINTR);
	end_alarm(1);
	assert_int_equal(near_connect(fd, PORT_GOOD), 0);
	close(fd);
}

static int called;

static void close_and_call(int sig)
{
	struct sigaction next = {.sa_handler = on_alarm};
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);

	alarms += sig == SIGALRM;
	closefrom(100);
	getsockname(called, (struct sockaddr *)&addr, &len);
	sigaction(SIGALRM, &next, NULL);
}

/* The connection that the handler's call parks must not get the number of the waiting one: the
 * kernel restarts the wait by descriptor number. */
static void test_handler_that_parks(void **state)
{
	int fd, detached;

	(void)state;
#ifdef __SANITIZE_THREAD__
	skip(); /* its own handler is the kernel's, and tells the program later, if at all */
#endif
	fd = near_new();
	detached = fake_ask(fd, FAKE_DETACHED);
	called = near_connected();
	set_alarm(close_and_call, SA_RESTART);
	assert_fails(near_connect(fd, PORT_SLOW), EINTR);
	end_alarm(2);
	/* it was asked for anew, and so the second signal was told */
	assert_int_equal(fake_ask(fd, FAKE_DETACHED), detached + 1);
	close(called);
	close(fd);
}

static atomic_int told;
static atomic_bool over;

static void on_usr1(int sig)
{
	told += sig == SIGUSR1;
}

/* Behind some alarms, and until connect() is over. The test cannot check whether the handler ran: a
 * sanitizer delays handlers until the wait is over. */
static void *raise_later(void *arg)
{
	poll(NULL, 0, 100);
	for (; !over; poll(NULL, 0, 30))
		pthread_kill(*(pthread_t *)arg, SIGUSR1);
	return NULL;
}

/* SA_RESTART: the wait goes on; a signal without it ends it. */
static void test_restart(void **state)
{
	struct sigaction action = {.sa_handler = on_usr1};
	int fd = near_new(), detached = fake_ask(fd, FAKE_DETACHED);
	pthread_t self = pthread_self(), thread;
	int heard;

	(void)state;
	told = 0;
	over = false;
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	set_alarm(on_alarm, SA_RESTART);
	assert_int_equal(pthread_create(&thread, NULL, raise_later, &self), 0);
	assert_fails(near_connect(fd, PORT_SLOW), EINTR);
	heard = told;
	over = true;
	pthread_join(thread, NULL);
	end_alarm(1);
	assert_true(heard > 0);
	assert_int_equal(fake_ask(fd, FAKE_DETACHED), detached + 1);
	close(fd);
}

static void *run_connect(void *arg)
{
	near_connect(*(int *)arg, PORT_SLOW);
	return NULL;
}

static void test_cancellation(void **state)
{
	int fd = near_new(), next = dup(fd);
	pthread_t thread;
	void *result;

	(void)state;
	close(next);
	assert_int_equal(pthread_create(&thread, NULL, run_connect, &fd), 0);
	assert_int_equal(pthread_cancel(thread), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_ptr_equal(result, PTHREAD_CANCELED);
	/* the control connection is closed */
	assert_int_equal(dup(fd), next);
	close(next);
	close(fd);
}

/* After a failure the socket gets a new near end, wherever the program has the old one. */
static void test_again(void **state)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = 0x123456789abcdef0};
	struct timeval tv = {.tv_sec = 3}, got;
	socklen_t len = sizeof(got);
	int fd = near_new(), copy, set = epoll_create1(0), low;

	(void)state;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 20);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)), 0);
	assert_int_equal(fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK), 0);
	assert_int_equal(fcntl(fd, F_SETOWN, getpid()), 0);
	assert_int_equal(epoll_ctl(set, EPOLL_CTL_ADD, copy, &event), 0);
	fake_tell(fd, FAKE_FAIL, ETIMEDOUT);
	low = dup(fd);
	close(low);
	assert_fails(near_connect(fd, PORT_GOOD), ETIMEDOUT);
	assert_int_equal(near_connect(fd, PORT_GOOD), 0);
	assert_int_equal(fcntl(fd, F_GETFL), O_RDWR | O_NONBLOCK);
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	assert_int_equal(fcntl(copy, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETOWN), getpid());
	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &got, &len), 0);
	assert_int_equal(got.tv_sec, 3);
	/* nothing is left open */
	assert_int_equal(dup(fd), low);
	close(low);
	assert_int_equal(epoll_wait(set, &event, 1, 0), 0);
	fake_tell(copy, FAKE_SEND, 1);
	event.data.u64 = 0;
	assert_int_equal(epoll_wait(set, &event, 1, 30000), 1);
	assert_true(event.data.u64 == 0x123456789abcdef0);
	assert_int_equal(event.events, EPOLLIN);
	close(set);
	close(copy);
	close(fd);
}

/* AF_UNSPEC: the call only has to take the new near end. */
static void test_dissolved(void **state)
{
	struct sockaddr unspec = {.sa_family = AF_UNSPEC};
	int fd = near_new();

	(void)state;
	fake_tell(fd, FAKE_FAIL, -1);
	assert_int_equal(connect(fd, &unspec, sizeof(unspec)), 0);
	assert_int_equal(near_connect(fd, PORT_GOOD), 0);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_time_limit),
		cmocka_unit_test(test_crossed),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_late_signal),
		cmocka_unit_test(test_signal_that_closes),
		cmocka_unit_test(test_handler_that_parks),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_cancellation),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_dissolved),
	};

	(void)argc;
	QEMU_USER_CANNOT("SO_COOKIE");
	fake_start(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
