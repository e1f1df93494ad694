/* SPDX-License-Identifier: Apache-2.0 */
/* passed.c - how to close descriptors that came with a message */
#include "transport/passed.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lfp/rights.h"
#include "transport/closers.h"

#define FILES_MOST 64u /* of one user */

_Static_assert(PASSED_BY_NOBODY == CLOSERS_NOBODY, "one name for nobody");

/*
 * Theory of operation
 *
 * close() of a UNIX socket closes what is queued in it, so it can wait as well. After
 * shutdown(SHUT_RD) the kernel queues nothing more in a socket: each send looks for RCV_SHUTDOWN
 * and queues under one lock (net/unix/af_unix.c, unix_stream_sendmsg and unix_dgram_sendmsg). So
 * the result of a look after it stays valid until close(). The look only peeks, because the kernel
 * would close descriptors of a received message.
 *
 * recvmsg() makes as many descriptors as room and numbers permit, and closes the other files
 * (net/core/scm.c, scm_detach_fds()). With MSG_PEEK the message keeps its files. So when numbers
 * are short, passed_take() first peeks at a message, with room for the descriptors of a good one.
 * If that was all, it takes the message without room for descriptors: the kernel drops the
 * message's references, and none of them is the last. A peek at a stream may also see descriptors
 * behind the bytes that it returns.
 */

/* -1: no socket. Unlike fstat() this asks no file system. */
static int domain_of(int fd)
{
	int domain = -1;
	socklen_t len = sizeof(domain);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) ? -1 : domain;
}

void passed_close_of(int fd, uint32_t uid)
{
	const struct linger off = {0};
	int domain = domain_of(fd);

	/* With this the close mostly ends at once. */
	if (domain >= 0 && domain != AF_UNIX)
		(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &off, sizeof(off));
	numbers_note(fd);
	closers_close(fd, domain < 0 ? CLOSING_FILE : CLOSING_SOCKET, uid);
}

void passed_close_unix(int fd, uint32_t uid)
{
	numbers_note(fd);
	closers_close(fd, CLOSING_SOCKET, uid);
}

void passed_close(int fd)
{
	passed_close_of(fd, PASSED_BY_NOBODY);
}

bool passed_is_crowded(uint32_t uid)
{
	return closers_files_of(uid) >= FILES_MOST;
}

/* Returns true if something is unread. A message without a byte looks like the end of the
 * connection, except for the sender's credentials, for which there is no room here. An error is
 * reported before unread data. */
static bool has_message(int fd)
{
	const int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)))
		return true;
	for (int i = 0; i < 2; i++) {
		char byte;
		struct iovec iov = {.iov_base = &byte, .iov_len = 1};
		struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
		ssize_t n = recvmsg(fd, &msg, MSG_PEEK | MSG_DONTWAIT);

		if (n >= 0)
			return n || (msg.msg_flags & MSG_CTRUNC);
		if (errno == EAGAIN)
			return false;
	}
	return true;
}

/* Bytes that wait; looking at messages passes over an urgent one. -1 if that is unknown. */
static int unread(int fd)
{
	int bytes = 0;

	return ioctl(fd, SIOCINQ, &bytes) ? -1 : bytes;
}

/* The peer may wait for the end, which must not wait for a closer. */
static void end_later(int fd, uint32_t uid)
{
	(void)shutdown(fd, SHUT_RDWR);
	closers_close(fd, CLOSING_SOCKET, uid);
}

void passed_end_answered(int fd, uint32_t uid)
{
	(void)shutdown(fd, SHUT_RDWR);
	closers_close(fd, CLOSING_READ, uid);
}

static void end(int fd, uint64_t own, uint32_t uid)
{
	(void)shutdown(fd, SHUT_RD);
	if (own ? unread(fd) < 0 || (uint64_t)unread(fd) != own : has_message(fd) || unread(fd))
		end_later(fd, uid);
	else
		close(fd);
}

void passed_end_of(int fd, uint32_t uid)
{
	if (domain_of(fd) == AF_UNIX)
		end(fd, 0, uid);
	else
		close(fd);
}

void passed_end(int fd)
{
	passed_end_of(fd, PASSED_BY_NOBODY);
}

static bool takes_descriptors(int fd)
{
	int takes = 1;
	socklen_t len = sizeof(takes);

	return getsockopt(fd, SOL_SOCKET, PASSED_PASSRIGHTS, &takes, &len) || takes;
}

void passed_end_refusing(int fd, uint64_t own, uint32_t uid)
{
	if (takes_descriptors(fd))
		end(fd, own, uid);
	else
		close(fd);
}

bool passed_refuse(int fd)
{
	const int off = 0, on = 1;

	(void)setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &on, sizeof(on));
	return !setsockopt(fd, SOL_SOCKET, PASSED_PASSRIGHTS, &off, sizeof(off));
}

void passed_drop(struct msghdr *msg)
{
	struct lfp_rights_place place = {.msg = msg};
	int fd;

	while (lfp_rights_next(&place, &fd)) {
		if (place.header->cmsg_type == SCM_PIDFD)
			close(fd); /* this one waits for nothing */
		else
			passed_close(fd);
	}
}

ssize_t passed_look(int fd, struct msghdr *msg, unsigned int nr)
{
	ssize_t n;

	msg->msg_controllen = CMSG_LEN(nr * sizeof(int));
	n = recvmsg(fd, msg, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return -errno;
	if (!(msg->msg_flags & MSG_CTRUNC))
		return n;
	passed_drop(msg);
	return -EMFILE;
}

/* The message that was looked at, of @n bytes; a stream may have more by now. */
static ssize_t take_looked_at(int fd, const struct msghdr *looked, size_t n)
{
	struct iovec iov = *looked->msg_iov;
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t taken;

	if (n < iov.iov_len)
		iov.iov_len = n;
	taken = recvmsg(fd, &msg, MSG_DONTWAIT);
	return taken < 0 ? -errno : taken;
}

ssize_t passed_take(int fd, struct msghdr *msg, unsigned int nr)
{
	ssize_t n;

	if (!numbers_are_short() && !passed_is_crowded(PASSED_BY_NOBODY)) {
		n = recvmsg(fd, msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		return n < 0 ? -errno : n;
	}
	n = passed_look(fd, msg, nr);
	if (n < 0)
		return n;
	n = take_looked_at(fd, msg, (size_t)n);
	if (n < 0)
		passed_drop(msg);
	return n;
}

ssize_t passed_receive(int fd, void *buf, size_t len)
{
	union passed control;
	struct iovec iov = {.iov_base = buf, .iov_len = len};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = passed_take(fd, &msg, 0);

	if (n >= 0)
		passed_drop(&msg);
	if (n >= 0)
		return n;
	errno = (int)-n;
	return -1;
}
