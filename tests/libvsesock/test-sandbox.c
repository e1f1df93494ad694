/* SPDX-License-Identifier: Apache-2.0 */
/* test-sandbox.c - a program's own killing seccomp filter does not kill it for calls that the shim
 * adds */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/libvsesock/fake.h"
#include "tests/libvsesock/near.h"
#include "tests/qemu-user.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A child's result of a control call. */
enum { WORKS, NETDOWN, OTHER, NO_FILTER = 77 };

static int call(int fd)
{
	const struct sockaddr_in addr = {.sin_family = AF_INET};

	if (!bind(fd, (const struct sockaddr *)&addr, sizeof(addr)))
		return WORKS;
	return errno == ENETDOWN ? NETDOWN : OTHER;
}

static bool install(struct sock_filter *code, size_t nr)
{
	struct sock_fprog prog = {.len = (unsigned short)nr, .filter = code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

/* The exit code of a child under a filter that makes one control call; that it is killed fails. */
static int judge(struct sock_filter *code, size_t nr)
{
	int fd = near_connected(), status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(install(code, nr) ? call(fd) : NO_FILTER);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(fd);
	if (!WIFEXITED(status))
		fail_msg("killed by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

#define NR         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define LOW        (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0) /* half of a u64 */
#define ARG(i)     BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[i]) + LOW)
#define ALLOW      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define OP(op, k)  BPF_STMT(BPF_ALU | BPF_K | (op), (k))
#define OPX(op)    BPF_STMT(BPF_ALU | BPF_X | (op), 0)
#define SKIP(c, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)(c), (n), 0)

static void test_some_calls(void **state)
{
	struct sock_filter path[] = {NR, SKIP(SYS_socket, 2), SKIP(SYS_connect, 1), ALLOW, KILL};
	struct sock_filter parked[] = {NR, SKIP(SYS_socketpair, 1), ALLOW, KILL};
	struct sock_filter cookie[] = {NR, SKIP(SYS_getsockopt, 1), ALLOW, KILL};
	struct sock_filter both[] = {NR, SKIP(SYS_socketpair, 2), SKIP(SYS_socket, 1), ALLOW, KILL};
	struct sock_filter trap[] = {NR, SKIP(SYS_recvmsg, 1), ALLOW,
				     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)};
	struct sock_filter flags[] = {NR,
				      SKIP(SYS_sendmsg, 1),
				      ALLOW,
				      ARG(2),
				      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MSG_NOSIGNAL, 1, 0),
				      KILL,
				      ALLOW};

	(void)state;
	if (judge(path, COUNT(path)) == NO_FILTER)
		skip();
	/* either way does */
	assert_int_equal(judge(path, COUNT(path)), WORKS);
	assert_int_equal(judge(parked, COUNT(parked)), WORKS);
	assert_int_equal(judge(cookie, COUNT(cookie)), WORKS);
	assert_int_equal(judge(both, COUNT(both)), NETDOWN);
	assert_int_equal(judge(trap, COUNT(trap)), NETDOWN);
	/* arguments count */
	assert_int_equal(judge(flags, COUNT(flags)), WORKS);
}

/* The option that has the mark of a fresh socket and the congestion control. */
static void test_option_of_the_mark(void **state)
{
	struct sock_filter code[] = {NR,     SKIP(SYS_getsockopt, 1),     ALLOW,
				     ARG(2), SKIP(SO_MAX_PACING_RATE, 1), ALLOW,
				     KILL};
	int fd = near_new(), status;
	pid_t pid;

	(void)state;
	assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5), 0);
	pid = fork();
	if (pid == 0) {
		int plain = socket(AF_UNIX, SOCK_STREAM, 0);

		if (plain < 0 || !install(code, COUNT(code)))
			_exit(NO_FILTER);
		/* Has it a mark? */
		if (!listen(plain, 1))
			_exit(1);
		if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5))
			_exit(2);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fd);
}

