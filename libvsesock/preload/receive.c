/* SPDX-License-Identifier: Apache-2.0 */
/* receive.c - recv, recvfrom, recvmsg, recvmmsg, read, readv: end of file, or connection lost? */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "libvsesock/core/deadline.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/core/sandbox.h"
#include "libvsesock/preload/datagrams.h"
#include "libvsesock/preload/hooks.h"
#include "libvsesock/preload/listeners.h"
#include "libvsesock/strict/strict.h"

/*
 * Theory of operation
 *
 * All calls go to the kernel first, and a call that got data is over. Only then the library asks
 * whether the descriptor is a near end, and only if the kernel's answer may differ from TCP's:
 *
 *   0            End of file, or a lost connection. With the far end still there, it is the end of
 *                file. Else the instance knows. Without its answer the result is ECONNRESET, so
 *                that data that was cut off never looks complete.
 *
 *   ECONNRESET   The instance may know the true reason (a connect that has failed).
 *
 *   EINVAL       AF_UNIX returns this for a socket that is not connected. The program gets
 *                ENOTCONN, or the reason why the connection was lost.
 *
 * A listener's near end holds accept records (accept.c), which must stay there. A hint tells which
 * numbers have been listeners (listeners.h), for programs that receive from one by mistake.
 *
 * UNIX sockets treat some arguments differently, so these are checked before the call: an address
 * would be that of the instance's own socket (TCP gives none), MSG_ERRQUEUE would take data, and
 * MSG_TRUNC would not discard it.
 */
#define SPECIAL_FLAGS (MSG_ERRQUEUE | MSG_TRUNC)

/* Bytes discarded at a time, and how often in one call of the kernel. */
#define DISCARD_SIZE 4096
#define DISCARDS     64

/* Returns true if the far end is still there behind an end of file. Then the instance lives, and
 * has shut the far end down, which it does only when the peer has closed in order and all data is
 * delivered (ijblfp/sock/deliver.c). Or the program itself has shut down reading. When the instance
 * dies or the connection is lost, the far end is closed, and the kernel shows POLLHUP. It also does
 * after both directions have ended. */
static bool has_far_end(int fd)
{
	const short ends = POLLRDHUP | POLLHUP | POLLERR;

	return !sandbox_kills(SANDBOX_PPOLL) && (raw_poll_now(fd, POLLRDHUP) & ends) == POLLRDHUP;
}

/* @rc is 0 for the end of file, else a negative errno. Returns 0 or the negative errno for the
 * program. */
static int explain(int fd, const char *nn, int rc)
{
	int why;

	if (rc == -EINVAL && near_end_paired(fd))
		return rc;
	if (!rc && has_far_end(fd))
		return 0;
	why = near_call(fd, nn, LFP_CTL_WHY_EOF, 0);
	/* Only POLLRDHUP tells a socket that was shut down from one that was never connected. */
	if (rc == -EINVAL && why == -ENOTCONN && (raw_poll_now(fd, POLLRDHUP) & POLLRDHUP))
		return 0;
	if (rc == -EINVAL && (why == -ENETDOWN || why >= 0))
		return -ENOTCONN;
	if (why == -ENETDOWN)
		return -ECONNRESET;
	/* A lost connection that has reported its error is at end of file. */
	return why < 0 ? why : 0;
}

/* An empty datagram is no end of file. */
static ssize_t finish_datagram(int fd, ssize_t rc)
{
	struct sockaddr_un near;
	int why;

	if (rc == 0 || !near_datagram(fd, &near))
		return rc;
	why = datagram_explain(fd, &near, errno);
	/* Another call has reported the error: repeat this one. */
	return give(why < 0 ? why : -EINTR);
}

ssize_t receive_finish(int fd, ssize_t rc, size_t wanted)
{
	char nn[3];
	int error;

	if (__builtin_expect(rc > 0, 1))
		return rc;
	if (rc == 0)
		error = 0;
	else if (errno == EINVAL || errno == ECONNRESET)
		error = -errno;
	else
		return rc;
	if (rc == 0 && !wanted)
		return rc;
	switch (near_kind(fd, nn)) {
	case NEAR_STREAM:
		return give(explain(fd, nn, error));
	case NEAR_DATAGRAM:
		return finish_datagram(fd, rc);
	case NEAR_NONE:
		break;
	}
	return rc;
}

size_t iov_size(const struct iovec *iov, size_t count)
{
	size_t size = 0;

	for (size_t i = 0; i < count; i++)
		size |= iov[i].iov_len;
	return size;
}

