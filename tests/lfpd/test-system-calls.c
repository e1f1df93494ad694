/* SPDX-License-Identifier: Apache-2.0 */
/* test-system-calls.c - the filter of system calls that lfpd gives itself */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lfpd/policy/isolation.h"

static int refused(long rc)
{
	return rc == -1 && errno == EPERM;
}

/* Without the filter each of these calls succeeds for any user. */
static bool harmless_forms_work(void)
{
	return !syscall(SYS_unshare, 0) && !syscall(SYS_setuid, getuid()) &&
	       syscall(SYS_setfsuid, getuid()) == (long)getuid();
}

static bool all_are_refused(void)
{
	return refused(syscall(SYS_unshare, 0)) && refused(syscall(SYS_setuid, getuid())) &&
	       refused(syscall(SYS_setfsuid, getuid())) &&
	       refused(syscall(SYS_mount, NULL, NULL, NULL, 0, NULL)) &&
	       refused(syscall(SYS_io_uring_setup, 0, NULL)) && refused(syscall(SYS_vhangup)) &&
	       refused(syscall(SYS_bpf, 0, NULL, 0));
}

static bool the_others_work(void)
{
	int fds[2];

	return !socketpair(AF_UNIX, SOCK_STREAM, 0, fds) && write(fds[0], "x", 1) == 1 &&
	       getpid() > 0 && !access("/", F_OK) && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

static int filters(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[128];
	int nr = -1;

	while (file && fgets(line, sizeof(line), file))
		(void)!sscanf(line, "Seccomp_filters: %d", &nr);
	if (file)
		fclose(file);
	return nr;
}

static int in_child(void)
{
	if (!harmless_forms_work())
		return 1;
	if (system_calls_refuse(false))
		return 2;
	if (prctl(PR_GET_SECCOMP) != SECCOMP_MODE_FILTER)
		return 3;
	if (!all_are_refused())
		return 4;
	if (!the_others_work())
		return 5;
#if defined(__x86_64__)
	/* the numbers of another table, by which a filter would be passed */
	if (!refused(syscall(0x40000000 | SYS_getpid)))
		return 6;
#endif
	/* there is no second filter, and executed programs keep the first */
	if (system_calls_refuse(false))
		return 7;
	/* unless it is wanted: where the one that is there may allow more */
	if (filters() != 1 || system_calls_refuse(true) || filters() != 2)
		return 8;
	execl("/bin/sh", "sh", "-c",
	      "test \"$(awk '/^Seccomp:/ { print $2 }' /proc/self/status)\" = 2", (char *)NULL);
	return 9;
}

static void what_is_never_called_is_refused(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (prctl(PR_GET_SECCOMP))
		skip(); /* the test's own environment has a filter, so lfpd adds none */
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(in_child());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_never_called_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
