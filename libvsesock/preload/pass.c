/* SPDX-License-Identifier: Apache-2.0 */
/* pass.c - libc's functions that may wait, in a form that passes lfp-run's seccomp filter */
#include "libvsesock/preload/real.h"

#include <pthread.h>
#include <string.h>

#include "libvsesock/core/raw.h"
#include "libvsesock/core/cookie.h"

/*
 * Theory of operation
 *
 * The shim makes calls that may wait through libc, so that they stay cancellation points. libc does
 * not know the cookie. So the functions here make the system call themselves, with the cookie. They
 * are cancellation points as libc's own: cancellation is asynchronous during the system call.
 * sendto() and recvfrom() have six arguments and no room for a cookie. If the filter would stop
 * them, they become sendmsg() and recvmsg().
 */

static struct real libc;

static long wait_in_kernel(long nr, long a, long b, long c, long d, long e)
{
	int saved = errno, type;
	long rc;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
	rc = raw_call(nr, a, b, c, d, e, raw_cookie);
	pthread_setcanceltype(type, NULL);
	errno = saved;
	return give(rc);
}

static int pass_connect(int fd, const struct sockaddr *addr, socklen_t addrlen)
{
	return (int)wait_in_kernel(SYS_connect, fd, (long)addr, addrlen, 0, 0);
}

static int pass_accept4(int fd, struct sockaddr *addr, socklen_t *addrlen, int flags)
{
	return (int)wait_in_kernel(SYS_accept4, fd, (long)addr, (long)addrlen, flags, 0);
}

static ssize_t pass_recvmsg(int fd, struct msghdr *msg, int flags)
{
	return wait_in_kernel(SYS_recvmsg, fd, (long)msg, flags, 0, 0);
}

static ssize_t pass_sendmsg(int fd, const struct msghdr *msg, int flags)
{
	return wait_in_kernel(SYS_sendmsg, fd, (long)msg, flags, 0, 0);
}

static int pass_recvmmsg(int fd, struct mmsghdr *msgs, unsigned int count, int flags,
			 struct timespec *timeout)
{
	return (int)wait_in_kernel(SYS_recvmmsg, fd, (long)msgs, count, flags, (long)timeout);
}

static int pass_sendmmsg(int fd, struct mmsghdr *msgs, unsigned int count, int flags)
{
	return (int)wait_in_kernel(SYS_sendmmsg, fd, (long)msgs, count, flags, 0);
}

static ssize_t pass_sendto(int fd, const void *buf, size_t len, int flags,
			   const struct sockaddr *addr, socklen_t addrlen)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)buf, .iov_len = len};
	struct msghdr msg = {
		.msg_name = (void *)(uintptr_t)addr,
		.msg_namelen = addrlen,
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};

	if (!addr && !(flags & SPECIAL_SEND_FLAGS) && len <= SPECIAL_SEND_LEN)
		return libc.sendto(fd, buf, len, flags, addr, addrlen);
	return pass_sendmsg(fd, &msg, flags);
}

static ssize_t pass_send(int fd, const void *buf, size_t len, int flags)
{
	return pass_sendto(fd, buf, len, flags, NULL, 0);
}

static ssize_t receive(int fd, void *buf, size_t len, int flags, struct sockaddr *addr,
		       socklen_t *addrlen)
{
	struct iovec iov = {.iov_base = buf, .iov_len = len};
	struct msghdr msg = {
		.msg_name = addr,
		.msg_namelen = addr && addrlen ? *addrlen : 0,
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	ssize_t rc = pass_recvmsg(fd, &msg, flags);

	if (rc >= 0 && addr && addrlen)
		*addrlen = msg.msg_namelen;
	return rc;
}

static ssize_t pass_recvfrom(int fd, void *buf, size_t len, int flags, struct sockaddr *addr,
			     socklen_t *addrlen)
{
	if (!addr && !(flags & SPECIAL_RECEIVE_FLAGS))
		return libc.recvfrom(fd, buf, len, flags, addr, addrlen);
	return receive(fd, buf, len, flags, addr, addrlen);
}

static ssize_t pass_recv(int fd, void *buf, size_t len, int flags)
{
	if (!(flags & SPECIAL_RECEIVE_FLAGS))
		return libc.recv(fd, buf, len, flags);
	return receive(fd, buf, len, flags, NULL, NULL);
}

void pass_init(struct real *real)
{
	if (!raw_cookie)
		return;
	libc = *real;
	real->connect = pass_connect;
	real->accept4 = pass_accept4;
	real->recvmsg = pass_recvmsg;
	real->sendmsg = pass_sendmsg;
	real->recvmmsg = pass_recvmmsg;
	real->sendmmsg = pass_sendmmsg;
	real->send = pass_send;
	real->sendto = pass_sendto;
	real->recvfrom = pass_recvfrom;
	real->recv = pass_recv;
}