/* MSG_TRUNC on TCP discards that many bytes (net/ipv4/tcp.c, tcp_recvmsg_locked()). @to gets the
 * control data. */
static ssize_t discard(int fd, struct msghdr *to, size_t len, int flags)
{
	char waste[DISCARD_SIZE];
	struct iovec iov[DISCARDS];
	struct msghdr msg = {.msg_iov = iov};
	int saved = errno;
	size_t done = 0, room = to->msg_controllen;

	to->msg_controllen = 0;
	do {
		size_t want = 0;
		ssize_t n;

		for (msg.msg_iovlen = 0; msg.msg_iovlen < DISCARDS && want < len - done;
		     msg.msg_iovlen++) {
			struct iovec *one = &iov[msg.msg_iovlen];
			size_t left = len - done - want;

			one->iov_base = waste;
			one->iov_len = left < sizeof(waste) ? left : sizeof(waste);
			want += one->iov_len;
		}
		msg.msg_control = to->msg_control;
		msg.msg_controllen = room;
		n = real()->recvmsg(fd, &msg, flags);
		if (n >= 0) {
			to->msg_controllen = msg.msg_controllen;
			to->msg_flags = msg.msg_flags;
		}
		if (n <= 0 && !done)
			return receive_finish(fd, n, len);
		if (n < 0)
			errno = saved;
		if (n <= 0)
			break;
		done += (size_t)n;
		if ((size_t)n < want || (flags & MSG_PEEK))
			break;
		if (!(flags & MSG_WAITALL))
			flags |= MSG_DONTWAIT;
	} while (done < len);
	return (ssize_t)done;
}

/* Makes a receive call with special flags on a near end. */
static ssize_t receive_special(int fd, struct msghdr *msg, int flags)
{
	size_t len = 0, room = msg->msg_controllen;
	ssize_t rc;

	/* There is no error queue: programs cannot enable it. */
	if (flags & MSG_ERRQUEUE)
		return give(-EAGAIN);
	for (size_t i = 0; i < msg->msg_iovlen; i++)
		len += msg->msg_iov[i].iov_len;
	msg->msg_namelen = 0;
	msg->msg_flags = 0;
	rc = discard(fd, msg, len, flags & ~MSG_TRUNC);
	if (rc >= 0)
		unread_tell(fd, msg, room);
	return rc;
}

/* Forgets the hints about descriptors that came with a message. Returns true if there were any. */
static bool forget_rights(const struct msghdr *msg, bool drop)
{
	struct msghdr *at = (struct msghdr *)(uintptr_t)msg;
	bool found = false;
	int fd;

	if (!msg->msg_control || msg->msg_controllen < CMSG_LEN(sizeof(fd)))
		return false;
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(at); cmsg; cmsg = CMSG_NXTHDR(at, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		found = true;
		for (size_t i = CMSG_LEN(0); i + sizeof(fd) <= cmsg->cmsg_len; i += sizeof(fd)) {
			memcpy(&fd, (char *)cmsg + i, sizeof(fd));
			near_forget(fd);
			if (drop)
				raw_close(fd);
		}
	}
	return found;
}

/*
 * Handles a message with an address or descriptors, which only datagram near ends return, on a
 * number that is not noted as one. If it is one, address and control data are meant for the shim,
 * and may have been cut off to the program's buffers. So the program gets none. Now the number is
 * noted.
 */
static void check_kind(int fd, struct msghdr *msg, bool rights)
{
	char nn[3];
	enum near_kind kind = near_kind(fd, nn);

	if (kind != NEAR_NONE && msg->msg_name)
		/* TCP returns no address; this one is of the instance's own socket. */
		msg->msg_namelen = 0;
	if (kind != NEAR_DATAGRAM)
		return;
	if (rights) {
		(void)forget_rights(msg, true);
		msg->msg_controllen = 0;
	}
}

