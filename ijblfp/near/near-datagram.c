/* SPDX-License-Identifier: Apache-2.0 */
/* near-datagram.c - making near ends of datagram sockets, and the sockets that send to them */
#include "ijblfp/near/near-datagram.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kernel's default is larger. This is what the largest datagram takes with its address and
 * control data. */
#define SNDBUF_LEAST (2 * 65536 + 8192)

int near_datagram_far(struct near_network *network)
{
	int fds[2], rc = near_network_take(network, NEAR_SOCKET_DATAGRAM, fds);

	return rc ? rc : fds[0];
}

static int prepare(struct near_maker *maker, int fd, bool is_v6, struct near_id *id)
{
	const int least = SNDBUF_LEAST;

	if (near_option_of(fd, SO_SNDBUF) < 2 * least &&
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least)))
		return -errno;
	return near_name(maker, fd, LFP_NEAR_DATAGRAM | (is_v6 ? LFP_NEAR_V6 : 0), id);
}

int near_datagram_create(struct near_maker *maker, bool is_v6, struct near_id *id)
{
	int fd = near_datagram_far(maker->network), rc;

	if (fd < 0)
		return fd;
	rc = prepare(maker, fd, is_v6, id);
	if (rc) {
		close(fd);
		return rc;
	}
	return fd;
}

static uint64_t netns_of(int fd)
{
	uint64_t cookie = 0;
	socklen_t len = sizeof(cookie);

	(void)getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len);
	return cookie;
}

int near_datagram_adopt(struct near_maker *maker, int fd, bool is_v6, struct near_id *id)
{
	struct sockaddr_un peer;
	socklen_t len = sizeof(peer);

	if (near_option_of(fd, SO_DOMAIN) != AF_UNIX || near_option_of(fd, SO_TYPE) != SOCK_DGRAM ||
	    !getpeername(fd, (struct sockaddr *)&peer, &len))
		return -EINVAL;
	/* A near end from another network namespace would not find its head. No program is in the
	 * instance's namespace. */
	if (maker->network || netns_of(fd) != netns_of(maker->listener))
		return -EMFILE;
	return prepare(maker, fd, is_v6, id);
}
