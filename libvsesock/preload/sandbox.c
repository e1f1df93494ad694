/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.c - prctl, and seccomp by number: inspects a filter of the program's own first */
#include "libvsesock/core/credit.h"
#include "libvsesock/core/sandbox.h"

#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>

#include "libvsesock/preload/hooks.h"

/* Reads the program's filter from either call's arguments. Returns false if the call sets no
 * filter. */
static bool judge(bool strict, bool filter, const void *prog, unsigned int *calls)
{
	*calls = strict ? SANDBOX_ALL : 0;
	/* What the filter refuses may be needed to tell them from other sockets. */
	if (strict || filter)
		credit_settle();
	if (filter && prog)
		*calls = sandbox_judge(prog);
	return *calls != 0;
}

long hook_prctl(int option, const long arg[4])
{
	unsigned int calls = 0;
	bool first = true;
	long rc;

	if (option == PR_SET_SECCOMP &&
	    judge(arg[0] == SECCOMP_MODE_STRICT, arg[0] == SECCOMP_MODE_FILTER,
		  (const void *)arg[1], &calls))
		first = sandbox_is_first();
	rc = raw_call(SYS_prctl, option, arg[0], arg[1], arg[2], arg[3], 0);
	if (!rc && calls)
		sandbox_add(calls, first);
	return rc;
}

long hook_seccomp(unsigned int operation, unsigned long flags, void *prog)
{
	unsigned int calls = 0;
	bool all = flags & SECCOMP_FILTER_FLAG_TSYNC;
	long rc;

	if (judge(operation == SECCOMP_SET_MODE_STRICT, operation == SECCOMP_SET_MODE_FILTER, prog,
		  &calls) &&
	    !all)
		all = sandbox_is_first();
	rc = raw_call(SYS_seccomp, operation, (long)flags, (long)prog, 0, 0, 0);
	/* A positive result is a listener, or a thread that could not be synchronised. */
	if (calls && (rc == 0 || (flags & SECCOMP_FILTER_FLAG_NEW_LISTENER && rc > 0)))
		sandbox_add(calls, all);
	return rc;
}

EXPORT int prctl(int option, ...)
{
	long arg[4];
	va_list ap;

	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	return (int)give(hook_prctl(option, arg));
}
