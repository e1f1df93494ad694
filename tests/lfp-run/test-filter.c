/* SPDX-License-Identifier: Apache-2.0 */
/* test-filter.c - the seccomp filter's answer to each kind of call */
#include <errno.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lfp-run/filter.h"

#define COOKIE UINT64_C(0x0123456789abcdef)

static struct sock_filter program[FILTER_MAX];
static unsigned short len;

static uint32_t load(const struct seccomp_data *data, uint32_t offset)
{
	uint32_t word;

	assert_true(offset % 4 == 0 && offset + 4 <= sizeof(*data));
	memcpy(&word, (const char *)data + offset, sizeof(word));
	return word;
}

/* Interprets the instructions of the filter as the kernel does (net/core/filter.c). */
static uint32_t run(const struct seccomp_data *data)
{
	uint32_t a = 0;

	for (unsigned int pc = 0; pc < len; pc++) {
		const struct sock_filter *op = &program[pc];

		switch (op->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			a = load(data, op->k);
			break;
		case BPF_ALU | BPF_AND | BPF_K:
			a &= op->k;
			break;
		case BPF_JMP | BPF_JEQ | BPF_K:
			pc += a == op->k ? op->jt : op->jf;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			pc += a >= op->k ? op->jt : op->jf;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			pc += a > op->k ? op->jt : op->jf;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			pc += a & op->k ? op->jt : op->jf;
			break;
		case BPF_RET | BPF_K:
			return op->k;
		default:
			fail_msg("instruction %u has code %x", pc, op->code);
		}
	}
	fail_msg("the program has no end");
	return 0;
}

static uint32_t call(uint32_t arch, uint32_t nr, const uint64_t args[6])
{
	struct seccomp_data data = {.nr = (int)nr, .arch = arch};

	memcpy(data.args, args, sizeof(data.args));
	return run(&data);
}

#define CALL(nr, ...)          call(FILTER_ARCH, nr, (const uint64_t[6]){__VA_ARGS__})
#define assert_stopped(action) assert_int_equal(action, SECCOMP_RET_USER_NOTIF)
#define assert_allowed(action) assert_int_equal(action, SECCOMP_RET_ALLOW)

static int build(void **state)
{
	(void)state;
	len = filter_build(program, COOKIE, false, false);
	return len > 0 && len <= FILTER_MAX ? 0 : -1;
}

static void test_control_calls(void **state)
{
	static const uint32_t numbers[] = {
		SYS_connect,     SYS_bind,       SYS_listen,     SYS_accept4,  SYS_getsockname,
		SYS_getpeername, SYS_getsockopt, SYS_setsockopt, SYS_shutdown, SYS_sendmsg,
		SYS_sendmmsg,    SYS_recvmsg,    SYS_recvmmsg,
#ifdef SYS_accept
		SYS_accept,
#endif
	};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		assert_stopped(CALL(numbers[i], 3, 1, 2, 3, 4, 0));
		assert_stopped(CALL(numbers[i], 3, 1, 2, 3, 4, COOKIE & UINT32_MAX));
		assert_stopped(CALL(numbers[i], 3, 1, 2, 3, 4, COOKIE ^ UINT64_C(1) << 32));
		assert_allowed(CALL(numbers[i], 3, 1, 2, 3, 4, COOKIE));
	}
}

static void test_never(void **state)
{
	static const uint32_t numbers[] = {SYS_read,  SYS_write,    SYS_close,     SYS_dup,
					   SYS_dup3,  SYS_fcntl,    SYS_readv,     SYS_writev,
					   SYS_ppoll, SYS_sendfile, SYS_epoll_ctl, SYS_socketpair,
					   SYS_execve};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_allowed(CALL(numbers[i], AF_INET, AF_INET, 2, 3, 4, 5));
}