static ssize_t receive_msg(int fd, struct msghdr *msg, int flags)
{
	struct sockaddr_un near;
	size_t room;
	ssize_t rc;
	char nn[3];

	if (__builtin_expect(listeners_maybe(fd), 0) && listeners_is(fd))
		return give(-ENOTCONN);
	if (near_datagram_hint(fd, &near)) {
		rc = check_msg(msg);
		return rc < 0 ? give(rc) : datagram_recvmsg(fd, &near, msg, flags);
	}
	if (__builtin_expect(flags & SPECIAL_FLAGS, 0) && near_end(fd, nn)) {
		rc = check_msg(msg);
		return rc < 0 ? give(rc) : receive_special(fd, msg, flags);
	}
	room = unread_room(msg);
	rc = real()->recvmsg(fd, msg, flags);
	if (rc >= 0) {
		bool rights = forget_rights(msg, false);

		if (rights || (msg->msg_name && msg->msg_namelen))
			check_kind(fd, msg, rights);
		unread_tell(fd, msg, room);
	}
	if (rc > 0)
		return rc;
	if (rc == 0)
		return receive_finish(fd, rc, iov_size(msg->msg_iov, msg->msg_iovlen));
	rc = receive_finish(fd, rc, 0);
	if (rc == 0) {
		/* An end of file where the kernel gives an error, and leaves the message alone. */
		msg->msg_namelen = 0;
		msg->msg_controllen = 0;
		msg->msg_flags = 0;
	}
	return rc;
}

static int receive_msgs(int fd, struct mmsghdr *msgs, unsigned int count, int flags,
			struct timespec *left, const struct timespec *end)
{
	unsigned int done = 0;

	while (done < count) {
		int saved = errno;
		ssize_t rc = receive_msg(fd, &msgs[done].msg_hdr, flags & ~MSG_WAITFORONE);

		if (rc < 0 && done)
			errno = saved;
		if (rc < 0)
			break;
		msgs[done++].msg_len = (unsigned int)rc;
		if (left && deadline_passed(end, left))
			break;
		/* Without this recvmmsg() would report the end of file for every message. */
		if (rc == 0)
			break;
		if (flags & MSG_WAITFORONE)
			flags |= MSG_DONTWAIT;
	}
	return done || !count ? (int)done : -1;
}

/* As the kernel: checks @timeout first, and leaves what is left of it (net/socket.c,
 * __sys_recvmmsg()). */
static int receive_timed(int fd, const struct sockaddr_un *datagram, struct mmsghdr *msgs,
			 unsigned int count, int flags, struct timespec *timeout)
{
	struct timespec end = {0}, left, *time_left = timeout ? &left : NULL;
	int rc = timeout ? memory_check_read(timeout, sizeof(*timeout)) : 0;

	if (timeout && !rc) {
		left = *timeout;
		rc = deadline_set(&end, &left);
	}
	if (rc < 0)
		return (int)give(rc);
	if (datagram)
		rc = datagram_recvmmsg(fd, datagram, msgs, count, flags, time_left, &end);
	else
		rc = receive_msgs(fd, msgs, count, flags, time_left, &end);
	if (!timeout || rc <= 0)
		return rc;
	if (memory_check_write(timeout, sizeof(*timeout)))
		return (int)give(-EFAULT);
	*timeout = left;
	return rc;
}

EXPORT ssize_t read(int fd, void *buf, size_t len)
{
	/* The kernel does not ask the socket for no bytes (net/socket.c, sock_read_iter()). */
	if (len && __builtin_expect(listeners_maybe(fd), 0) && listeners_is(fd))
		return give(-ENOTCONN);
	return receive_finish(fd, real()->read(fd, buf, len), len);
}

EXPORT ssize_t readv(int fd, const struct iovec *iov, int count)
{
	struct msghdr msg = {.msg_iov = (struct iovec *)(uintptr_t)iov};
	ssize_t rc;

	msg.msg_iovlen = count > 0 ? (size_t)count : 0;
	if (__builtin_expect(listeners_maybe(fd), 0) && listeners_is(fd) &&
	    (check_msg(&msg) < 0 || iov_size(iov, msg.msg_iovlen)))
		return give(-ENOTCONN);
	rc = real()->readv(fd, iov, count);
	if (rc > 0)
		return rc;
	return receive_finish(fd, rc, rc == 0 && count > 0 ? iov_size(iov, (size_t)count) : 0);
}

static ssize_t receive_flags(int fd, void *buf, size_t len, int flags)
{
	struct iovec iov = {.iov_base = buf, .iov_len = len};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	return receive_special(fd, &msg, flags);
}

static ssize_t receive_datagram(int fd, const struct sockaddr_un *near, void *buf, size_t len,
				int flags, struct sockaddr *addr, socklen_t *addrlen)
{
	struct iovec iov = {.iov_base = buf, .iov_len = len};
	struct msghdr msg = {
		.msg_name = addr,
		.msg_namelen = addr && addrlen ? *addrlen : 0,
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};
	ssize_t rc = addr ? check_addr_room(addr, addrlen) : 0;

	if (rc < 0)
		return give(rc);
	rc = datagram_recvmsg(fd, near, &msg, flags);
	if (rc >= 0 && addr)
		*addrlen = msg.msg_namelen;
	return rc;
}

