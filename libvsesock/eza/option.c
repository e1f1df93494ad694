/* SPDX-License-Identifier: Apache-2.0 */
/* option.c - GETSOCKOPT, SETSOCKOPT, FCNTL, IOCTL */
#include "libvsesock/vse/values.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>

#include "libvsesock/eza/functions.h"
#include "libvsesock/strict/strict.h"
#include "libvsesock/vse/sockopt.h"

#define GETFL    3
#define SETFL    4
#define NONBLOCK 4

#define VALUE_MAX 32

union value {
	int numbers[VALUE_MAX / sizeof(int)];
	struct timeval time;
	char bytes[VALUE_MAX];
};

/* Returns the bytes of a value in a program that has @len; 0: too few. A time is two fullwords
 * there.
 */
static size_t size_of(const struct vse_option *option, long len)
{
	size_t size = option->value == VSE_VALUE_TIME ? 8 : option->size;

	if (len < 1)
		return 0;
	if (vse_option_is_byte(option, (size_t)len))
		return 1;
	return (size_t)len < size ? 0 : size;
}

/* Returns the number of fullwords of a value that are numbers, and the first one. */
static int count_numbers(const struct vse_option *option, size_t size, int *first)
{
	*first = option->value == VSE_VALUE_MREQ6 ? 4 : 0;
	if (option->value == VSE_VALUE_BYTES)
		return 0;
	return option->value == VSE_VALUE_MREQ6 ? 1 : (int)size / 4;
}

/* Makes Linux's value the program's. */
static void to_program(const struct vse_option *option, union value *own)
{
	struct timeval time = own->time;

	if (option->value == VSE_VALUE_ERROR && own->numbers[0])
		own->numbers[0] = vse_errno(vse_space(), own->numbers[0]);
	if (option->value != VSE_VALUE_TIME)
		return;
	own->numbers[0] = (int)time.tv_sec;
	own->numbers[1] = (int)time.tv_usec;
}

/* Finds the option of OPTNAME. IBM lists those of z/VSE's EZASMI. 0 or a negative error. */
static int find(const struct eza_call *call, struct vse_option *option, bool sets)
{
	uint32_t optname = (uint32_t)call->values[1];
	int rc = vse_option_of_eza(option, optname);

	if (!rc && call->interface && strict_on())
		rc = strict_option(vse_option_text(optname), sets);
	return rc;
}

/* S, OPTNAME, OPTVAL, OPTLEN */
int eza_getsockopt(struct eza_call *call)
{
	const struct eza_arg *arg = &call->args[2];
	union value own = {.numbers = {0}};
	struct vse_option option;
	size_t size = 0;
	int first, rc;

	rc = find(call, &option, false);
	if (!rc)
		size = size_of(&option, call->values[3]);
	if (!rc && !size)
		rc = eza_fail(call, -EINVAL, 10115);
	if (!rc)
		rc = eza_check_result(arg, size);
	if (!rc)
		rc = vse_get_option(call->api, (int)call->values[0], call->fd, &option, &own);
	if (rc < 0)
		return rc;
	to_program(&option, &own);
	if (size == 1)
		own.bytes[0] = (char)own.numbers[0];
	for (int i = 0, nr = count_numbers(&option, size, &first); i < nr; i++)
		eza_set_word(arg->order, &own.numbers[first + i], (uint32_t)own.numbers[first + i]);
	memcpy(arg->data, &own, size);
	eza_set_number(&call->args[3], 4, (long)size);
	return 0;
}

int eza_setsockopt(struct eza_call *call)
{
	const struct eza_arg *arg = &call->args[2];
	union value own = {.numbers = {0}};
	struct vse_option option;
	size_t size = 0;
	int first, rc;

	rc = find(call, &option, true);
	if (!rc)
		size = size_of(&option, call->values[3]);
	if (!rc && !size)
		rc = eza_fail(call, -EINVAL, 10178);
	if (!rc)
		rc = eza_check(arg, size);
	if (rc < 0)
		return rc;
	memcpy(&own, arg->data, size);
	if (size == 1)
		own.numbers[0] = (unsigned char)own.bytes[0];
	for (int i = 0, nr = count_numbers(&option, size, &first); i < nr; i++)
		own.numbers[first + i] = (int)eza_word(arg->order, &own.numbers[first + i]);
	if (option.value == VSE_VALUE_TIME)
		own.time = (struct timeval){own.numbers[0], own.numbers[1]};
	return vse_set_option(call->api, (int)call->values[0], call->fd, &option, &own);
}

static int set_nonblocking(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	flags = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags) < 0 ? -errno : 0;
}

/* S, COMMAND, REQARG */
int eza_fcntl(struct eza_call *call)
{
	int flags;

	switch (call->values[1]) {
	case GETFL:
		flags = fcntl(call->fd, F_GETFL);
		if (flags < 0)
			return -errno;
		return flags & O_NONBLOCK ? NONBLOCK : 0;
	case SETFL:
		if (call->values[2] & ~NONBLOCK)
			return -EINVAL;
		return set_nonblocking(call->fd, call->values[2] != 0);
	default:
		return -EINVAL;
	}
}

/* S, COMMAND, REQARG, RETARG */
int eza_ioctl(struct eza_call *call)
{
	const struct eza_arg *request = &call->args[2], *answer = &call->args[3];
	uint32_t command = (uint32_t)call->values[1];
	int value = 0, rc;

	switch (command) {
	case VSE_FIONBIO:
		rc = eza_check(request, 4);
		return rc ? rc : set_nonblocking(call->fd, eza_number(request, 4) != 0);
	case VSE_FIONREAD:
	case VSE_SIOCATMARK:
		rc = eza_check_result(answer, 4);
		if (rc < 0)
			return rc;
		if (ioctl(call->fd, command == VSE_FIONREAD ? FIONREAD : SIOCATMARK, &value))
			return -errno;
		eza_set_number(answer, 4, value);
		return 0;
	default:
		return eza_interface(call);
	}
}
