/* SPDX-License-Identifier: Apache-2.0 */
/* test-deadly.c - system calls for which a seccomp filter kills, and those that it refuses */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfp/deadly.h"
#include "tests/qemu-user.h"

/* In a child: the system call @nr has this result, all else is allowed, and SIGCHLD is as given.
 * Returns what lfp_calls_kill() says of bpf(). */
static bool kills_with(long nr, uint32_t result, void (*sigchld)(int))
{
	static const long calls[] = {SYS_close, SYS_bpf};
	struct sock_filter ops[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, result),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(ops) / sizeof(ops[0]), .filter = ops};
	int status;
	pid_t child = fork();

	if (!child) {
		bool said;

		if (signal(SIGCHLD, sigchld) == SIG_ERR)
			_exit(2);
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
			_exit(2);
		said = lfp_calls_kill(calls, 2);
		_exit(signal(SIGCHLD, SIG_DFL) == sigchld ? said : 3);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_in_range(WEXITSTATUS(status), 0, 1);
	return WEXITSTATUS(status);
}

static bool kills(uint32_t result)
{
	return kills_with(SYS_bpf, result, SIG_DFL);
}

static void what_kills(void **state)
{
	(void)state;
	assert_true(kills(SECCOMP_RET_KILL_PROCESS));
	assert_true(kills(SECCOMP_RET_KILL_THREAD));
	assert_true(kills(SECCOMP_RET_TRAP));
}

static void what_does_not(void **state)
{
	(void)state;
	assert_false(kills(SECCOMP_RET_ERRNO | EPERM));
	assert_false(kills(SECCOMP_RET_ALLOW));
}

static void sigchld_ignored(void **state)
{
	(void)state;
	assert_true(kills_with(SYS_bpf, SECCOMP_RET_KILL_PROCESS, SIG_IGN));
	assert_false(kills_with(SYS_bpf, SECCOMP_RET_ERRNO | EPERM, SIG_IGN));
}

/* fork() of the C library makes clone(). */
static void no_child(void **state)
{
	(void)state;
	assert_true(kills_with(SYS_clone, SECCOMP_RET_ERRNO | EAGAIN, SIG_DFL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_kills),
		cmocka_unit_test(what_does_not),
		cmocka_unit_test(sigchld_ignored),
		cmocka_unit_test(no_child),
	};

	QEMU_USER_CANNOT("filters of system calls");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
