/* SPDX-License-Identifier: Apache-2.0 */
/* full.c - a control call when the program has no descriptor free */
#include "libvsesock/core/full.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>

#include "libvsesock/core/raw.h"

/*
 * Theory of operation
 *
 * At the descriptor limit natively only calls that make a descriptor fail; getpeername() or
 * setsockopt() on the connection that has just been accepted do not. A control call needs a
 * descriptor for a moment. So it is done by a child that shares the memory but has a copy of the
 * descriptor table, in which it closes one that is not needed: the program's own table is
 * untouched. The calling thread sleeps meanwhile, as with vfork(), and signals wait. The child
 * sends no SIGCHLD and is not seen by wait() calls that don't ask for clone children.
 */
#define STACK_SIZE 16384u

struct job {
	struct ctl_call *call;
	int (*fn)(struct ctl_call *call);
	int rc;
};

static int run(void *arg)
{
	struct job *job = arg;

	raw_close(job->call->fd == 0 ? 1 : 0);
	job->rc = job->fn(job->call);
	raw_call(SYS_exit, 0, 0, 0, 0, 0, 0);
	return 0;
}

static long mask_signals(int how, const uint64_t *set, uint64_t *old)
{
	return raw_call(SYS_rt_sigprocmask, how, (long)set, (long)old, sizeof(*set), 0, 0);
}

int full_call(struct ctl_call *call, int (*fn)(struct ctl_call *call))
{
	_Alignas(16) char stack[STACK_SIZE];
	struct job job = {.call = call, .fn = fn, .rc = -EMFILE};
	uint64_t all = UINT64_MAX, old;
	int saved = errno;
	int pid;

	mask_signals(SIG_SETMASK, &all, &old);
	pid = clone(run, stack + sizeof(stack), CLONE_VM | CLONE_VFORK, &job);
	if (pid > 0)
		while (raw_call(SYS_wait4, pid, 0, (long)__WCLONE, 0, 0, 0) == -EINTR)
			;
	mask_signals(SIG_SETMASK, &old, NULL);
	errno = saved;
	return job.rc;
}
