/* SPDX-License-Identifier: Apache-2.0 */
/* data.c - send, recv, read, write and similar calls */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "libvsesock/lec/lec.h"
#include "libvsesock/vse/connect.h"

EXPORT ssize_t lec_send(int s, const void *buf, size_t len, int flags);
EXPORT ssize_t lec_sendto(int s, const void *buf, size_t len, int flags, const void *addr,
			  unsigned int addrlen);
EXPORT ssize_t lec_sendmsg(int s, const struct lec_msghdr *msg, int flags);
EXPORT ssize_t lec_write(int s, const void *buf, size_t len);
EXPORT ssize_t lec_writev(int s, const struct iovec *iov, int count);
EXPORT ssize_t lec_recv(int s, void *buf, size_t len, int flags);
EXPORT ssize_t lec_recvfrom(int s, void *buf, size_t len, int flags, void *addr,
			    unsigned int *addrlen);
EXPORT ssize_t lec_recvmsg(int s, struct lec_msghdr *msg, int flags);
EXPORT ssize_t lec_read(int s, void *buf, size_t len);
EXPORT ssize_t lec_readv(int s, const struct iovec *iov, int count);

/* z/OS's numbers of flags. */
static const struct {
	int lec, native;
} flags_table[] = {
	{1, MSG_OOB},    {2, MSG_PEEK},    {4, MSG_DONTROUTE}, {8, MSG_EOR},
	{16, MSG_TRUNC}, {32, MSG_CTRUNC}, {64, MSG_WAITALL},
};
#define NR_FLAGS  (sizeof(flags_table) / sizeof(flags_table[0]))
#define ALL_FLAGS 127

/* Converts flags. Returns -1 for flags that only a result may have. */
static int take_flags(int flags)
{
	int native = 0;

	if (flags & ~(ALL_FLAGS & ~(16 | 32)))
		return -1;
	for (size_t i = 0; i < NR_FLAGS; i++)
		if (flags & flags_table[i].lec)
			native |= flags_table[i].native;
	return native;
}

static int give_flags(int native)
{
	int flags = 0;

	for (size_t i = 0; i < NR_FLAGS; i++)
		if (native & flags_table[i].native)
			flags |= flags_table[i].lec;
	return flags;
}

static ssize_t end(ssize_t n)
{
	return n < 0 ? lec_fail_io() : n;
}

/* The same for a call that sends. */
static ssize_t sent(int s, ssize_t n)
{
	if (n >= 0)
		return n;
	n = vse_sent(vse_api_find(MUX_LEC), s, n);
	errno = (int)-n;
	return lec_fail_io();
}

ssize_t lec_send(int s, const void *buf, size_t len, int flags)
{
	int fd = lec_fd(s), native = take_flags(flags);

	if (fd < 0)
		return -1;
	if (native < 0)
		return lec_fail(EINVAL);
	return sent(s, send(fd, buf, len, native | MSG_NOSIGNAL));
}

ssize_t lec_sendto(int s, const void *buf, size_t len, int flags, const void *addr,
		   unsigned int addrlen)
{
	struct sockaddr_storage to;
	int fd = lec_fd(s), native = take_flags(flags), rc;
	socklen_t to_len;

	if (fd < 0)
		return -1;
	if (native < 0)
		return lec_fail(EINVAL);
	if (!addr && !addrlen)
		return sent(s, send(fd, buf, len, native | MSG_NOSIGNAL));
	rc = lec_take_addr(&to, &to_len, addr, addrlen);
	if (rc < 0)
		return lec_fail(-rc);
	return sent(s, sendto(fd, buf, len, native | MSG_NOSIGNAL, (const struct sockaddr *)&to,
			      to_len));
}

/* Converts a program's message to Linux's; 0 or a negative error. */
static int take_msg(struct msghdr *to, const struct lec_msghdr *msg)
{
	if (memory_check_read(msg, sizeof(*msg)))
		return -EFAULT;
	if (msg->iovlen < 0 || msg->iovlen > IOV_MAX)
		return -EMSGSIZE;
	if (msg->controllen)
		return -EOPNOTSUPP;
	*to = (struct msghdr){.msg_iov = msg->iov, .msg_iovlen = (size_t)msg->iovlen};
	return 0;
}

