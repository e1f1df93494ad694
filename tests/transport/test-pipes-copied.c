/* SPDX-License-Identifier: Apache-2.0 */
/* test-pipes-copied.c - bytes of a pipe that go by copy, where splice() is not for them */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/qemu-user.h"
#include "tests/transport/piped-bytes.h"

/* A socket that another process has made blocking does not hold up the copying way. */
static void copy_never_waits(void **state)
{
	struct held_pipe *pipe = pipe_get();
	int from[2], to[2];
	uint8_t bytes[4096] = {0};

	(void)state;
	pair_make(from);
	pair_make(to);
	while (write(to[0], bytes, sizeof(bytes)) > 0)
		;
	assert_int_equal(fcntl(to[0], F_SETFL, O_RDWR), 0);
	pattern_feed(from[0], 0, 100);
	assert_int_equal(pipe_fill(pipe, from[1], 100), 100);
	assert_int_equal(pipe_send(pipe, to[0], false), -EAGAIN);
	assert_int_equal(pipe->held, 100);
	pipe_put(pipe);
	pair_close(from);
	pair_close(to);
}

/* Makes splice() fail with @error from now on. Returns 0 or -1. */
static int refuse_splice(unsigned int error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_splice, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static unsigned int refusal;

/* 0: nothing is lost, and there are no pipes any more. 1: there are. */
static int refused(void)
{
	struct held_pipe *pipe = pipe_get();
	int from[2], to[2];

	pair_make(from);
	pair_make(to);
	pattern_feed(from[0], 0, 20000);
	assert_int_equal(pipe_fill(pipe, from[1], 10000), 10000);
	if (refuse_splice(refusal))
		return BROKEN;
	assert_int_equal(pipe_drain(pipe, to[0], false), 10000);
	pattern_expect(to[1], 0, 10000);
	assert_int_equal(pipe_fill(pipe, from[1], 10000), -ENOTSUP);
	assert_int_equal(pipe->held, 0);
	pattern_expect(from[1], 10000, 10000);
	pipe_put(pipe);
	return pipe_get() ? 1 : 0;
}

/* 0: a socket that takes a part of a part gets all bytes in order. */
static int refused_in_parts(void)
{
	struct held_pipe *pipe = pipe_get();
	int from[2], to[2], cuts = 0;
	uint64_t done = 0;
	uint32_t held;

	pair_make(from);
	pair_make(to);
	assert_int_equal(setsockopt(to[0], SOL_SOCKET, SO_SNDBUF, &(int){4096}, sizeof(int)), 0);
	pipe_fill_up(pipe, from);
	held = pipe->held;
	if (refuse_splice(refusal))
		return BROKEN;
	while (pipe->held) {
		ssize_t n = pipe_drain_some(pipe, to[0], 30000, false);

		assert_in_range(n, 1, 30000);
		cuts += n < 30000 && pipe->held;
		pattern_expect(to[1], done, (size_t)n);
		done += (uint64_t)n;
		assert_int_equal(pipe->held, held - done);
	}
	return done == held && cuts ? 0 : 1;
}

static void splice_is_refused(void **state)
{
	static const unsigned int for_ever[] = {EPERM, ENOSYS, EINVAL, EACCES};
	static const unsigned int now[] = {ENOMEM, ENOBUFS};

	QEMU_USER_LACKS("seccomp");
	(void)state;
	for (size_t i = 0; i < sizeof(for_ever) / sizeof(for_ever[0]); i++) {
		refusal = for_ever[i];
		assert_int_equal(in_child(refused), 0);
	}
	for (size_t i = 0; i < sizeof(now) / sizeof(now[0]); i++) {
		refusal = now[i];
		assert_int_equal(in_child(refused), 1);
		assert_int_equal(in_child(refused_in_parts), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copy_never_waits),
		cmocka_unit_test(splice_is_refused),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
