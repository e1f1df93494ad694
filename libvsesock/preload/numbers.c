/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.c - dup, dup2, dup3, fcntl: a number gets another descriptor */
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "libvsesock/preload/hooks.h"

/*
 * A stream's receive call on a datagram near end succeeds in the kernel, but loses the sender's
 * address. So the hint about a number (core/near.h) must not outlive a descriptor that the program
 * replaces.
 */
static int copied(int from, int to)
{
	if (to >= 0)
		near_copied(from, to);
	return to;
}

EXPORT int dup(int fd)
{
	return copied(fd, real()->dup(fd));
}

EXPORT int dup2(int fd, int to)
{
	return copied(fd, real()->dup2(fd, to));
}

EXPORT int dup3(int fd, int to, int flags)
{
	return copied(fd, real()->dup3(fd, to, flags));
}

static int finish(int fd, int cmd, int rc)
{
	return cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC ? copied(fd, rc) : rc;
}

/* The kernel ignores the arguments that the caller did not pass, as with libc. */
EXPORT int fcntl(int fd, int cmd, ...)
{
	va_list ap;
	long arg;

	va_start(ap, cmd);
	arg = va_arg(ap, long);
	va_end(ap);
	return finish(fd, cmd, real()->fcntl(fd, cmd, arg));
}

EXPORT int fcntl64(int fd, int cmd, ...)
{
	va_list ap;
	long arg;

	va_start(ap, cmd);
	arg = va_arg(ap, long);
	va_end(ap);
	return finish(fd, cmd, real()->fcntl64(fd, cmd, arg));
}
