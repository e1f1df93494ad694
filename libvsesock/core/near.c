/* SPDX-License-Identifier: Apache-2.0 */
/* near.c - is a descriptor LFP's? */
#include "libvsesock/core/near.h"

#include <stddef.h>
#include <string.h>
#include <sys/un.h>

#include "lfp/ctl.h"
#include "libvsesock/core/raw.h"

bool near_end(int fd, char nn[static 3])
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	if (raw_getsockname(fd, &addr, &len) < 0 || addr.sun_family != AF_UNIX ||
	    len != offsetof(struct sockaddr_un, sun_path) + LFP_NAME_LEN ||
	    memcmp(addr.sun_path, LFP_NAME_PREFIX, LFP_NAME_PREFIX_LEN) != 0)
		return false;
	nn[0] = addr.sun_path[LFP_NAME_PREFIX_LEN];
	nn[1] = addr.sun_path[LFP_NAME_PREFIX_LEN + 1];
	nn[2] = '\0';
	return true;
}

bool near_end_paired(int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);

	return raw_getpeername(fd, &addr, &len) == 0;
}