static void test_socket(void **state)
{
	(void)state;
	assert_stopped(CALL(SYS_socket, AF_INET, SOCK_STREAM));
	assert_stopped(CALL(SYS_socket, AF_INET6, SOCK_DGRAM));
	/* The kernel reads an int. */
	assert_stopped(CALL(SYS_socket, UINT64_C(0xffffffff00000000) | AF_INET, SOCK_STREAM));
	assert_allowed(CALL(SYS_socket, AF_UNIX, SOCK_STREAM));
	assert_allowed(CALL(SYS_socket, AF_NETLINK, SOCK_RAW));
	assert_allowed(CALL(SYS_socket, AF_INET, 15, 0, 0, 0, COOKIE));
}

static void test_data_calls(void **state)
{
	const uint64_t high = UINT64_C(1) << 40; /* an address, of which the lower half is 0 */

	(void)state;
	assert_allowed(CALL(SYS_sendto, 3, 1, 2, 0, 0, 0));
	assert_stopped(CALL(SYS_sendto, 3, 1, 2, 0, 0x1000, 16));
	assert_stopped(CALL(SYS_sendto, 3, 1, 2, 0, high, 16));
	assert_stopped(CALL(SYS_sendto, 3, 1, 2, MSG_OOB | MSG_NOSIGNAL, 0, 0));
	assert_stopped(CALL(SYS_sendto, 3, 1, 2, MSG_FASTOPEN, 0, 0));
	assert_stopped(CALL(SYS_sendto, 3, 1, 2, MSG_MORE, 0, 0));
	assert_allowed(CALL(SYS_sendto, 3, 1, 65507, MSG_DONTWAIT, 0, 0));
	assert_stopped(CALL(SYS_sendto, 3, 1, 65508, MSG_DONTWAIT, 0, 0));
	assert_stopped(CALL(SYS_sendto, 3, 1, high, MSG_DONTWAIT, 0, 0));
	assert_stopped(CALL(SYS_recvfrom, 3, 1, 2, MSG_OOB, 0, 0));
	/* The sixth argument is the length of the address: no place for a cookie. */
	assert_stopped(CALL(SYS_sendto, 3, 1, 2, 0, 0x1000, COOKIE));
	assert_allowed(CALL(SYS_recvfrom, 3, 1, 2, MSG_PEEK | MSG_DONTWAIT, 0, 0));
	assert_stopped(CALL(SYS_recvfrom, 3, 1, 2, 0, high, 0));
	assert_stopped(CALL(SYS_recvfrom, 3, 1, 2, MSG_TRUNC, 0, 0));
	assert_stopped(CALL(SYS_recvfrom, 3, 1, 2, MSG_ERRQUEUE | MSG_DONTWAIT, 0, 0));
}

static void test_ioctl(void **state)
{
	(void)state;
	assert_stopped(CALL(SYS_ioctl, 3, SIOCOUTQ));
	assert_stopped(CALL(SYS_ioctl, 3, SIOCATMARK));
	assert_stopped(CALL(SYS_ioctl, 3, SIOCGIFCONF));
	assert_allowed(CALL(SYS_ioctl, 3, SIOCGIFCONF, 0, 0, 0, COOKIE));
	assert_stopped(CALL(SYS_ioctl, 3, FIONREAD));
	assert_allowed(CALL(SYS_ioctl, 3, FIONREAD, 0, 0, 0, COOKIE));
	assert_allowed(CALL(SYS_ioctl, 3, FIONBIO));
	assert_allowed(CALL(SYS_ioctl, 3, TCGETS));
}

static void test_io_uring(void **state)
{
	(void)state;
	assert_int_equal(CALL(SYS_io_uring_setup, 1), SECCOMP_RET_ERRNO | ENOSYS);
	assert_int_equal(CALL(SYS_io_uring_enter, 1), SECCOMP_RET_ERRNO | ENOSYS);
	assert_int_equal(CALL(SYS_io_uring_register, 1, 0, 0, 0, 0, COOKIE),
			 SECCOMP_RET_ERRNO | ENOSYS);
}

static void test_exec(void **state)
{
	(void)state;
	len = filter_build(program, COOKIE, true, false);
	assert_true(len <= FILTER_MAX);
	assert_stopped(CALL(SYS_execve, 1, 2, 3));
	assert_stopped(CALL(SYS_execveat, 1, 2, 3));
	assert_allowed(CALL(SYS_read, 3, 1, 2));
	build(NULL);
}