/* Calls that spare a control call: without them the control call is made. */
static void test_calls_that_spare_one(void **state)
{
	static const int numbers[] = {SYS_sendto, SYS_getpeername, SYS_getsockopt, SYS_sendmsg};
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	int fd = near_connected(), fresh, on = 1, status;

	(void)state;
	assert_int_equal(getpeername(fd, (struct sockaddr *)&addr, &len), 0);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		struct sock_filter code[] = {NR, SKIP(numbers[i], 1), ALLOW, KILL};
		bool asks = numbers[i] != SYS_sendmsg, names = numbers[i] != SYS_getpeername;
		pid_t pid;

		fresh = near_new();
		pid = fork();
		if (pid == 0) {
			if (!install(code, COUNT(code)))
				_exit(NO_FILTER);
			if (names && getpeername(fd, (struct sockaddr *)&addr, &len))
				_exit(1);
			if (setsockopt(fresh, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) && asks)
				_exit(2);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		close(fresh);
	}
	close(fd);
}

/* The option that accept() sets before it leaves a mark that pages must not join. */
static void test_option_of_accept(void **state)
{
	struct sock_filter code[] = {
		NR, SKIP(SYS_setsockopt, 1), ALLOW, ARG(2), SKIP(SO_PASSCRED, 1), ALLOW, KILL};
	int fd = near_listener(), status;
	pid_t pid;

	(void)state;
	fake_tell(fd, FAKE_MERGES, 1);
	fake_tell(fd, FAKE_ARRIVE, 1);
	fake_tell(fd, FAKE_MERGES, 0);
	pid = fork();
	if (pid == 0) {
		int conn;

		if (!install(code, COUNT(code)))
			_exit(NO_FILTER);
		conn = accept(fd, NULL, NULL);
		if (conn < 0)
			_exit(1);
		_exit(fake_ask(conn, FAKE_MARKER) == -1 ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fd);
}

/* Ways to have the number of the call in A. */
static const struct {
	size_t nr;
	struct sock_filter code[6];
} ways[] = {
	{1, {NR}},
	{3, {NR, OP(BPF_ADD, 5), OP(BPF_SUB, 5)}},
	{3, {NR, OP(BPF_MUL, 8), OP(BPF_DIV, 8)}},
	{3, {NR, OP(BPF_LSH, 3), OP(BPF_RSH, 3)}},
	{3, {NR, OP(BPF_XOR, 0xff), OP(BPF_XOR, 0xff)}},
	{3, {NR, OP(BPF_OR, 0x10000), OP(BPF_AND, 0xffff)}},
	{3, {NR, OP(BPF_NEG, 0), OP(BPF_NEG, 0)}},
	{4,
	 {NR, BPF_STMT(BPF_MISC | BPF_TAX, 0), BPF_STMT(BPF_LD | BPF_IMM, 1),
	  BPF_STMT(BPF_MISC | BPF_TXA, 0)}},
	{4,
	 {NR, BPF_STMT(BPF_ST, 3), BPF_STMT(BPF_LD | BPF_IMM, 1), BPF_STMT(BPF_LD | BPF_MEM, 3)}},
	{4, {BPF_STMT(BPF_LDX | BPF_IMM, 7), NR, OPX(BPF_ADD), OPX(BPF_SUB)}},
	{6,
	 {NR, BPF_STMT(BPF_MISC | BPF_TAX, 0), BPF_STMT(BPF_STX, 0),
	  BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 0), BPF_STMT(BPF_LDX | BPF_W | BPF_MEM, 0),
	  BPF_STMT(BPF_MISC | BPF_TXA, 0)}},
	{3, {BPF_STMT(BPF_JMP | BPF_JA, 1), KILL, NR}},
	{4,
	 {BPF_STMT(BPF_LDX | BPF_W | BPF_LEN, 0), NR, OPX(BPF_SUB),
	  OP(BPF_ADD, sizeof(struct seccomp_data))}},
};

/* Kill one call, whose number is in A. */
static size_t put_verdict(struct sock_filter *at, int how, unsigned int nr)
{
	const struct sock_filter equal[] = {BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), KILL,
					    ALLOW};
	const struct sock_filter between[] = {BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, nr, 0, 2),
					      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, nr, 1, 0), KILL,
					      ALLOW};
	const struct sock_filter by_x[] = {BPF_STMT(BPF_LDX | BPF_IMM, nr),
					   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 1), KILL,
					   ALLOW};
	const struct sock_filter by_a[] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 2, 0),
		BPF_STMT(BPF_LD | BPF_IMM, SECCOMP_RET_ALLOW), BPF_STMT(BPF_RET | BPF_A, 0),
		BPF_STMT(BPF_LD | BPF_IMM, SECCOMP_RET_KILL_PROCESS), BPF_STMT(BPF_RET | BPF_A, 0)};

	switch (how) {
	case 0:
		memcpy(at, equal, sizeof(equal));
		return COUNT(equal);
	case 1:
		memcpy(at, between, sizeof(between));
		return COUNT(between);
	case 2:
		memcpy(at, by_x, sizeof(by_x));
		return COUNT(by_x);
	default:
		memcpy(at, by_a, sizeof(by_a));
		return COUNT(by_a);
	}
}

