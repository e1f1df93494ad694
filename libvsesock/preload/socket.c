/* SPDX-License-Identifier: Apache-2.0 */
/* socket.c - socket, bind, listen, shutdown */
#include <string.h>

#include "libvsesock/core/place.h"
#include "libvsesock/preload/hooks.h"

#define SOCK_TYPE_MASK 0xf /* the kernel's: flags are above it */

_Static_assert(SOCK_NONBLOCK == O_NONBLOCK && SOCK_CLOEXEC == O_CLOEXEC, "one set of flags");

int near_call(int fd, const char *nn, enum lfp_ctl_op op, int32_t a)
{
	struct ctl_call call = {.nn = nn, .op = (uint16_t)op, .a = a, .fd = fd};
	int rc = ctl_call(&call);

	return rc < 0 ? rc : call.value;
}

int hook_socket(int family, int type, int protocol)
{
	struct ctl_call call = {
		.nn = place_instance(),
		.op = LFP_CTL_SOCKET,
		.a = family,
		.b = type & SOCK_TYPE_MASK,
		.c = protocol,
		.fd = -1,
	};
	int flags = type & ~SOCK_TYPE_MASK;

	/* Whatever kind of an Internet socket it is, none is made in the program's own network. */
	if (family != AF_INET && family != AF_INET6)
		return raw_socket(family, type, protocol);
	if ((flags & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) || call.b > SOCK_PACKET)
		return -EINVAL;
	return ctl_take(&call, flags);
}

int hook_bind(int fd, const struct sockaddr *addr, socklen_t addrlen)
{
	struct lfp_addr data;
	struct ctl_call call = {.op = LFP_CTL_BIND, .data = &data, .len = sizeof(data), .fd = fd};
	char nn[3];
	int rc;

	if (!near_end(fd, nn))
		return raw_bind(fd, addr, addrlen);
	rc = take_addr(&data, addr, addrlen);
	if (rc < 0)
		return rc;
	call.nn = nn;
	return ctl_call(&call);
}

int hook_listen(int fd, int backlog)
{
	char nn[3];
	int rc;

	if (!near_end(fd, nn))
		return raw_listen(fd, backlog);
	rc = near_call(fd, nn, LFP_CTL_LISTEN, backlog);
	return rc < 0 ? rc : 0;
}

int hook_shutdown(int fd, int how)
{
	char nn[3];
	int rc;

	if (!near_end(fd, nn))
		return raw_shutdown(fd, how);
	rc = near_call(fd, nn, LFP_CTL_SHUTDOWN, how);
	/* 1: the rest is the kernel's. Without an instance there is only the kernel. */
	if (rc == 1 || rc == -ENETDOWN)
		return raw_shutdown(fd, how);
	return rc < 0 ? rc : 0;
}

EXPORT int socket(int family, int type, int protocol)
{
	return (int)give(hook_socket(family, type, protocol));
}

EXPORT int bind(int fd, __CONST_SOCKADDR_ARG addr, socklen_t addrlen)
{
	return (int)give(hook_bind(fd, addr.__sockaddr__, addrlen));
}

EXPORT int listen(int fd, int backlog)
{
	return (int)give(hook_listen(fd, backlog));
}

EXPORT int shutdown(int fd, int how)
{
	return (int)give(hook_shutdown(fd, how));
}