EXPORT ssize_t recv(int fd, void *buf, size_t len, int flags)
{
	struct sockaddr_un near;
	char nn[3];

	if (__builtin_expect(listeners_maybe(fd), 0) && listeners_is(fd))
		return give(-ENOTCONN);
	if ((flags & (SPECIAL_FLAGS | MSG_OOB)) && near_datagram(fd, &near))
		return receive_datagram(fd, &near, buf, len, flags, NULL, NULL);
	if ((flags & SPECIAL_FLAGS) && near_end(fd, nn))
		return receive_flags(fd, buf, len, flags);
	return receive_finish(fd, real()->recv(fd, buf, len, flags), len);
}

static ssize_t receive_from(int fd, void *buf, size_t len, int flags, struct sockaddr *addr,
			    socklen_t *addrlen)
{
	struct sockaddr_un near;
	ssize_t rc;
	char nn[3];

	if (__builtin_expect(listeners_maybe(fd), 0) && listeners_is(fd))
		return give(-ENOTCONN);
	if ((addr || (flags & (SPECIAL_FLAGS | MSG_OOB))) && near_datagram(fd, &near))
		return receive_datagram(fd, &near, buf, len, flags, addr, addrlen);
	if ((!addr && !(flags & SPECIAL_FLAGS)) || !near_end(fd, nn))
		return receive_finish(fd, real()->recvfrom(fd, buf, len, flags, addr, addrlen),
				      len);
	if (flags & SPECIAL_FLAGS)
		rc = receive_flags(fd, buf, len, flags);
	else
		rc = receive_finish(fd, real()->recv(fd, buf, len, flags), len);
	/* TCP returns no address. */
	if (rc >= 0 && addr && addrlen)
		*addrlen = 0;
	return rc;
}

EXPORT ssize_t recvfrom(int fd, void *buf, size_t len, int flags, __SOCKADDR_ARG addr,
			socklen_t *addrlen)
{
	return receive_from(fd, buf, len, flags, addr.__sockaddr__, addrlen);
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	return msg ? receive_msg(fd, msg, flags) : real()->recvmsg(fd, msg, flags);
}

EXPORT int recvmmsg(int fd, struct mmsghdr *msgs, unsigned int count, int flags,
		    struct timespec *timeout)
{
	struct sockaddr_un near;
	char nn[3];

	if (strict_on() && msgs && near_end(fd, nn) && strict_shim(__func__) &&
	    strict_unlisted() < 0)
		return (int)give(-STRICT_ERROR);
	if (msgs && near_datagram(fd, &near))
		return receive_timed(fd, &near, msgs, count, flags, timeout);
	if (!msgs || !near_end(fd, nn)) {
		int rc = real()->recvmmsg(fd, msgs, count, flags, timeout);

		for (int i = 0; i < rc; i++)
			(void)forget_rights(&msgs[i].msg_hdr, false);
		return rc;
	}
	return receive_timed(fd, NULL, msgs, count, flags, timeout);
}

/* Called by programs that were built with _FORTIFY_SOURCE. */
ssize_t __read_chk(int fd, void *buf, size_t len, size_t room);
ssize_t __recv_chk(int fd, void *buf, size_t len, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t len, size_t room, int flags, __SOCKADDR_ARG addr,
		       socklen_t *addrlen);

EXPORT ssize_t __read_chk(int fd, void *buf, size_t len, size_t room)
{
	if (len > room)
		return real()->read_chk(fd, buf, len, room);
	return read(fd, buf, len);
}

EXPORT ssize_t __recv_chk(int fd, void *buf, size_t len, size_t room, int flags)
{
	/* libc's function ends the program if the buffer is too small. */
	if (len > room)
		return real()->recv_chk(fd, buf, len, room, flags);
	return recv(fd, buf, len, flags);
}

EXPORT ssize_t __recvfrom_chk(int fd, void *buf, size_t len, size_t room, int flags,
			      __SOCKADDR_ARG addr, socklen_t *addrlen)
{
	if (len > room)
		return real()->recvfrom_chk(fd, buf, len, room, flags, addr.__sockaddr__, addrlen);
	return receive_from(fd, buf, len, flags, addr.__sockaddr__, addrlen);
}
