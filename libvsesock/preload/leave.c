/* SPDX-License-Identifier: Apache-2.0 */
/* leave.c - chroot, unshare, setns: the path of the instance may be out of reach after them */
#include <sched.h>
#include <unistd.h>

#include "libvsesock/core/credit.h"
#include "libvsesock/core/park.h"
#include "libvsesock/preload/hooks.h"

/*
 * A program that inherited its sockets may not have made a control call yet, so that nothing is
 * parked (park.h). This is the last moment to park a connection.
 */

long hook_leave(long nr, long a, long b)
{
	park_keep();
	credit_settle();
	return raw_call(nr, a, b, 0, 0, 0, 0);
}

EXPORT int chroot(const char *path)
{
	return (int)give(hook_leave(SYS_chroot, (long)path, 0));
}

EXPORT int unshare(int flags)
{
	return (int)give(hook_leave(SYS_unshare, flags, 0));
}

EXPORT int setns(int fd, int type)
{
	return (int)give(hook_leave(SYS_setns, fd, type));
}
