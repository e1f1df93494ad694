/* SPDX-License-Identifier: Apache-2.0 */
/* test-credit.c - socket() without a call, within a credit */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libvsesock/core/raw.h"
#include "lfp/ctl.h"
#include "tests/libvsesock/fake.h"
#include "tests/libvsesock/near.h"
#include "tests/qemu-user.h"

#define CALLS_FIRST 4 /* of core/credit.c */
#define MANY        8

long raw_cookie; /* of raw.h, which is past the shim */

static int control; /* a near end with which the test asks the fake */

static int left(void)
{
	return fake_ask(control, FAKE_LEFT);
}

/* Returns true if the socket has the name of a near end. */
static bool is_named(int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	assert_int_equal(raw_getsockname(fd, &addr, &len), 0);
	return len > offsetof(struct sockaddr_un, sun_path);
}

static int fresh(void)
{
	int fd = near_new();

	assert_false(is_named(fd));
	return fd;
}

/* The program has made enough sockets to get a credit of @nr. */
static void earn(int nr)
{
	fake_tell(control, FAKE_CREDIT, nr);
	for (int i = 0; i < CALLS_FIRST && left() < 0; i++)
		close(near_new());
	assert_int_equal(left(), nr);
}

static void none_before_it_is_earned(void **state)
{
	int fd = near_new();

	(void)state;
	assert_true(is_named(fd));
	assert_int_equal(left(), -1);
	close(fd);
}

