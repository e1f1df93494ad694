/* SPDX-License-Identifier: Apache-2.0 */
/* hostname.c - gethostname, gethostid: the name and the address under which the instance appears */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "libvsesock/core/place.h"
#include "libvsesock/preload/hooks.h"

/*
 * The name comes from lfpd, whose host's resolver knows it: programs look up the result of
 * gethostname(). Without an instance the name is the machine's, because natively these calls do not
 * fail. uname() is always about the machine. A program that looks names up itself gets the
 * machine's, too, which its own files know.
 */

/* Asks for the name. One of more than HOST_NAME_MAX bytes loses its domain. Returns the length, 0
 * for none. */
static size_t ask_name(char name[static LFP_CTL_DATA])
{
	struct ctl_call call = {
		.nn = place_now(),
		.op = LFP_CTL_GETHOSTNAME,
		.fd = -1,
		.answer = name,
		.room = LFP_CTL_DATA - 1,
	};
	size_t len;

	if (ctl_call(&call) < 0)
		return 0;
	name[call.answer_len] = '\0';
	len = strlen(name);
	if (len > HOST_NAME_MAX)
		len = strcspn(name, ".");
	if (len > HOST_NAME_MAX)
		len = HOST_NAME_MAX;
	name[len] = '\0';
	return len;
}

EXPORT int gethostname(char *buf, size_t room)
{
	char name[LFP_CTL_DATA];
	size_t len = real()->own_names ? 0 : ask_name(name);

	if (!len)
		return real()->gethostname(buf, room);
	/* As libc: copies as much as fits, and fails if that is not all. */
	memcpy(buf, name, len + 1 < room ? len + 1 : room);
	return (int)give(len + 1 > room ? -ENAMETOOLONG : 0);
}

/* Called by programs that were built with _FORTIFY_SOURCE. */
int __gethostname_chk(char *buf, size_t len, size_t room);

EXPORT int __gethostname_chk(char *buf, size_t len, size_t room)
{
	/* libc's function ends the program if the buffer is too small. */
	if (len > room)
		return real()->gethostname_chk(buf, len, room);
	return gethostname(buf, len);
}

EXPORT long gethostid(void)
{
	struct ctl_call call = {.nn = place_now(), .op = LFP_CTL_GETHOSTID, .fd = -1};

	if (real()->own_names || ctl_call(&call) < 0 || !call.value)
		return real()->gethostid();
	return call.value;
}
