/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - getsockname, getpeername, and addresses between programs and the control channel */
#include <string.h>
#include <sys/uio.h>

#include "lfp/addr.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/preload/hooks.h"

int take_addr(struct lfp_addr *to, const struct sockaddr *addr, socklen_t addrlen)
{
	if (addrlen > sizeof(struct sockaddr_storage))
		return -EINVAL;
	if (!addr)
		return addrlen ? -EFAULT : -EINVAL;
	if (memory_check_read(addr, addrlen))
		return -EFAULT;
	return lfp_addr_from(to, addr, addrlen);
}

int check_msg(const struct msghdr *msg)
{
	int rc = memory_check_read(msg, sizeof(*msg));

	if (rc)
		return rc;
	if (msg->msg_iovlen > UIO_MAXIOV)
		return -EMSGSIZE;
	return memory_check_pages(msg->msg_iov, msg->msg_iovlen * sizeof(*msg->msg_iov));
}

int check_addr_room(const struct sockaddr *addr, const socklen_t *addrlen)
{
	if (!addrlen || memory_check_read(addrlen, sizeof(*addrlen)))
		return -EFAULT;
	if ((int)*addrlen < 0)
		return -EINVAL;
	return !addr && *addrlen ? -EFAULT : 0;
}

int give_addr(const struct lfp_addr *from, struct sockaddr *addr, socklen_t *addrlen)
{
	struct sockaddr_storage sa;
	socklen_t len = lfp_addr_to(from, &sa);
	socklen_t cut = len < *addrlen ? len : *addrlen;

	if (memory_check_write(addr, cut))
		return -EFAULT;
	if (cut)
		memcpy(addr, &sa, cut);
	*addrlen = len;
	return 0;
}

static int give_name(int fd, const char *nn, enum lfp_ctl_op op, struct sockaddr *addr,
		     socklen_t *addrlen)
{
	struct lfp_addr name;
	struct ctl_call call = {
		.nn = nn,
		.op = (uint16_t)op,
		.fd = fd,
		.answer = &name,
		.room = sizeof(name),
	};
	int rc = ctl_call(&call);

	if (rc < 0)
		return rc;
	if (call.answer_len != sizeof(name))
		return -ENETDOWN;
	/* Checked after the call, as in the kernel (net/socket.c, __sys_getpeername()): ENOTCONN
	 * comes before EFAULT. */
	rc = check_addr_room(addr, addrlen);
	return rc < 0 ? rc : give_addr(&name, addr, addrlen);
}

int hook_getsockname(int fd, struct sockaddr *addr, socklen_t *addrlen)
{
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);
	char nn[3];
	int rc;

	if (!near_end(fd, nn))
		return raw_getsockname(fd, addr, addrlen);
	rc = filter_verdict(raw_getsockname(-1, &own, &len));
	if (rc < 0)
		return rc;
	return give_name(fd, nn, LFP_CTL_GETSOCKNAME, addr, addrlen);
}

int hook_getpeername(int fd, struct sockaddr *addr, socklen_t *addrlen)
{
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);
	char nn[3];
	int rc;

	if (!near_end(fd, nn))
		return raw_getpeername(fd, addr, addrlen);
	rc = filter_verdict(raw_getpeername(-1, &own, &len));
	if (rc < 0)
		return rc;
	return give_name(fd, nn, LFP_CTL_GETPEERNAME, addr, addrlen);
}

EXPORT int getsockname(int fd, __SOCKADDR_ARG addr, socklen_t *addrlen)
{
	return (int)give(hook_getsockname(fd, addr.__sockaddr__, addrlen));
}

EXPORT int getpeername(int fd, __SOCKADDR_ARG addr, socklen_t *addrlen)
{
	return (int)give(hook_getpeername(fd, addr.__sockaddr__, addrlen));
}