static void it_is_spent_one_by_one(void **state)
{
	int fds[3], calls;

	(void)state;
	earn(2);
	calls = fake_ask(control, FAKE_CALLS);
	fds[0] = fresh();
	fds[1] = fresh();
	assert_int_equal(fake_ask(control, FAKE_CALLS), calls + 1);
	assert_int_equal(left(), 0);
	fds[2] = near_new();
	assert_true(is_named(fds[2]));
	/* and the program has said how many it has */
	assert_int_equal(fake_ask(control, FAKE_LIVE), 2);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

static void the_lowest_number_and_the_flags(void **state)
{
	int low, fd;

	(void)state;
	earn(MANY);
	low = open("/dev/null", O_RDONLY);
	close(low);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
	assert_int_equal(fd, low);
	assert_false(is_named(fd));
	assert_int_equal(fcntl(fd, F_GETFL), O_RDWR | O_NONBLOCK);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	fd = fresh();
	assert_int_equal(fcntl(fd, F_GETFL), O_RDWR);
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	close(fd);
}

static void it_looks_like_a_new_one(void **state)
{
	struct pollfd pfd = {.events = POLLIN | POLLOUT};
	int fd;
	char byte;

	(void)state;
	earn(MANY);
	pfd.fd = fd = fresh();
	assert_int_equal(poll(&pfd, 1, 0), 1);
	assert_int_equal(pfd.revents, POLLOUT | POLLHUP);
	assert_fails(read(fd, &byte, 1), ENOTCONN);
	assert_fails(recv(fd, &byte, 1, MSG_DONTWAIT), ENOTCONN);
	assert_fails(send(fd, "x", 1, MSG_NOSIGNAL), EPIPE);
	close(fd);
}

static void the_first_call_makes_it_a_near_end(void **state)
{
	int fd;

	(void)state;
	earn(MANY);
	fd = fresh();
	assert_int_equal(near_connect(fd, PORT_GOOD), 0);
	assert_true(is_named(fd));
	assert_int_equal(send(fd, "x", 1, 0), 1);
	assert_int_equal(fake_ask(fd, FAKE_TAKEN), 1);
	close(fd);
	/* Its credit is spent: only the instance gives another. */
	assert_int_equal(left(), MANY - 1);
	fake_tell(control, FAKE_CREDIT, 0);
	fd = near_new();
	assert_true(is_named(fd));
	close(fd);
}

static void closed_ones_give_it_back(void **state)
{
	int calls;

	(void)state;
	earn(2);
	calls = fake_ask(control, FAKE_CALLS);
	for (int i = 0; i < 100; i++)
		close(fresh());
	assert_int_equal(fake_ask(control, FAKE_CALLS), calls + 1);
}

static void a_copy_keeps_it(void **state)
{
	int fd, copy;

	(void)state;
	earn(1);
	fd = fresh();
	copy = dup(fd);
	close(fd);
	fd = near_new();
	assert_true(is_named(fd));
	assert_false(is_named(copy));
	assert_int_equal(near_connect(copy, PORT_GOOD), 0);
	assert_true(is_named(copy));
	close(copy);
	close(fd);
}

static void wait_for(pid_t child)
{
	int status;

	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* In a child: its own sockets come by calls, and it may use its parent's. */
static int use_in_child(int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);
	int own = socket(AF_INET, SOCK_STREAM, 0);

	if (own < 0 || raw_getsockname(own, &addr, &len) < 0 || len <= sizeof(sa_family_t))
		return 1;
	return near_connect(fd, PORT_GOOD) ? 2 : 0;
}

static void a_child_has_none_of_its_parent(void **state)
{
	pid_t child;
	int fd;

	(void)state;
	earn(MANY);
	fd = fresh();
	child = fork();
	if (!child)
		_exit(use_in_child(fd));
	wait_for(child);
	assert_true(is_named(fd));
	assert_int_equal(left(), MANY - 1);
	close(fresh());
	close(fd);
}

/* Past libc: no handler of fork runs. */
static void nor_has_one_that_the_library_does_not_see(void **state)
{
	pid_t child;
	int fd;

	(void)state;
	earn(MANY);
	fd = fresh();
	/* On s390x the stack comes first (clone(2)). */
#ifdef __s390x__
	child = (pid_t)raw_call(SYS_clone, 0, SIGCHLD, 0, 0, 0, 0);
#else
	child = (pid_t)raw_call(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
#endif
	if (!child)
		_exit(use_in_child(fd));
	wait_for(child);
	assert_true(is_named(fd));
	assert_int_equal(left(), MANY - 1);
	close(fd);
}

static void another_process_may_get_it(void **state)
{
	int fd, ends[2];
	pid_t child;

	(void)state;
	earn(MANY);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	child = fork();
	if (!child) {
		union {
			char buf[CMSG_SPACE(sizeof(int))];
			struct cmsghdr align;
		} rights;
		char byte;
		struct iovec iov = {&byte, 1};
		struct msghdr msg = {.msg_iov = &iov,
				     .msg_iovlen = 1,
				     .msg_control = &rights,
				     .msg_controllen = sizeof(rights)};

		if (recvmsg(ends[1], &msg, 0) != 1)
			_exit(3);
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
		_exit(use_in_child(fd));
	}
	fd = fresh();
	{
		union {
			char buf[CMSG_SPACE(sizeof(int))];
			struct cmsghdr align;
		} rights = {.align = {.cmsg_level = SOL_SOCKET,
				      .cmsg_type = SCM_RIGHTS,
				      .cmsg_len = CMSG_LEN(sizeof(int))}};
		struct iovec iov = {(void *)(uintptr_t) "x", 1};
		struct msghdr msg = {.msg_iov = &iov,
				     .msg_iovlen = 1,
				     .msg_control = &rights,
				     .msg_controllen = sizeof(rights)};

		memcpy(CMSG_DATA(&rights.align), &fd, sizeof(fd));
		assert_int_equal(sendmsg(ends[0], &msg, 0), 1);
	}
	close(fd);
	wait_for(child);
	close(ends[0]);
	close(ends[1]);
}

/* Returns the number of pages that this process has of the instance's. */
static int pages(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	char line[512];
	int nr = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		nr += strstr(line, "/memfd:fake") != NULL;
	fclose(file);
	return nr;
}

/* The program has lost the instance for a moment, and gets another page. */
static void earn_again(void)
{
	int value;
	socklen_t len = sizeof(value);

	fake_tell(control, FAKE_EVICT, 1);
	assert_int_equal(getsockopt(control, FAKE, FAKE_CALLS, &value, &len), 0);
	for (int i = 0; i < CALLS_FIRST; i++)
		close(near_new());
	close(fresh());
}

static void another_page_takes_the_place_of_the_first(void **state)
{
	pid_t child;

	(void)state;
	earn(MANY);
	for (int i = 0; i < 5; i++) {
		earn_again();
		assert_int_equal(pages(), 1);
	}
	child = fork();
	if (!child) {
		for (int i = 0; i < CALLS_FIRST; i++)
			close(near_new());
		_exit(pages() == 1 ? 0 : 1);
	}
	wait_for(child);
	earn_again();
}

/* The instance has closed the sockets that it had ready for fresh ones: another series. */
static void nothing_comes_back_of_an_earlier_series(void **state)
{
	int fds[2], other;

	(void)state;
	earn(2);
	fds[0] = fresh();
	fds[1] = fresh();
	fake_tell(control, FAKE_CREDIT, 1 << LFP_CREDIT_SERIES);
	close(fds[0]);
	close(fds[1]);
	other = near_new();
	assert_true(is_named(other));
	close(other);
	assert_int_equal(fake_ask(control, FAKE_LIVE), 0);
	fake_tell(control, FAKE_CREDIT, (1 << LFP_CREDIT_SERIES) + 1);
	for (int i = 0; i < 10; i++)
		close(fresh());
	fake_tell(control, FAKE_CREDIT, 0);
}

#define THREADS 4
#define ROUNDS  30 /* the fake can have 256 sockets */

static void *make_many(void *arg)
{
	unsigned int *odd = arg;

	for (int i = 0; i < ROUNDS; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (fd < 0 || (i % 3 == 0 && near_connect(fd, PORT_GOOD)))
			++*odd;
		close(fd);
	}
	return NULL;
}

static void threads_share_it(void **state)
{
	pthread_t threads[THREADS];
	unsigned int odd[THREADS] = {0};

	(void)state;
	earn(MANY);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, make_many, &odd[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(odd[i], 0);
	}
	/* What was made up is at most what was there. */
	assert_in_range(left(), 0, MANY);
}

static void at_the_descriptor_limit(void **state)
{
	(void)state;
	earn(MANY);
	near_fill(0);
	assert_fails(socket(AF_INET, SOCK_STREAM, 0), EMFILE);
	near_unfill();
	assert_int_equal(left(), MANY);
}

static void other_kinds_come_by_calls(void **state)
{
	int calls;

	(void)state;
	earn(MANY);
	calls = fake_ask(control, FAKE_CALLS);
	assert_fails(socket(AF_INET, SOCK_DGRAM, 0), EPROTONOSUPPORT);
	close(socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP));
	close(socket(AF_INET6, SOCK_STREAM, 0));
	assert_int_equal(fake_ask(control, FAKE_CALLS), calls + 4);
	assert_int_equal(left(), MANY);
}

static void without_the_instance_there_is_none(void **state)
{
	(void)state;
	earn(MANY);
	fake_stop();
	/* One call notices. */
	assert_fails(near_connect(control, PORT_GOOD), ENETDOWN);
	assert_fails(socket(AF_INET, SOCK_STREAM, 0), ENETDOWN);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_before_it_is_earned),
		cmocka_unit_test(it_is_spent_one_by_one),
		cmocka_unit_test(the_lowest_number_and_the_flags),
		cmocka_unit_test(it_looks_like_a_new_one),
		cmocka_unit_test(closed_ones_give_it_back),
		cmocka_unit_test(the_first_call_makes_it_a_near_end),
		cmocka_unit_test(a_copy_keeps_it),
		cmocka_unit_test(a_child_has_none_of_its_parent),
		cmocka_unit_test(nor_has_one_that_the_library_does_not_see),
		cmocka_unit_test(another_process_may_get_it),
		cmocka_unit_test(another_page_takes_the_place_of_the_first),
		cmocka_unit_test(nothing_comes_back_of_an_earlier_series),
		cmocka_unit_test(threads_share_it),
		cmocka_unit_test(at_the_descriptor_limit),
		cmocka_unit_test(other_kinds_come_by_calls),
		cmocka_unit_test(without_the_instance_there_is_none),
	};

	(void)argc;
	QEMU_USER_CANNOT("SO_COOKIE");
	fake_start(argv);
	control = near_new();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
