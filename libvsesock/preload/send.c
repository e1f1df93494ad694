/* SPDX-License-Identifier: Apache-2.0 */
/* send.c - send, sendto, sendmsg, sendmmsg, where a UNIX socket differs from TCP */
#include <signal.h>
#include <sys/uio.h>

#include "libvsesock/core/memory.h"
#include "libvsesock/preload/datagrams.h"
#include "libvsesock/preload/hooks.h"
#include "libvsesock/strict/strict.h"

/*
 * Theory of operation
 *
 * All calls go to the kernel first, and a call that has sent data is over. Only then the library
 * asks whether the descriptor is a near end:
 *
 *   EPIPE,       TCP first returns the reason why the connection was lost, without SIGPIPE. The
 *   ECONNRESET   instance knows the reason. So every call has MSG_NOSIGNAL. If there is no reason,
 *                the call is repeated with the program's own flags.
 *
 *   ENOTCONN     AF_UNIX returns this for a socket that is not connected. The program gets EPIPE,
 *                or the reason why the connection was lost.
 *
 *   EISCONN,     AF_UNIX refuses an address, TCP ignores it.
 *   EOPNOTSUPP
 *
 * A near end treats two flags differently, so these are checked before the call: urgent data goes
 * through a control call (ijblfp/sock/urgent.c), and MSG_FASTOPEN connects first, as the kernel
 * does without a cookie of the peer.
 */
#define SPECIAL_FLAGS (MSG_OOB | MSG_FASTOPEN)

static ssize_t send_special(int fd, const char *nn, const struct msghdr *msg, int flags);

/* Checks whether the call failed as on a datagram near end that has no hint yet. */
static bool is_unnoted_datagram(int fd, ssize_t rc, struct sockaddr_un *near)
{
	if (__builtin_expect(rc >= 0, 1))
		return false;
	switch (errno) {
	case EINVAL:
	case ENOTCONN:
	case ECONNRESET:
	case ECONNREFUSED:
		return near_datagram(fd, near);
	default:
		return false;
	}
}

/* Returns why the near end cannot be written: a negative errno, or 0 if the program already knows.
 */
static int explain(int fd, const char *nn)
{
	int why = near_call(fd, nn, LFP_CTL_WHY_EPIPE, 0), error;
	socklen_t size = sizeof(error);

	/* EBADF: another process has replaced this near end. */
	if (why >= 0 || why == -ENETDOWN || why == -EBADF)
		return 0;
	/* The error is reported once: neither POLLERR nor recv() reports it again. */
	raw_getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
	return why;
}

static ssize_t not_connected(int flags)
{
	if (!(flags & MSG_NOSIGNAL))
		raw_raise(SIGPIPE);
	return give(-EPIPE);
}

ssize_t send_finish(int fd, ssize_t rc)
{
	char nn[3];
	int why;

	if (__builtin_expect(rc >= 0, 1) || errno != ENOTCONN || near_kind(fd, nn) != NEAR_STREAM)
		return rc;
	why = explain(fd, nn);
	return why < 0 && why != -EPIPE ? give(why) : not_connected(0);
}

bool send_is_for_kernel(int fd, ssize_t *rc, int flags)
{
	int error = errno, why;
	char nn[3];

	/* Some socket families reject MSG_NOSIGNAL. */
	if (error == EINVAL)
		return !(flags & MSG_NOSIGNAL) && !near_end(fd, nn);
	if (error != EPIPE && error != ECONNRESET && error != ENOTCONN)
		return false;
	if (!near_end(fd, nn)) {
		errno = error;
		return error == EPIPE && !(flags & MSG_NOSIGNAL);
	}
	errno = error;
	why = explain(fd, nn);
	/* The error of a reset after the end of the stream (net/ipv4/tcp_input.c, tcp_reset())
	 * comes with the signal (net/core/stream.c, sk_stream_error()). */
	if (why == -EPIPE || (error == ENOTCONN && !why)) {
		*rc = not_connected(flags);
		return false;
	}
	if (why < 0)
		*rc = give(why);
	return !why && error == EPIPE && !(flags & MSG_NOSIGNAL);
}

