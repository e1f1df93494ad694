/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-receive.c - receiving on datagram near ends */
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "libvsesock/core/datagram.h"
#include "libvsesock/core/deadline.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/core/sandbox.h"
#include "libvsesock/preload/datagrams.h"
#include "libvsesock/preload/hooks.h"

/*
 * Theory of operation
 *
 * The kernel receives the payload as the program wants it. The name of the sending UNIX socket
 * holds the sender's address and the ancillary data. The far end of the peer has one fixed name. If
 * a datagram differs from it, a descriptor comes along, whose name holds the right values. It is
 * closed at once.
 */

#define TRIES 8 /* most errors in a row that another call may have taken first */

static bool wants_more(const struct msghdr *msg)
{
	return msg->msg_name || (msg->msg_control && msg->msg_controllen);
}

/* Calls libc's recvmsg(), and repeats it while errors belong to other calls. */
static ssize_t receive_native(int fd, const struct sockaddr_un *near, struct msghdr *msg, int flags)
{
	const struct msghdr before = *msg;
	int saved = errno;

	for (int i = 0; i < TRIES; i++) {
		ssize_t n = real()->recvmsg(fd, msg, flags);
		int rc;

		if (n >= 0)
			return n;
		*msg = before;
		rc = errno == ECONNRESET ? datagram_explain(fd, near, errno) : -errno;
		if (rc < 0)
			return give(rc);
		errno = saved;
	}
	return give(-EAGAIN);
}

/* memory_check_write() skips buffers of less than 8 bytes, so read these instead; that finds nearly
 * as much. */
static int check_room(void *at, size_t len)
{
	int rc = memory_check_write(at, len);

	return rc ? rc : memory_check_read(at, len);
}

/* Returns how many bytes fit, or -EFAULT. */
static ssize_t scatter(const struct msghdr *msg, const uint8_t *data, size_t len)
{
	size_t done = 0;

	for (size_t i = 0; i < msg->msg_iovlen && done < len; i++) {
		size_t part = msg->msg_iov[i].iov_len;

		if (part > len - done)
			part = len - done;
		if (check_room(msg->msg_iov[i].iov_base, part))
			return -EFAULT;
		if (part)
			memcpy(msg->msg_iov[i].iov_base, data + done, part);
		done += part;
	}
	return (ssize_t)done;
}

static ssize_t receive_error(int fd, const struct sockaddr_un *near, struct msghdr *msg)
{
	uint8_t answer[sizeof(struct lfp_ctl_errqueue) + 576];
	struct lfp_ctl_errqueue entry;
	socklen_t size = sizeof(int);
	char nn[3];
	struct ctl_call call = {
		.nn = nn,
		.op = LFP_CTL_ERRQUEUE,
		.fd = fd,
		.answer = answer,
		.room = sizeof(answer),
	};
	ssize_t done;
	size_t len;
	int rc, error;

	near_instance(near, nn);
	rc = ctl_call(&call);
	if (rc < 0)
		return give(rc);
	if (call.answer_len < sizeof(entry))
		return give(-EAGAIN);
	/* This entry reports the pending error, so clear it at the near end. */
	raw_getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
	memcpy(&entry, answer, sizeof(entry));
	len = call.answer_len - sizeof(entry);
	done = scatter(msg, answer + sizeof(entry), len);
	/* The datagram is lost, as with UDP. */
	if (done < 0)
		return give(done);
	msg->msg_flags = MSG_ERRQUEUE | ((size_t)done < len ? MSG_TRUNC : 0);
	if (msg->msg_name)
		give_addr(&entry.dest, msg->msg_name, &msg->msg_namelen);
	datagram_give_error(msg, &entry);
	return done;
}

static void give_source(const struct sockaddr_un *near, struct msghdr *msg,
			const struct lfp_meta *meta)
{
	if (!meta->addr.family) {
		msg->msg_namelen = 0;
		return;
	}
	datagram_know(near, &meta->addr);
	if (msg->msg_name)
		give_addr(&meta->addr, msg->msg_name, &msg->msg_namelen);
	else
		msg->msg_namelen = 0;
}