ssize_t lec_sendmsg(int s, const struct lec_msghdr *msg, int flags)
{
	struct sockaddr_storage to;
	int fd = lec_fd(s), flags_native = take_flags(flags), rc;
	struct msghdr native;

	if (fd < 0)
		return -1;
	if (flags_native < 0)
		return lec_fail(EINVAL);
	rc = take_msg(&native, msg);
	if (!rc && msg->name && msg->namelen) {
		rc = lec_take_addr(&to, &native.msg_namelen, msg->name, msg->namelen);
		native.msg_name = &to;
	}
	if (rc < 0)
		return lec_fail(-rc);
	return sent(s, sendmsg(fd, &native, flags_native | MSG_NOSIGNAL));
}

ssize_t lec_write(int s, const void *buf, size_t len)
{
	return lec_send(s, buf, len, 0);
}

ssize_t lec_writev(int s, const struct iovec *iov, int count)
{
	struct msghdr msg = {.msg_iov = (struct iovec *)(uintptr_t)iov,
			     .msg_iovlen = (size_t)count};
	int fd = lec_fd(s);

	if (fd < 0)
		return -1;
	if (count < 1 || count > IOV_MAX)
		return lec_fail(EINVAL);
	return sent(s, sendmsg(fd, &msg, MSG_NOSIGNAL));
}

ssize_t lec_recv(int s, void *buf, size_t len, int flags)
{
	int fd = lec_fd(s), native = take_flags(flags);

	if (fd < 0)
		return -1;
	if (native < 0)
		return lec_fail(EINVAL);
	return end(recv(fd, buf, len, native));
}

ssize_t lec_recvfrom(int s, void *buf, size_t len, int flags, void *addr, unsigned int *addrlen)
{
	struct sockaddr_storage from = {0};
	socklen_t from_len = sizeof(from);
	int fd = lec_fd(s), native = take_flags(flags), rc;
	ssize_t n;

	if (fd < 0)
		return -1;
	if (native < 0)
		return lec_fail(EINVAL);
	if (!addr)
		return end(recv(fd, buf, len, native));
	rc = lec_check_addr(addr, addrlen);
	if (rc < 0)
		return lec_fail(-rc);
	n = recvfrom(fd, buf, len, native, (struct sockaddr *)&from, &from_len);
	if (n < 0)
		return end(n);
	/* A stream has no sender's address. */
	if (from.ss_family == AF_UNSPEC)
		*addrlen = 0;
	else if (lec_give_addr(addr, addrlen, &from))
		return lec_fail(EFAULT);
	return n;
}

ssize_t lec_recvmsg(int s, struct lec_msghdr *msg, int flags)
{
	struct sockaddr_storage from = {0};
	int fd = lec_fd(s), flags_native = take_flags(flags), rc;
	struct msghdr native;
	ssize_t n;

	if (fd < 0)
		return -1;
	if (flags_native < 0)
		return lec_fail(EINVAL);
	rc = take_msg(&native, msg);
	if (rc != -EFAULT && memory_check_result(msg, sizeof(*msg)))
		rc = -EFAULT;
	if (rc == -EOPNOTSUPP) {
		/* No control data comes. */
		native = (struct msghdr){.msg_iov = msg->iov, .msg_iovlen = (size_t)msg->iovlen};
		rc = 0;
	}
	if (!rc && msg->name &&
	    memory_check_result(msg->name,
				msg->namelen < VSE_SOCKADDR_IN6 ? msg->namelen : VSE_SOCKADDR_IN6))
		rc = -EFAULT;
	if (rc < 0)
		return lec_fail(-rc);
	if (msg->name) {
		native.msg_name = &from;
		native.msg_namelen = sizeof(from);
	}
	n = recvmsg(fd, &native, flags_native);
	if (n < 0)
		return end(n);
	msg->flags = give_flags(native.msg_flags);
	msg->controllen = 0;
	if (msg->name && from.ss_family == AF_UNSPEC)
		msg->namelen = 0;
	else if (msg->name && lec_give_addr(msg->name, &msg->namelen, &from))
		return lec_fail(EFAULT);
	return n;
}

ssize_t lec_read(int s, void *buf, size_t len)
{
	return lec_recv(s, buf, len, 0);
}

ssize_t lec_readv(int s, const struct iovec *iov, int count)
{
	int fd = lec_fd(s);

	if (fd < 0)
		return -1;
	if (count < 1 || count > IOV_MAX)
		return lec_fail(EINVAL);
	return end(readv(fd, iov, count));
}
