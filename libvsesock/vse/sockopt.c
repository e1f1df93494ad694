/* SPDX-License-Identifier: Apache-2.0 */
/* sockopt.c - gets and sets options of the z/VSE interfaces' sockets */
#include "libvsesock/vse/sockopt.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* Returns the remembered size of the option's buffer. */
static struct vse_size *size_in(struct vse_past *past, const struct vse_option *option)
{
	return option->name == SO_SNDBUF ? &past->sndbuf : &past->rcvbuf;
}

int vse_get_option(struct vse_api *api, int s, int fd, const struct vse_option *option, void *value)
{
	struct vse_past past = vse_past(api, s);
	const struct vse_size *size = size_in(&past, option);
	socklen_t len = option->size;
	int number;

	if (getsockopt(fd, option->level, option->name, value, &len))
		return -errno;
	if (option->value != VSE_VALUE_BUFFER)
		return 0;
	memcpy(&number, value, sizeof(number));
	number = size->set ? size->value : number / 2;
	memcpy(value, &number, sizeof(number));
	return 0;
}

int vse_set_option(struct vse_api *api, int s, int fd, const struct vse_option *option,
		   const void *value)
{
	struct vse_past past;
	int number = 0;

	if (option->value == VSE_VALUE_BUFFER)
		memcpy(&number, value, sizeof(number));
	if (number < 0)
		return -EINVAL;
	if (setsockopt(fd, option->level, option->name, value, option->size))
		return -errno;
	if (option->value != VSE_VALUE_BUFFER)
		return 0;
	past = vse_past(api, s);
	*size_in(&past, option) = (struct vse_size){true, number};
	vse_note_past(api, s, &past);
	return 0;
}