/* No socket that could name a path in each message, and no call of another machine. */
static void test_no_unix(void **state)
{
	(void)state;
	len = filter_build(program, COOKIE, true, true);
	assert_true(len <= FILTER_MAX);
	for (int nr = 0; nr < 2; nr++) {
		uint32_t call_nr = nr ? SYS_socketpair : SYS_socket;

		assert_allowed(CALL(call_nr, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC));
		assert_allowed(CALL(call_nr, AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK));
		assert_allowed(CALL(call_nr, AF_NETLINK, SOCK_RAW));
		assert_int_equal(CALL(call_nr, AF_UNIX, SOCK_DGRAM), SECCOMP_RET_ERRNO | EACCES);
		assert_int_equal(CALL(call_nr, AF_UNIX, SOCK_RAW), SECCOMP_RET_ERRNO | EACCES);
		assert_int_equal(CALL(call_nr, UINT64_C(0xffffffff00000000) | AF_UNIX,
				      UINT64_C(0xffffffff00000000) | SOCK_DGRAM | SOCK_CLOEXEC),
				 SECCOMP_RET_ERRNO | EACCES);
	}
	assert_stopped(CALL(SYS_socket, AF_INET, SOCK_STREAM));
	assert_stopped(CALL(SYS_connect, 3, 1, 2));
	assert_stopped(CALL(SYS_bind, 3, 1, 2));
	for (uint32_t nr = 0; nr < 500; nr++)
		assert_int_equal(call(FILTER_ARCH_COMPAT, nr, (const uint64_t[6]){1, 1}),
				 SECCOMP_RET_ERRNO | ENOSYS);
#ifdef FILTER_X32
	for (uint32_t nr = 0; nr < 600; nr++)
		assert_int_equal(CALL(FILTER_X32 | nr, 1, 1), SECCOMP_RET_ERRNO | ENOSYS);
#endif
	build(NULL);
}

#define COMPAT(nr, ...) call(FILTER_ARCH_COMPAT, nr, (const uint64_t[6]){__VA_ARGS__})

static void test_other_machines(void **state)
{
	(void)state;
	assert_int_equal(COMPAT(SYS_io_uring_setup, 1), SECCOMP_RET_ERRNO | ENOSYS);
	/* Native numbers mean something else there. */
	assert_allowed(COMPAT(3, AF_INET));
#if defined(__aarch64__)
	assert_stopped(COMPAT(281, AF_INET, SOCK_STREAM));
	assert_allowed(COMPAT(281, AF_UNIX, SOCK_STREAM));
#else
	assert_stopped(COMPAT(359, AF_INET, SOCK_STREAM));
	assert_allowed(COMPAT(359, AF_UNIX, SOCK_STREAM));
	assert_stopped(COMPAT(102, 1, 0x1000)); /* socketcall(SYS_SOCKET) */
	assert_stopped(COMPAT(102, 3, 0x1000));
	assert_stopped(COMPAT(102, 9, 0x1000));
	assert_allowed(COMPAT(102, 8, 0x1000)); /* socketcall(SYS_SOCKETPAIR) */
#endif
#ifdef FILTER_X32
	assert_stopped(CALL(FILTER_X32 | SYS_socket, AF_INET6, SOCK_STREAM));
	assert_allowed(CALL(FILTER_X32 | SYS_socket, AF_UNIX, SOCK_STREAM));
	assert_stopped(CALL(FILTER_X32 | SYS_socket, AF_INET, SOCK_STREAM));
	assert_allowed(CALL(FILTER_X32 | SYS_read, 3));
	assert_int_equal(CALL(FILTER_X32 | SYS_io_uring_setup, 3), SECCOMP_RET_ERRNO | ENOSYS);
#endif
#ifdef SYS_socketcall
	assert_stopped(CALL(SYS_socketcall, 1, 0x1000));
	assert_stopped(CALL(SYS_socketcall, 12, 0x1000));
	assert_allowed(CALL(SYS_socketcall, 9, 0x1000));
#endif
	/* An unknown machine makes no sockets. */
	assert_int_equal(call(0x12345678, SYS_socket, (const uint64_t[6]){AF_UNIX}),
			 SECCOMP_RET_ERRNO | ENOSYS);
}

