/* SPDX-License-Identifier: Apache-2.0 */
/* ping.c - checks whether an LFP instance is up */
#include "lfp-run/environment.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "lfp/ctl.h"
#include "lfp/places.h"

static int exchange(int fd, const struct sockaddr_un *addr)
{
	struct lfp_ctl_request request = {.magic = LFP_CTL_MAGIC, .op = LFP_CTL_PING};
	struct lfp_ctl_reply reply;
	ssize_t n;

	if (connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) < 0 ||
	    send(fd, &request, LFP_CTL_REQUEST_HEAD, MSG_NOSIGNAL) < 0)
		return -errno;
	n = recv(fd, &reply, sizeof(reply), 0);
	if (n < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	if (n < (ssize_t)LFP_CTL_REPLY_HEAD || reply.magic != LFP_CTL_REPLY_MAGIC ||
	    reply.error < 0)
		return n == 0 ? -ECONNRESET : -EPROTO;
	return reply.error;
}

int instance_ping(const char *path, unsigned int timeout)
{
	struct timeval tv = {.tv_sec = timeout};
	struct sockaddr_un addr;
	int fd, rc;

	rc = lfp_unix_addr(&addr, path);
	if (rc < 0)
		return rc;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv)) < 0)
		rc = -errno;
	else
		rc = exchange(fd, &addr);
	close(fd);
	return rc;
}
