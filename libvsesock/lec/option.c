/* SPDX-License-Identifier: Apache-2.0 */
/* option.c - getsockopt, setsockopt, fcntl, ioctl */
#include "libvsesock/vse/values.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>

#include "libvsesock/lec/lec.h"

EXPORT int lec_getsockopt(int s, int level, int name, void *value, unsigned int *len);
EXPORT int lec_setsockopt(int s, int level, int name, const void *value, unsigned int len);
EXPORT int lec_fcntl(int s, int command, ...);
EXPORT int lec_ioctl(int s, unsigned int request, ...);

#define GETFL    3
#define SETFL    4
#define NONBLOCK 4

#define VALUE_MAX 32

int lec_getsockopt(int s, int level, int name, void *value, unsigned int *len)
{
	union {
		int number;
		char bytes[VALUE_MAX];
	} own;
	socklen_t own_len = sizeof(own);
	struct vse_option option;
	int fd = lec_fd(s), rc;

	if (fd < 0)
		return -1;
	rc = vse_option(&option, level, name);
	if (!rc)
		rc = lec_check_addr(value, len);
	if (rc < 0)
		return lec_fail(-rc);
	if (own_len > option.size)
		own_len = option.size;
	if (getsockopt(fd, option.level, option.name, &own, &own_len))
		return lec_fail(errno);
	if (option.value == VSE_VALUE_ERROR && own.number)
		own.number = vse_errno(VSE_ZVSE, own.number);
	if (option.value == VSE_VALUE_BUFFER)
		own.number /= 2;
	if (*len > own_len)
		*len = own_len;
	memcpy(value, &own, *len);
	return 0;
}

int lec_setsockopt(int s, int level, int name, const void *value, unsigned int len)
{
	struct vse_option option;
	int fd = lec_fd(s), rc;

	if (fd < 0)
		return -1;
	rc = vse_option(&option, level, name);
	if (!rc && len < option.size)
		rc = -EINVAL;
	if (!rc && memory_check_read(value, option.size))
		rc = -EFAULT;
	if (rc < 0)
		return lec_fail(-rc);
	return setsockopt(fd, option.level, option.name, value, option.size) ? lec_fail(errno) : 0;
}

static int set_nonblocking(int fd, int on)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return lec_fail(errno);
	flags = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags) < 0 ? lec_fail(errno) : 0;
}

int lec_fcntl(int s, int command, ...)
{
	int fd = lec_fd(s), flags, arg;
	va_list ap;

	if (fd < 0)
		return -1;
	switch (command) {
	case GETFL:
		flags = fcntl(fd, F_GETFL);
		if (flags < 0)
			return lec_fail(errno);
		return flags & O_NONBLOCK ? NONBLOCK : 0;
	case SETFL:
		va_start(ap, command);
		arg = va_arg(ap, int);
		va_end(ap);
		if (arg & ~NONBLOCK)
			return lec_fail(EINVAL);
		return set_nonblocking(fd, arg);
	default:
		return lec_fail(EINVAL);
	}
}

int lec_ioctl(int s, unsigned int request, ...)
{
	int fd = lec_fd(s), result = 0, *arg;
	unsigned long native;
	va_list ap;

	va_start(ap, request);
	arg = va_arg(ap, int *);
	va_end(ap);
	if (fd < 0)
		return -1;
	switch (request) {
	case VSE_FIONBIO:
		if (memory_check_read(arg, sizeof(*arg)))
			return lec_fail(EFAULT);
		return set_nonblocking(fd, *arg);
	case VSE_FIONREAD:
		native = FIONREAD;
		break;
	case VSE_SIOCATMARK:
		native = SIOCATMARK;
		break;
	default:
		return lec_fail(EINVAL);
	}
	if (memory_check_result(arg, sizeof(*arg)))
		return lec_fail(EFAULT);
	if (ioctl(fd, native, &result))
		return lec_fail(errno);
	*arg = result;
	return 0;
}
