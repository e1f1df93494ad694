/* SPDX-License-Identifier: Apache-2.0 */
/* elsewhere.c - the system's instances, for a user whose own tree is in force */
#include "lfp/elsewhere.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lfp/places.h"

bool lfp_elsewhere(const char *file, int type)
{
	struct sockaddr_un addr;
	char path[LFP_PLACE_MAX];
	bool found;
	int fd;

	if (strcmp(lfp_root(), "-") != 0 ||
	    snprintf(path, sizeof(path), "/run/%s", file) >= (int)sizeof(path) ||
	    lfp_unix_addr(&addr, path))
		return false;
	fd = socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	/* EAGAIN: its backlog is full (net/unix/af_unix.c, unix_stream_connect()). */
	found = !connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) || errno == EAGAIN ||
		errno == EACCES;
	close(fd);
	return found;
}
