/* SPDX-License-Identifier: Apache-2.0 */
/* test-early.c - options that a program sets and reads without a call on the control channel */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/ctl.h"
#include "lfp/early.h"
#include "tests/libvsesock/fake.h"
#include "tests/libvsesock/near.h"
#include "tests/qemu-user.h"

static int set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value));
}

static int get(int fd, int level, int name)
{
	socklen_t len = sizeof(int);
	int value = -1;

	assert_int_equal(getsockopt(fd, level, name, &value, &len), 0);
	assert_int_equal(len, sizeof(value));
	return value;
}

static int calls_so_far(void)
{
	int fd = near_new(), calls = fake_ask(fd, FAKE_CALLS);

	close(fd);
	return calls;
}

/* Calls that @statement needs; calls_so_far() itself makes two. */
#define assert_calls(nr, statement)                                                                \
	do {                                                                                       \
		int before_ = calls_so_far();                                                      \
		statement;                                                                         \
		assert_int_equal(calls_so_far() - before_ - 2, nr);                                \
	} while (0)

static void test_new_socket(void **state)
{
	int fd = near_new(), copy, status;
	pid_t pid;

	(void)state;
	assert_calls(0, assert_int_equal(get(fd, IPPROTO_TCP, TCP_NODELAY), 0));
	assert_calls(0, assert_int_equal(set(fd, IPPROTO_TCP, TCP_NODELAY, 5), 0));
	assert_calls(0, assert_int_equal(get(fd, IPPROTO_TCP, TCP_NODELAY), 1));
	assert_int_equal(get(fd, SOL_SOCKET, SO_KEEPALIVE), 0);
	assert_int_equal(near_own_option(fd, LFP_EARLY_MARK), 1);
	/* Another process, another number: one socket. */
	copy = dup(fd);
	pid = fork();
	if (pid == 0)
		_exit(set(copy, SOL_SOCKET, SO_KEEPALIVE, 1) ||
		      set(copy, IPPROTO_TCP, TCP_NODELAY, 0));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(get(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
	assert_int_equal(get(fd, IPPROTO_TCP, TCP_NODELAY), 0);
	close(copy);
	close(fd);
}

/* What the kernel refuses is refused; the instance says so. */
static void test_wrong_values(void **state)
{
	int fd = near_new(), value = 1;
	socklen_t len = (socklen_t)-1;

	(void)state;
	assert_calls(1, (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, 1));
	assert_fails(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, NULL, sizeof(value)), EFAULT);
	assert_fails(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, (void *)8, sizeof(value)), EFAULT);
	assert_fails(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, (socklen_t)-4), EINVAL);
	assert_fails(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, NULL), EFAULT);
	assert_fails(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &value, &len), EINVAL);
	len = sizeof(value);
	assert_fails(getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, NULL, &len), EFAULT);
	assert_int_equal(get(fd, IPPROTO_TCP, TCP_NODELAY), 0);
	close(fd);
}

/* Without the instance's word every call of a connected socket goes to it. */
static void test_connected(void **state)
{
	int fd = near_connected(), word;

	(void)state;
	assert_calls(1, assert_int_equal(set(fd, IPPROTO_TCP, TCP_NODELAY, 1), 0));
	assert_calls(1, assert_int_equal(set(fd, IPPROTO_TCP, TCP_NODELAY, 1), 0));
	assert_calls(1, (void)get(fd, IPPROTO_TCP, TCP_NODELAY));
	assert_int_equal(near_own_option(fd, lfp_early_at(LFP_EARLY_NODELAY)->place), 0);
	word = LFP_EARLY_KNOWN(LFP_EARLY_NODELAY) | LFP_EARLY_VALUE(LFP_EARLY_NODELAY, 1);
	near_set_own_option(fd, LFP_EARLY_WORD, word);
	assert_calls(0, assert_int_equal(set(fd, IPPROTO_TCP, TCP_NODELAY, 7), 0));
	assert_calls(1, assert_int_equal(set(fd, IPPROTO_TCP, TCP_NODELAY, 0), 0));
	assert_calls(1, assert_int_equal(set(fd, SOL_SOCKET, SO_KEEPALIVE, 0), 0));
	assert_fails(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, NULL, sizeof(word)), EFAULT);
	assert_calls(0, (void)get(fd, IPPROTO_TCP, TCP_NODELAY));
	close(fd);
}

