/* SPDX-License-Identifier: Apache-2.0 */
/* full.c - makes a control call when the program has no free descriptor */
#include "libvsesock/core/ctl-conn.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>

#include "libvsesock/core/park.h"
#include "libvsesock/core/raw.h"

/*
 * Theory of operation
 *
 * At the descriptor limit natively only calls that make a descriptor fail; getpeername() or
 * setsockopt() on a connection that was just accepted do not. But a control call needs one or two
 * descriptors for a moment. So a thread with a copy of the descriptor table makes the call: it
 * closes descriptors that it does not need in the copy, and the program's own table is untouched.
 * The calling thread sleeps meanwhile, as with vfork(), and signals wait.
 *
 * A child process would not do: the instance would see another process, a wait() of the program
 * could find the child, and after unshare(CLONE_NEWPID) it would be the first process of the new
 * namespace.
 */
#define STACK_SIZE 16384u
#define NEEDED     2 /* descriptors */
#define FLAGS      (CLONE_VM | CLONE_VFORK | CLONE_SIGHAND | CLONE_THREAD | CLONE_FS | CLONE_SYSVSEM)

struct job {
	struct ctl_call *call;
	int (*fn)(struct ctl_call *call);
	int rc;
};

static int run(void *arg)
{
	struct job *job = arg;
	int keep = job->call->fd, parked = park_fd();

	for (int fd = 0, nr = 0; nr < NEEDED; fd++) {
		if (fd == keep || fd == parked)
			continue;
		raw_close(fd);
		nr++;
	}
	job->call->copied = true;
	job->rc = job->fn(job->call);
	job->call->copied = false;
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

	mask_signals(SIG_SETMASK, &all, &old);
	clone(run, stack + sizeof(stack), FLAGS, &job);
	mask_signals(SIG_SETMASK, &old, NULL);
	errno = saved;
	return job.rc;
}
