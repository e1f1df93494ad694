/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - write, writev: on a near end they are send() and sendmsg() without flags */
#include <sys/uio.h>
#include <unistd.h>

#include "libvsesock/core/sandbox.h"
#include "libvsesock/preload/datagrams.h"
#include "libvsesock/preload/hooks.h"

/*
 * Theory of operation
 *
 * TCP first returns the reason why a connection was lost; a UNIX socket sends SIGPIPE at once, and
 * write(2) has no MSG_NOSIGNAL. So a descriptor that is noted as a near end (core/near.h) is
 * written with send.c's calls. The note is a hint: after any error that send.c does not handle, the
 * call is repeated as the program has made it.
 */

/* Checks the hint. Returns false if a filter of the program's own kills a call that the program has
 * not made itself. */
static bool is_noted(int fd, const uint64_t *bits)
{
	return near_bit(bits, fd) && !sandbox_kills(SANDBOX_SENDTO | SANDBOX_SENDMSG);
}

/*
 * As is_noted(), and sends the message on a datagram near end. Returns true with *rc set. The
 * kernel does not give the socket a vector without bytes (fs/read_write.c, vfs_writev()).
 */
static bool send_datagram(int fd, const struct iovec *iov, size_t count, bool empty, ssize_t *rc)
{
	struct msghdr msg = {.msg_iov = (struct iovec *)(uintptr_t)iov, .msg_iovlen = count};
	struct sockaddr_un near;

	if (!is_noted(fd, near_datagram_bits) || !near_datagram(fd, &near) || check_msg(&msg) < 0 ||
	    (!empty && !iov_size(iov, count)))
		return false;
	*rc = datagram_sendmsg(fd, &near, &msg, 0);
	return true;
}

/* Handles the result of a send with MSG_NOSIGNAL on a stream. Returns true if that is the call's
 * result. */
static bool is_result(int fd, ssize_t *rc)
{
	if (__builtin_expect(*rc >= 0, 1))
		return true;
	switch (errno) {
	case EAGAIN:
	case EINTR:
	case EFAULT:
	case ENOMEM:
	case ENOBUFS:
		return true;
	case EPIPE:
	case ECONNRESET:
	case ENOTCONN:
		return !send_is_for_kernel(fd, rc, 0);
	default:
		return false;
	}
}

EXPORT ssize_t write(int fd, const void *buf, size_t len)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)buf, .iov_len = len};
	int saved = errno;
	ssize_t rc;

	near_sends(fd);
	if (is_noted(fd, near_stream_bits)) {
		rc = real()->send(fd, buf, len, MSG_NOSIGNAL);
		if (is_result(fd, &rc))
			return rc;
		errno = saved;
	} else if (send_datagram(fd, &iov, 1, true, &rc)) {
		return rc;
	}
	return send_finish(fd, real()->write(fd, buf, len));
}

/* Has a vector, of which the kernel has read the parts, no bytes? Then writev() does not fail. */
static bool is_empty(const struct iovec *iov, size_t count)
{
	return (errno == ENOTCONN || errno == EPIPE || errno == ECONNRESET) &&
	       !iov_size(iov, count);
}

EXPORT ssize_t writev(int fd, const struct iovec *iov, int count)
{
	struct msghdr msg = {.msg_iov = (struct iovec *)(uintptr_t)iov};
	int saved = errno;
	ssize_t rc;

	near_sends(fd);
	if (count > 0 && is_noted(fd, near_stream_bits)) {
		msg.msg_iovlen = (size_t)count;
		rc = real()->sendmsg(fd, &msg, MSG_NOSIGNAL);
		if (!(rc < 0 && is_empty(iov, (size_t)count)) && is_result(fd, &rc))
			return rc;
		errno = saved;
	} else if (count > 0 && send_datagram(fd, iov, (size_t)count, false, &rc)) {
		return rc;
	}
	return send_finish(fd, real()->writev(fd, iov, count));
}