static void check_numbers(uint32_t arch, const uint32_t *numbers, size_t count, bool stopped)
{
	const uint64_t args[6] = {3, 1, 2, 0, 0, 0};

	for (size_t i = 0; i < count; i++)
		assert_int_equal(call(arch, numbers[i], args),
				 stopped ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ALLOW);
}

#define CHECK_NUMBERS(arch, stopped, ...)                                                          \
	check_numbers(arch, (const uint32_t[]){__VA_ARGS__},                                       \
		      sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), stopped)

/* Every call on a socket that 32-bit and x32 programs have, and their neighbours. */
static void test_calls_of_other_machines(void **state)
{
	(void)state;
#if defined(__x86_64__)
	CHECK_NUMBERS(FILTER_ARCH_COMPAT, true, 337, 345, 361, 362, 363, 364, 365, 366, 367, 368,
		      369, 370, 371, 372, 373, 417);
	CHECK_NUMBERS(FILTER_ARCH_COMPAT, false, 3, 4, 6, 336, 338, 344, 346, 358, 360, 374, 416,
		      418);
	CHECK_NUMBERS(FILTER_ARCH, true, FILTER_X32 | 42, FILTER_X32 | 43, FILTER_X32 | 44,
		      FILTER_X32 | 48, FILTER_X32 | 49, FILTER_X32 | 50, FILTER_X32 | 51,
		      FILTER_X32 | 52, FILTER_X32 | 288, FILTER_X32 | 517, FILTER_X32 | 518,
		      FILTER_X32 | 519, FILTER_X32 | 537, FILTER_X32 | 538, FILTER_X32 | 541,
		      FILTER_X32 | 542);
	CHECK_NUMBERS(FILTER_ARCH, false, FILTER_X32 | 0, FILTER_X32 | 53, FILTER_X32 | 287,
		      FILTER_X32 | 289, FILTER_X32 | 516, FILTER_X32 | 520, FILTER_X32 | 540,
		      FILTER_X32 | 543);
	assert_stopped(CALL(FILTER_X32 | 514, 3, SIOCGIFCONF));
	assert_allowed(CALL(FILTER_X32 | 514, 3, TCGETS));
#elif defined(__s390x__)
	CHECK_NUMBERS(FILTER_ARCH_COMPAT, true, 357, 358, 361, 362, 363, 364, 365, 366, 367, 368,
		      369, 370, 371, 372, 373, 417);
	CHECK_NUMBERS(FILTER_ARCH_COMPAT, false, 3, 4, 6, 356, 360, 374, 416, 418);
#elif defined(__aarch64__)
	CHECK_NUMBERS(FILTER_ARCH_COMPAT, true, 282, 283, 284, 285, 286, 287, 289, 290, 291, 292,
		      293, 294, 295, 296, 297, 365, 366, 374, 417);
	CHECK_NUMBERS(FILTER_ARCH_COMPAT, false, 3, 4, 6, 280, 288, 298, 364, 367, 373, 375, 416,
		      418);
#endif
	assert_stopped(COMPAT(54, 3, SIOCGIFCONF));
	assert_allowed(COMPAT(54, 3, TCGETS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_control_calls),
		cmocka_unit_test(test_never),
		cmocka_unit_test(test_socket),
		cmocka_unit_test(test_data_calls),
		cmocka_unit_test(test_ioctl),
		cmocka_unit_test(test_io_uring),
		cmocka_unit_test(test_exec),
		cmocka_unit_test(test_no_unix),
		cmocka_unit_test(test_other_machines),
		cmocka_unit_test(test_calls_of_other_machines),
	};

	return cmocka_run_group_tests(tests, build, NULL);
}
