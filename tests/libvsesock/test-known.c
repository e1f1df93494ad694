/* SPDX-License-Identifier: Apache-2.0 */
/* test-known.c - addresses that the instance has told once: who gets them without another call */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/ctl.h"
#include "lfp/rights.h"
#include "tests/libvsesock/fake.h"
#include "tests/libvsesock/near.h"
#include "tests/qemu-user.h"

typedef int name_function(int fd, struct sockaddr *addr, socklen_t *len);

/* Returns the port of a name. Counts the calls on the control channel that this took. */
static int port_of(name_function *function, int fd, int *calls)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	int control = near_new(), before = fake_ask(control, FAKE_CALLS);

	if (function(fd, (struct sockaddr *)&addr, &len))
		addr = (struct sockaddr_in){.sin_port = htons(1)};
	*calls = fake_ask(control, FAKE_CALLS) - before - 1;
	close(control);
	return ntohs(addr.sin_port);
}

#define assert_name(function, fd, port, nr_calls)                                                  \
	do {                                                                                       \
		int calls_;                                                                        \
		assert_int_equal(port_of(function, fd, &calls_), port);                            \
		assert_int_equal(calls_, nr_calls);                                                \
	} while (0)

static void test_told_once(void **state)
{
	int fd = near_connected(), copy, status;
	pid_t pid;

	(void)state;
	assert_name(getpeername, fd, FAKE_PEER_PORT, 1);
	assert_name(getpeername, fd, FAKE_PEER_PORT, 0);
	assert_name(getsockname, fd, FAKE_LOCAL_PORT, 0);
	copy = dup(fd);
	assert_name(getpeername, copy, FAKE_PEER_PORT, 0);
	pid = fork();
	if (pid == 0) {
		int calls, port = port_of(getsockname, copy, &calls);

		_exit(port == FAKE_LOCAL_PORT && !calls ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(copy);
	close(fd);
}

/* The number says nothing. */
static void test_another_at_the_number(void **state)
{
	int fd = near_connected(), fresh = near_new(), ends[2];
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	(void)state;
	assert_name(getpeername, fd, FAKE_PEER_PORT, 1);
	assert_int_equal(dup2(fresh, fd), fd);
	assert_fails(getpeername(fd, (struct sockaddr *)&addr, &len), ENOTCONN);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	/* Past the shim: no hint is forgotten. */
	assert_int_equal(fcntl(ends[0], F_SETFD, FD_CLOEXEC), 0);
	assert_int_equal(dup2(ends[0], fd), fd);
	len = sizeof(addr);
	assert_int_equal(getpeername(fd, (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(addr.ss_family, AF_UNIX);
	close(ends[0]);
	close(ends[1]);
	close(fresh);
	close(fd);
}

static void test_the_end(void **state)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	int fd = near_connected();

	(void)state;
	assert_name(getpeername, fd, FAKE_PEER_PORT, 1);
	fake_tell(fd, FAKE_END, ECONNRESET);
	assert_fails(getpeername(fd, (struct sockaddr *)&addr, &len), ENOTCONN);
	assert_name(getsockname, fd, FAKE_LOCAL_PORT, 0);
	close(fd);

	/* The instance knows whether both directions have ended. */
	fd = near_connected();
	assert_name(getpeername, fd, FAKE_PEER_PORT, 1);
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	assert_name(getpeername, fd, FAKE_PEER_PORT, 1);
	close(fd);
}

static void test_nothing_is_sent(void **state)
{
	int fd = near_connected();

	(void)state;
	assert_name(getpeername, fd, FAKE_PEER_PORT, 1);
	assert_name(getpeername, fd, FAKE_PEER_PORT, 0);
	assert_int_equal(fake_ask(fd, FAKE_TAKEN), -1);
	close(fd);
}

static void test_not_connected(void **state)
{
	int fd = near_new();

	(void)state;
	assert_name(getsockname, fd, FAKE_LOCAL_PORT, 1);
	assert_name(getsockname, fd, FAKE_LOCAL_PORT, 1);
	assert_name(getpeername, fd, 1, 1);
	assert_int_equal(listen(fd, 1), 0);
	assert_name(getsockname, fd, FAKE_LOCAL_PORT, 1);
	assert_name(getsockname, fd, FAKE_LOCAL_PORT, 1);
	close(fd);
}

/* A record has both addresses. */
static void test_accepted(void **state)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	int fd = near_listener(), conn;

	(void)state;
	fake_tell(fd, FAKE_ARRIVE, 1);
	conn = accept(fd, (struct sockaddr *)&addr, &len);
	assert_true(conn >= 0);
	assert_name(getpeername, conn, ntohs(addr.sin_port), 0);
	assert_name(getsockname, conn, FAKE_LOCAL_PORT, 0);
	close(conn);
	close(fd);
}

/* What another process sends as a record says nothing about this process's own connections. */
static void test_forged_record(void **state)
{
	struct lfp_accept_record record = {
		.magic = LFP_CTL_RECORD_MAGIC,
		.local = {.family = LFP_AF_INET, .port = 6666},
		.peer = {.family = LFP_AF_INET, .port = 6667},
	};
	struct iovec iov = {.iov_base = &record, .iov_len = sizeof(record)};
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = near_connected(), ends[2], conn;
	char dir[] = "/tmp/vselfpd-test-XXXXXX", path[sizeof(addr.sun_path)];

	(void)state;
	/* The forger has a name like a near end, and knows the cookie. */
	record.cookie = near_own_cookie(fd);
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(mkdir("vselfp", 0700) | mkdir("vselfp/00", 0700) |
				 mkdir("vselfp/00/0123456789abcdef", 0700),
			 0);
	snprintf(path, sizeof(path), "vselfp/00/0123456789abcdef/0123456789abcdef");
	memcpy(addr.sun_path, path, sizeof(path));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_int_equal(
		bind(ends[0], (struct sockaddr *)&addr,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path) + 1)),
		0);
	conn = dup(ends[1]);
	assert_int_equal(lfp_rights_send(ends[1], &iov, 1, &conn, 1), 0);
	close(conn);
	conn = accept(ends[0], NULL, NULL);
	assert_true(conn >= 0);
	assert_name(getpeername, fd, FAKE_PEER_PORT, 1);
	assert_name(getsockname, fd, FAKE_LOCAL_PORT, 0);
	close(conn);
	close(ends[0]);
	close(ends[1]);
	close(fd);
	unlink(path);
	rmdir("vselfp/00/0123456789abcdef");
	rmdir("vselfp/00");
	rmdir("vselfp");
	assert_int_equal(chdir("/") | rmdir(dir), 0);
}

/* Errors are those of a call that asks. */
static void test_bad_memory(void **state)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr), *fixed;
	int fd = near_connected();

	(void)state;
	assert_ptr_not_equal(page, MAP_FAILED);
	assert_int_equal(mprotect(page + 4096, 4096, PROT_READ), 0);
	fixed = (socklen_t *)page;
	*fixed = sizeof(addr);
	assert_name(getpeername, fd, FAKE_PEER_PORT, 1);
	assert_fails(getpeername(fd, (struct sockaddr *)(page + 4096), &len), EFAULT);
	assert_fails(getpeername(fd, (struct sockaddr *)(page + 4096 - 4), &len), EFAULT);
	assert_fails(getsockname(fd, NULL, &len), EFAULT);
	assert_fails(getsockname(fd, (struct sockaddr *)&addr, NULL), EFAULT);
	len = (socklen_t)-1;
	assert_fails(getsockname(fd, (struct sockaddr *)&addr, &len), EINVAL);
	assert_int_equal(getsockname(fd, (struct sockaddr *)(page + 64), fixed), 0);
	assert_int_equal(((struct sockaddr_in *)(page + 64))->sin_port, htons(FAKE_LOCAL_PORT));
	munmap(page, 8192);
	close(fd);
}

/* More connections than are remembered at a time. */
static void test_many(void **state)
{
	int fds[24];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
			int calls;

			if (!round)
				fds[i] = near_connected();
			assert_int_equal(port_of(getpeername, fds[i], &calls), FAKE_PEER_PORT);
			assert_int_equal(port_of(getsockname, fds[i], &calls), FAKE_LOCAL_PORT);
		}
	}
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		close(fds[i]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_told_once),     cmocka_unit_test(test_another_at_the_number),
		cmocka_unit_test(test_the_end),       cmocka_unit_test(test_nothing_is_sent),
		cmocka_unit_test(test_not_connected), cmocka_unit_test(test_accepted),
		cmocka_unit_test(test_forged_record), cmocka_unit_test(test_bad_memory),
		cmocka_unit_test(test_many),
	};

	(void)argc;
	QEMU_USER_CANNOT("SO_COOKIE");
	fake_start(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