/* Checks whether the call failed only because of its address. */
static bool is_address_refused(int fd, ssize_t rc)
{
	char nn[3];

	return rc < 0 && (errno == EISCONN || errno == EOPNOTSUPP) && near_end(fd, nn);
}

static ssize_t send_plain(int fd, const void *buf, size_t len, int flags)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)buf, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	struct sockaddr_un near;
	int saved = errno;
	ssize_t rc = real()->send(fd, buf, len, flags | MSG_NOSIGNAL);

	if (is_unnoted_datagram(fd, rc, &near)) {
		errno = saved;
		return datagram_sendmsg(fd, &near, &msg, flags);
	}
	if (__builtin_expect(rc >= 0, 1) || !send_is_for_kernel(fd, &rc, flags))
		return rc;
	errno = saved;
	return real()->send(fd, buf, len, flags);
}

static ssize_t send_datagram(int fd, const struct sockaddr_un *near, const struct msghdr *msg,
			     int flags)
{
	int rc = check_msg(msg);

	return rc < 0 ? give(rc) : datagram_sendmsg(fd, near, msg, flags);
}

static ssize_t send_msg(int fd, const struct msghdr *msg, int flags)
{
	struct sockaddr_un near;
	struct msghdr copy;
	int saved = errno;
	ssize_t rc;
	char nn[3];

	near_sends(fd);
	if (near_datagram_hint(fd, &near))
		return send_datagram(fd, &near, msg, flags);
	if (__builtin_expect(flags & SPECIAL_FLAGS, 0) && msg && near_end(fd, nn)) {
		rc = check_msg(msg);
		return rc < 0 ? give(rc) : send_special(fd, nn, msg, flags);
	}
	rc = real()->sendmsg(fd, msg, flags | MSG_NOSIGNAL);
	if (is_unnoted_datagram(fd, rc, &near)) {
		errno = saved;
		return send_datagram(fd, &near, msg, flags);
	}
	if (rc < 0 && errno != EFAULT && msg && msg->msg_name && msg->msg_namelen &&
	    is_address_refused(fd, rc)) {
		copy = *msg;
		copy.msg_name = NULL;
		copy.msg_namelen = 0;
		msg = &copy;
		errno = saved;
		rc = real()->sendmsg(fd, msg, flags | MSG_NOSIGNAL);
	}
	/* TCP ignores passed descriptors; a far end does not accept them (ijblfp/near/near.c). */
	if (rc < 0 && errno == EPERM && msg->msg_controllen && near_end(fd, nn)) {
		copy = *msg;
		copy.msg_control = NULL;
		copy.msg_controllen = 0;
		msg = &copy;
		errno = saved;
		rc = real()->sendmsg(fd, msg, flags | MSG_NOSIGNAL);
	}
	if (__builtin_expect(rc >= 0, 1) || !send_is_for_kernel(fd, &rc, flags))
		return rc;
	errno = saved;
	return real()->sendmsg(fd, msg, flags);
}

static size_t msg_size(const struct msghdr *msg)
{
	size_t size = 0;

	for (size_t i = 0; i < msg->msg_iovlen; i++)
		size += msg->msg_iov[i].iov_len;
	return size;
}

/* Sends the first @len bytes of a message. */
static ssize_t send_part(int fd, const struct msghdr *msg, size_t len, int flags)
{
	size_t done = 0;

	for (size_t i = 0; i < msg->msg_iovlen && done < len; i++) {
		size_t part = msg->msg_iov[i].iov_len;
		ssize_t n;

		if (part > len - done)
			part = len - done;
		n = send_plain(fd, msg->msg_iov[i].iov_base, part, flags);
		if (n < 0)
			return done ? (ssize_t)done : n;
		done += (size_t)n;
		if ((size_t)n < part)
			break;
	}
	return (ssize_t)done;
}

/* Returns 0 or -EFAULT. */
static int last_byte(const struct msghdr *msg, char *byte)
{
	size_t i = msg->msg_iovlen;
	const char *last;
	int rc;

	while (!msg->msg_iov[--i].iov_len)
		;
	last = (const char *)msg->msg_iov[i].iov_base + msg->msg_iov[i].iov_len - 1;
	rc = memory_check_read(last, 1);
	if (!rc)
		*byte = *last;
	return rc;
}

