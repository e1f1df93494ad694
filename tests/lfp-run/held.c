/* SPDX-License-Identifier: Apache-2.0 */
/* held.c - a program that waits in a trap, for tests of traps */
#include "tests/lfp-run/held.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* The listener's number, or a negative errno. */
static int put_filter(void)
{
	struct sock_filter ops[] = {
		{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
		{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_getppid},
		{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF},
		{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
	};
	struct sock_fprog program = {.len = 4, .filter = ops};
	long fd;

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		     SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
		     &program);
	return fd < 0 ? -errno : (int)fd;
}

/* A copy of the child's descriptor, or a negative errno. */
static int take(pid_t pid, int fd)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int copy = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0), rc = copy < 0 ? -errno : copy;

	close(pidfd);
	return rc;
}

int held_setup(void **state)
{
	struct held *held = calloc(1, sizeof(*held));
	const char *missing = trap_missing();
	int fds[2], theirs = -ECHILD, listener, rc;

	*state = held;
	assert_non_null(held);
	held->trap.listener = -1;
	if (missing) {
		print_message("skipped: %s\n", missing);
		exit(77);
	}
	assert_int_equal(pipe(fds), 0);
	held->pid = fork();
	assert_true(held->pid >= 0);
	if (!held->pid) {
		theirs = put_filter();
		if (write(fds[1], &theirs, sizeof(theirs)) == sizeof(theirs))
			syscall(SYS_getppid);
		_exit(0);
	}
	assert_int_equal(read(fds[0], &theirs, sizeof(theirs)), sizeof(theirs));
	close(fds[0]);
	close(fds[1]);
	listener = theirs < 0 ? theirs : take(held->pid, theirs);
	if (listener < 0) {
		held_kill(held);
		print_message("skipped: no seccomp listener here (error %d)\n", -listener);
		exit(77);
	}
	do
		rc = trap_receive(listener, &held->trap);
	while (rc == -EAGAIN);
	assert_int_equal(rc, 0);
	assert_int_equal(held->trap.tid, held->pid);
	return 0;
}

void held_kill(struct held *held)
{
	if (!held->pid)
		return;
	kill(held->pid, SIGKILL);
	assert_int_equal(waitpid(held->pid, NULL, 0), held->pid);
	held->pid = 0;
}

int held_teardown(void **state)
{
	struct held *held = *state;

	held_kill(held);
	close(held->trap.listener);
	free(held);
	return 0;
}

struct trap held_as(const struct held *held, pid_t tid)
{
	struct trap trap = held->trap;

	trap.tid = tid;
	trap.pidfd = -1;
	trap.process = 0;
	return trap;
}
