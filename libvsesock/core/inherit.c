/* SPDX-License-Identifier: Apache-2.0 */
/* inherit.c - options that a near end has by itself, from one near end to another */
#include "libvsesock/core/near.h"

#include <string.h>
#include <sys/time.h>

#include "libvsesock/core/low-water.h"
#include "libvsesock/core/raw.h"

static void copy_time(int from, int to, int name)
{
	struct timeval value = {0};
	socklen_t len = sizeof(value);

	if (raw_getsockopt(from, SOL_SOCKET, name, &value, &len) == 0 &&
	    (value.tv_sec || value.tv_usec))
		raw_setsockopt(to, SOL_SOCKET, name, &value, len);
}

/* @usual is the value of a new socket. Returns the number. */
static int copy_number(int from, int to, int name, int usual)
{
	int value = usual;
	socklen_t len = sizeof(value);

	if (raw_getsockopt(from, SOL_SOCKET, name, &value, &len) == 0 && value != usual)
		raw_setsockopt(to, SOL_SOCKET, name, &value, len);
	return value;
}

void inherit_options(int from, int to)
{
	copy_time(from, to, SO_RCVTIMEO);
	copy_time(from, to, SO_SNDTIMEO);
	low_water_note(copy_number(from, to, SO_RCVLOWAT, 1));
	copy_number(from, to, SO_OOBINLINE, 0);
	copy_number(from, to, SO_PEEK_OFF, -1);
}
