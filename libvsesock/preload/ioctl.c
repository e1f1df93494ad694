/* SPDX-License-Identifier: Apache-2.0 */
/* ioctl.c - the one ioctl that the kernel would answer wrongly */
#include <linux/sockios.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>

#include "libvsesock/preload/hooks.h"

long hook_ioctl(int fd, unsigned long request, long arg)
{
	char nn[3];
	int rc;

	/* On a UNIX socket SIOCOUTQ counts memory; what is wanted is what TCP has not delivered. */
	if ((request != SIOCOUTQ && request != SIOCOUTQNSD) || !near_end(fd, nn))
		return raw_ioctl(fd, request, arg);
	rc = near_call(fd, nn, LFP_CTL_OUTQ, 0);
	if (rc < 0)
		return rc;
	if (!arg)
		return -EFAULT;
	memcpy((void *)arg, &rc, sizeof(rc));
	return 0;
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