ssize_t datagram_recvmsg(int fd, const struct sockaddr_un *near, struct msghdr *msg, int flags)
{
	union {
		struct cmsghdr align;
		char buf[DATAGRAM_CONTROL];
	} control;
	struct sockaddr_un source;
	struct msghdr native = {.msg_iov = msg->msg_iov, .msg_iovlen = msg->msg_iovlen};
	bool more = wants_more(msg);
	struct lfp_meta meta;
	ssize_t n;

	if (flags & MSG_ERRQUEUE)
		return receive_error(fd, near, msg);
	if (more) {
		native.msg_name = &source;
		native.msg_namelen = sizeof(source);
		native.msg_control = control.buf;
		native.msg_controllen = sizeof(control.buf);
	}
	n = receive_native(fd, near, &native, (flags & ~MSG_OOB) | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return n;
	msg->msg_flags = native.msg_flags & ~(MSG_CTRUNC | MSG_CMSG_CLOEXEC);
	msg->msg_flags |= flags & MSG_CMSG_CLOEXEC;
	/* No descriptor was free for the one that carries the ancillary data: the data is lost, and
	 * MSG_CTRUNC says so. */
	if (more && msg->msg_control)
		msg->msg_flags |= native.msg_flags & MSG_CTRUNC;
	if (!more) {
		msg->msg_namelen = 0;
		msg->msg_controllen = 0;
		return n;
	}
	datagram_take_source(&native, &meta);
	give_source(near, msg, &meta);
	datagram_give_control(msg, &native, &meta);
	return n;
}

/* Returns the longest wait: @limit, filled, or NULL for no limit. */
static const struct timespec *take_wait(int fd, struct timespec *limit)
{
	struct timeval tv = {0};
	socklen_t len = sizeof(tv);

	limit->tv_sec = limit->tv_nsec = 0;
	if (raw_call(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0) & O_NONBLOCK)
		return limit;
	(void)raw_getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, &len);
	limit->tv_sec = tv.tv_sec;
	limit->tv_nsec = tv.tv_usec * 1000;
	return tv.tv_sec || tv.tv_usec ? limit : NULL;
}

/* Waits instead of the receive call, which would consume the pending error. */
int datagram_wait_next(int fd, int flags)
{
	struct pollfd poll = {.fd = fd, .events = POLLIN};
	struct timespec limit = {0};
	int saved = errno, rc;

	if (sandbox_kills(SANDBOX_PPOLL | SANDBOX_FCNTL | SANDBOX_GETSOCKOPT))
		return 1;
	rc = (int)raw_call(SYS_ppoll, (long)&poll, 1, (long)&limit, 0, 0, 0);
	/* Called through libc, as it is a cancellation point. */
	if (rc == 0 && !(flags & MSG_DONTWAIT))
		rc = ppoll(&poll, 1, take_wait(fd, &limit), NULL) < 0 ? -errno : poll.revents != 0;
	errno = saved;
	if (rc < 0)
		return rc;
	return rc > 0 && !(poll.revents & POLLERR);
}

int datagram_recvmmsg(int fd, const struct sockaddr_un *near, struct mmsghdr *msgs,
		      unsigned int count, int flags, struct timespec *left,
		      const struct timespec *end)
{
	unsigned int done = 0;

	while (done < count) {
		int saved = errno;
		ssize_t n;

		if (done && !(flags & MSG_ERRQUEUE) && datagram_wait_next(fd, flags) <= 0)
			break;
		n = give(check_msg(&msgs[done].msg_hdr));
		if (!n)
			n = datagram_recvmsg(fd, near, &msgs[done].msg_hdr,
					     flags & ~MSG_WAITFORONE);
		if (n < 0 && done)
			errno = saved;
		if (n < 0)
			break;
		msgs[done++].msg_len = (unsigned int)n;
		if (flags & MSG_WAITFORONE)
			flags |= MSG_DONTWAIT;
		if (left && deadline_passed(end, left))
			break;
	}
	return done || !count ? (int)done : -1;
}
