/* SPDX-License-Identifier: Apache-2.0 */
/* ioctl.c - the ioctls that the kernel would answer wrongly */
#include <linux/sockios.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "libvsesock/preload/hooks.h"
#include "libvsesock/preload/interfaces.h"
#include "libvsesock/preload/listeners.h"

/* On a UNIX socket SIOCOUTQ counts memory (net/unix/af_unix.c, unix_outq_len()); programs expect
 * the bytes that TCP has not delivered. */
static int get_outq(int fd, const char *nn, unsigned long request, long arg)
{
	int rc = near_call(fd, nn, LFP_CTL_OUTQ, request == SIOCOUTQNSD);

	if (rc < 0)
		return rc;
	if (!arg)
		return -EFAULT;
	memcpy((void *)arg, &rc, sizeof(rc));
	return 0;
}

long hook_ioctl(int fd, unsigned long request, long arg)
{
	bool outq = request == SIOCOUTQ || request == SIOCOUTQNSD;
	enum near_kind kind = NEAR_NONE;
	char nn[3];
	int rc;

	/* A listener's near end holds connections, not data. */
	if (request == FIONREAD && listeners_maybe(fd) && listeners_is(fd))
		return -EINVAL;
	if (outq || request == SIOCATMARK || ifreq_is(request))
		kind = near_kind(fd, nn);
	if (request == SIOCATMARK && kind == NEAR_DATAGRAM)
		return -ENOTTY;
	/* For datagrams the kernel counts as for UDP. */
	if (kind == NEAR_NONE || request == SIOCATMARK || (outq && kind == NEAR_DATAGRAM))
		return raw_ioctl(fd, request, arg);
	rc = filter_verdict(raw_ioctl(-1, request, arg));
	if (rc < 0)
		return rc;
	return outq ? get_outq(fd, nn, request, arg) : ifreq_ioctl(fd, nn, request, (void *)arg);
}

/* libc's own function makes the system call without calling ioctl(). */
EXPORT int sockatmark(int fd)
{
	int at = 0;
	long rc = hook_ioctl(fd, SIOCATMARK, (long)&at);

	return rc < 0 ? (int)give(rc) : at;
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	long arg;

	va_start(ap, request);
	arg = va_arg(ap, long);
	va_end(ap);
	return (int)give(hook_ioctl(fd, request, arg));
}