/* The kernel decides: a wrong prediction about a filter kills the child, or makes a call fail
 * without need. */
static void test_all_of_bpf(void **state)
{
	struct sock_filter code[16];
	size_t nr;

	(void)state;
	for (size_t i = 0; i < COUNT(ways); i++) {
		for (int how = 0; how < 4; how++) {
			memcpy(code, ways[i].code, ways[i].nr * sizeof(code[0]));
			nr = ways[i].nr + put_verdict(code + ways[i].nr, how, SYS_sendmsg);
			if (judge(code, nr) == NO_FILTER)
				fail_msg("the kernel does not take filter %zu, %d", i, how);
			if (judge(code, nr) != NETDOWN)
				fail_msg("filter %zu, %d", i, how);
			nr = ways[i].nr + put_verdict(code + ways[i].nr, how, SYS_listen);
			if (judge(code, nr) != WORKS)
				fail_msg("filter %zu, %d of a call that is not made", i, how);
		}
	}
}

/* By number, and for all threads. */
static void *call_in_thread(void *arg)
{
	return (void *)(intptr_t)call(*(int *)arg);
}

static int in_thread(void *(*fn)(void *), int fd)
{
	pthread_t thread;
	void *result = NULL;

	if (pthread_create(&thread, NULL, fn, &fd) || pthread_join(thread, &result))
		return OTHER;
	return (int)(intptr_t)result;
}

static struct sock_filter no_sendmsg[] = {NR, SKIP(SYS_sendmsg, 1), ALLOW, KILL};

static void *confine_thread(void *arg)
{
	/* both calls of the confined thread, and that of another one meanwhile */
	if (!install(no_sendmsg, COUNT(no_sendmsg)))
		return (void *)NO_FILTER;
	return (void *)(intptr_t)call(*(int *)arg);
}

static void test_threads(void **state)
{
	int fd = near_connected(), status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		/* a thread confines itself alone */
		if (in_thread(confine_thread, fd) != NETDOWN || call(fd) != WORKS)
			_exit(1);
		/* the first one confines all that it starts later */
		if (!install(no_sendmsg, COUNT(no_sendmsg)))
			_exit(2);
		_exit(in_thread(call_in_thread, fd) == NETDOWN && call(fd) == NETDOWN ? 0 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	pid = fork();
	if (pid == 0) {
		struct sock_fprog prog = {COUNT(no_sendmsg), no_sendmsg};

		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &prog))
			_exit(4);
		_exit(call(fd) == NETDOWN ? 0 : 5);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fd);
}

/* Only read, write and the end of the thread are left. The shim still has a hint that the number is
 * a listener's. */
static void test_strict(void **state)
{
	int listener = near_listener(), fd, status;
	pid_t pid;

	(void)state;
	close(listener);
	fd = near_connected();
	assert_int_equal(fd, listener);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* the sanitizer makes calls of its own when functions are called for the first time
		 */
#endif
	fake_tell(fd, FAKE_SEND, 3);
	pid = fork();
	if (pid == 0) {
		char buf[4];
		int bad;

		fake_tell(fd, FAKE_END, 0);
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		bad = read(fd, buf, sizeof(buf)) != 3;
		bad |= read(fd, buf, sizeof(buf)) != 0;
		syscall(SYS_exit, bad);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_some_calls),
		cmocka_unit_test(test_calls_that_spare_one),
		cmocka_unit_test(test_option_of_the_mark),
		cmocka_unit_test(test_option_of_accept),
		cmocka_unit_test(test_all_of_bpf),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_strict),
	};

	(void)argc;
	QEMU_USER_CANNOT("SO_COOKIE");
	fake_start(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
