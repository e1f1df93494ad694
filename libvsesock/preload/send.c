/* SPDX-License-Identifier: Apache-2.0 */
/* send.c - send, sendto, sendmsg, sendmmsg, where a UNIX socket differs from TCP */
#include <signal.h>

#include "libvsesock/preload/hooks.h"

/*
 * They go to the kernel first, too. A UNIX socket that was never connected says ENOTCONN where TCP
 * says EPIPE (with SIGPIPE), and it refuses an address that TCP does not look at. With MSG_FASTOPEN
 * the refusal (EOPNOTSUPP) is what makes programs connect first.
 */

/* What libc's function has returned, with errno. */
static ssize_t finish(int fd, ssize_t rc, int flags)
{
	char nn[3];

	if (__builtin_expect(rc >= 0, 1) || errno != ENOTCONN || !near_end(fd, nn))
		return rc;
	if (!(flags & MSG_NOSIGNAL))
		raw_raise(SIGPIPE);
	return give(-EPIPE);
}

/* Has the call failed only because an address was given? */
static bool is_address_refused(int fd, ssize_t rc, int flags)
{
	char nn[3];

	return rc < 0 && (errno == EISCONN || errno == EOPNOTSUPP) && !(flags & MSG_FASTOPEN) &&
	       near_end(fd, nn);
}

EXPORT ssize_t send(int fd, const void *buf, size_t len, int flags)
{
	return finish(fd, real()->send(fd, buf, len, flags), flags);
}

EXPORT ssize_t sendto(int fd, const void *buf, size_t len, int flags, __CONST_SOCKADDR_ARG addr,
		      socklen_t addrlen)
{
	int saved = errno;
	ssize_t rc = real()->sendto(fd, buf, len, flags, addr.__sockaddr__, addrlen);

	if (addr.__sockaddr__ && addrlen && is_address_refused(fd, rc, flags)) {
		errno = saved;
		rc = real()->send(fd, buf, len, flags);
	}
	return finish(fd, rc, flags);
}

static ssize_t send_msg(int fd, const struct msghdr *msg, int flags)
{
	int saved = errno;
	ssize_t rc = real()->sendmsg(fd, msg, flags);
	struct msghdr copy;

	if (rc < 0 && msg && msg->msg_name && msg->msg_namelen &&
	    is_address_refused(fd, rc, flags)) {
		copy = *msg;
		copy.msg_name = NULL;
		copy.msg_namelen = 0;
		errno = saved;
		rc = real()->sendmsg(fd, &copy, flags);
	}
	return finish(fd, rc, flags);
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	return send_msg(fd, msg, flags);
}

EXPORT int sendmmsg(int fd, struct mmsghdr *msgs, unsigned int count, int flags)
{
	unsigned int done;
	int saved = errno;
	char nn[3];

	if (!msgs || !near_end(fd, nn))
		return real()->sendmmsg(fd, msgs, count, flags);
	for (done = 0; done < count; done++) {
		ssize_t rc = send_msg(fd, &msgs[done].msg_hdr, flags);

		if (rc < 0)
			break;
		msgs[done].msg_len = (unsigned int)rc;
	}
	if (!done && count)
		return -1;
	errno = saved;
	return (int)done;
}
