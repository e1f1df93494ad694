/* SPDX-License-Identifier: Apache-2.0 */
/* option.c - getsockopt, setsockopt, fcntl, ioctl */
#include "libvsesock/vse/values.h"

#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>

#include "libvsesock/lec/lec.h"
#include "libvsesock/vse/sockopt.h"

EXPORT int lec_getsockopt(int s, int level, int name, void *value, unsigned int *len);
EXPORT int lec_setsockopt(int s, int level, int name, const void *value, unsigned int len);
EXPORT int lec_fcntl(int s, int command, ...);
EXPORT int lec_ioctl(int s, unsigned int request, ...);

#define GETFL    3
#define SETFL    4
#define NONBLOCK 4

#define VALUE_MAX 32

union value {
	int number;
	char bytes[VALUE_MAX];
};

/* Finds the near end and the option; its near end, or -1 with errno. */
static int find(struct vse_api **api, struct vse_option *option, int s, int level, int name)
{
	int fd = lec_enter(api) ? -1 : lec_end(vse_fd(*api, s)), rc;

	if (fd < 0)
		return -1;
	rc = vse_option(option, level, name);
	return rc < 0 ? lec_fail(-rc) : fd;
}

int lec_getsockopt(int s, int level, int name, void *value, unsigned int *len)
{
	union value own = {.number = 0};
	struct vse_option option;
	struct vse_api *api;
	int fd = find(&api, &option, s, level, name), rc;

	if (fd < 0)
		return -1;
	rc = lec_check_addr(value, len);
	if (!rc)
		rc = vse_get_option(api, s, fd, &option, &own);
	if (rc < 0)
		return lec_fail(-rc);
	if (option.value == VSE_VALUE_ERROR && own.number)
		own.number = vse_errno(VSE_ZVSE, own.number);
	if (vse_option_is_byte(&option, *len))
		own.bytes[0] = (char)own.number;
	if (*len > option.size)
		*len = option.size;
	memcpy(value, &own, *len);
	return 0;
}

int lec_setsockopt(int s, int level, int name, const void *value, unsigned int len)
{
	union value own = {.number = 0};
	struct vse_option option;
	struct vse_api *api;
	int fd = find(&api, &option, s, level, name), rc = 0;
	bool byte;

	if (fd < 0)
		return -1;
	byte = vse_option_is_byte(&option, len);
	if (!byte && len < option.size)
		rc = -EINVAL;
	if (!rc && memory_check_read(value, byte ? 1 : option.size))
		rc = -EFAULT;
	if (rc < 0)
		return lec_fail(-rc);
	memcpy(&own, value, byte ? 1 : option.size);
	if (byte)
		own.number = (unsigned char)own.bytes[0];
	return lec_end(vse_set_option(api, s, fd, &option, &own));
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