static int set_control(int fd, const char *name, size_t len)
{
	return setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)len);
}

/* A name that the host has taken once is not asked for again. */
static void test_congestion_control(void **state)
{
	int fd = near_new(), number = lfp_early_find_control("cubic", 5),
	    at = lfp_early_at(LFP_EARLY_CONGESTION)->place;

	(void)state;
	assert_calls(1, assert_int_equal(set_control(fd, "cubic", 5), 0));
	assert_int_equal(lfp_early_get_control(near_own_wide_option(fd, at)), -1);
	assert_calls(0, assert_int_equal(set_control(fd, "cubic", 6), 0));
	assert_int_equal(lfp_early_get_control(near_own_wide_option(fd, at)), number);
	assert_calls(1, assert_int_equal(set_control(fd, "reno", 4), 0));
	assert_calls(1, (void)set_control(fd, "nobody", 6));
	assert_calls(1, (void)set_control(fd, "nobody", 6));
	assert_fails(set_control(fd, (char *)8, 5), EFAULT);
	close(fd);
	fd = near_connected();
	assert_calls(1, assert_int_equal(set_control(fd, "cubic", 5), 0));
	close(fd);
}

/* Makes a near end of another instance, as far as a program can see. */
static int of_another_instance(void)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	char dir[] = "/tmp/near.XXXXXX", part[64] = "", *end;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), back = open(".", O_PATH | O_CLOEXEC);

	snprintf(addr.sun_path, sizeof(addr.sun_path), LFP_NEAR_PREFIX "07/%016x/%016x", 1, 1);
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	for (end = addr.sun_path; (end = strchr(end, '/')); end++) {
		memcpy(part, addr.sun_path, (size_t)(end - addr.sun_path));
		assert_int_equal(mkdir(part, 0700), 0);
	}
	assert_int_equal(bind(fd, (struct sockaddr *)&addr,
			      offsetof(struct sockaddr_un, sun_path) + LFP_NEAR_PATH_LEN + 1),
			 0);
	assert_int_equal(unlink(addr.sun_path), 0);
	while ((end = strrchr(part, '/'))) {
		assert_int_equal(rmdir(part), 0);
		*end = '\0';
	}
	assert_int_equal(rmdir(part), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(fchdir(back), 0);
	close(back);
	return fd;
}

/* The host of another instance may not have it. */
static void test_another_host(void **state)
{
	int fd = near_new(), other = of_another_instance();

	(void)state;
	assert_int_equal(set_control(fd, "cubic", 5), 0);
	assert_calls(0, assert_int_equal(set_control(fd, "cubic", 5), 0));
	assert_fails(set_control(other, "cubic", 5), ENETDOWN);
	close(other);
	close(fd);
}

/* Options that others depend on or that the host may refuse. */
static void test_others_ask(void **state)
{
	int fd = near_new();

	(void)state;
	assert_calls(1, (void)set(fd, SOL_SOCKET, SO_REUSEADDR, 1));
	assert_calls(1, (void)set(fd, SOL_SOCKET, SO_DONTROUTE, 1));
	assert_calls(1, (void)set(fd, SOL_SOCKET, SO_INCOMING_CPU, 1));
	assert_int_equal(near_own_option(fd, SO_DONTROUTE), 0);
	assert_true(near_own_option(fd, SO_INCOMING_CPU) < 0);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_new_socket), cmocka_unit_test(test_wrong_values),
		cmocka_unit_test(test_connected),  cmocka_unit_test(test_congestion_control),
		cmocka_unit_test(test_others_ask), cmocka_unit_test(test_another_host),
	};

	(void)argc;
	QEMU_USER_CANNOT("SO_COOKIE");
	fake_start(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
