/* SPDX-License-Identifier: Apache-2.0 */
/* deadly.c - system calls for which a seccomp filter around this process kills */
#include "lfp/deadly.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* SIGSYS leaves a core by default. A filter may also kill the one thread alone
 * (SECCOMP_RET_KILL_THREAD), which is the whole child. */
static void __attribute__((noreturn)) try(const long *calls, size_t nr)
{
	const struct rlimit none = {0, 0};

	(void)setrlimit(RLIMIT_CORE, &none);
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	(void)signal(SIGSYS, SIG_DFL);
	for (size_t i = 0; i < nr; i++)
		(void)syscall(calls[i], -1L, -1L, -1L, -1L, -1L, -1L);
	_exit(0);
}

/* Without a result of the child, the calls are not safe. */
static bool child_dies(const long *calls, size_t nr)
{
	int status = 0;
	pid_t child = fork();

	if (!child)
		try(calls, nr);
	if (child < 0)
		return true;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return true;
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

bool lfp_calls_kill(const long *calls, size_t nr)
{
	const struct sigaction by_default = {.sa_handler = SIG_DFL};
	struct sigaction before;
	bool kills;

	if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != SECCOMP_MODE_FILTER)
		return false;
	/* Where SIGCHLD is ignored, the kernel reaps the child. */
	if (sigaction(SIGCHLD, &by_default, &before) < 0)
		return true;
	kills = child_dies(calls, nr);
	(void)sigaction(SIGCHLD, &before, NULL);
	return kills;
}