/* The last byte is the urgent one. */
static ssize_t send_urgent(int fd, const char *nn, const struct msghdr *msg, int flags)
{
	size_t len = msg_size(msg);
	int saved = errno, rc;
	ssize_t done = 0;
	char byte;
	struct ctl_call call = {.nn = nn, .op = LFP_CTL_URGENT, .data = &byte, .len = 1, .fd = fd};

	if (!len)
		return 0;
	if (len > 1) {
		done = send_part(fd, msg, len - 1, flags & ~MSG_OOB);
		if (done < 0 || (size_t)done < len - 1)
			return done;
	}
	errno = saved;
	rc = last_byte(msg, &byte);
	if (!rc)
		rc = ctl_call(&call);
	if (!rc)
		return (ssize_t)len;
	if (done)
		return done;
	if (rc == -ENETDOWN)
		rc = -EPIPE;
	if (rc == -EPIPE && !(flags & MSG_NOSIGNAL))
		raw_raise(SIGPIPE);
	return give(rc);
}

static ssize_t send_connecting(int fd, const struct msghdr *msg, int flags)
{
	const struct sockaddr *addr = msg->msg_name;
	struct msghdr copy = *msg;

	if (addr && msg->msg_namelen >= sizeof(addr->sa_family) && addr->sa_family == AF_UNSPEC)
		return give(-EOPNOTSUPP);
	if (!addr || !msg->msg_namelen)
		return give(near_end_paired(fd) ? -EISCONN : -EINVAL);
	if (connect(fd, addr, msg->msg_namelen) < 0)
		return -1;
	copy.msg_name = NULL;
	copy.msg_namelen = 0;
	return send_msg(fd, &copy, flags & ~MSG_FASTOPEN);
}

static ssize_t send_special(int fd, const char *nn, const struct msghdr *msg, int flags)
{
	if (flags & MSG_FASTOPEN)
		return send_connecting(fd, msg, flags);
	return send_urgent(fd, nn, msg, flags);
}

static ssize_t send_to(int fd, const void *buf, size_t len, int flags, const struct sockaddr *addr,
		       socklen_t addrlen)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)buf, .iov_len = len};
	struct msghdr msg = {
		.msg_name = (void *)(uintptr_t)addr,
		.msg_namelen = addrlen,
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	struct sockaddr_un near;
	int saved = errno;
	ssize_t rc;
	char nn[3];

	near_sends(fd);
	if (near_datagram_hint(fd, &near))
		return datagram_sendmsg(fd, &near, &msg, flags);
	if (__builtin_expect(flags & SPECIAL_FLAGS, 0) && near_end(fd, nn))
		return send_special(fd, nn, &msg, flags);
	if (!addr || !addrlen)
		return send_plain(fd, buf, len, flags);
	rc = real()->sendto(fd, buf, len, flags | MSG_NOSIGNAL, addr, addrlen);
	if (is_unnoted_datagram(fd, rc, &near)) {
		errno = saved;
		return datagram_sendmsg(fd, &near, &msg, flags);
	}
	if (is_address_refused(fd, rc)) {
		errno = saved;
		return send_plain(fd, buf, len, flags);
	}
	if (__builtin_expect(rc >= 0, 1) || !send_is_for_kernel(fd, &rc, flags))
		return rc;
	errno = saved;
	return real()->sendto(fd, buf, len, flags, addr, addrlen);
}

EXPORT ssize_t send(int fd, const void *buf, size_t len, int flags)
{
	return send_to(fd, buf, len, flags, NULL, 0);
}

EXPORT ssize_t sendto(int fd, const void *buf, size_t len, int flags, __CONST_SOCKADDR_ARG addr,
		      socklen_t addrlen)
{
	return send_to(fd, buf, len, flags, addr.__sockaddr__, addrlen);
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
	if (strict_shim(__func__) && strict_unlisted() < 0)
		return (int)give(-STRICT_ERROR);
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
