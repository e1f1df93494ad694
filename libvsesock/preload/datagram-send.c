/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-send.c - sending on datagram near ends */
#include <limits.h>
#include <string.h>
#include <sys/uio.h>

#include "lfp/addr.h"
#include "libvsesock/core/datagram.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/preload/datagrams.h"
#include "libvsesock/preload/hooks.h"

/*
 * Theory of operation
 *
 * The near end is connected to a far end of the instance. The kernel alone sends a datagram that
 * goes to the peer and has neither an address nor control data. All others go to the near end's
 * head, with the address and the control data before the payload. There the kernel waits, or does
 * not, as the program has set it up.
 *
 * Natively a datagram that cannot be sent fails at once: no route, no permission to broadcast, a
 * bad port. So after the first datagram to a destination the library asks the host. It does not ask
 * again for a while, nor about a destination from which a datagram has come.
 */

#define TRIES 8 /* most errors in a row that another call may have taken first */

static size_t size_of(const struct msghdr *msg)
{
	size_t size = 0;

	for (size_t i = 0; i < msg->msg_iovlen; i++) {
		if (msg->msg_iov[i].iov_len > SSIZE_MAX - size)
			return SIZE_MAX;
		size += msg->msg_iov[i].iov_len;
	}
	return size;
}

static bool is_mapped(const struct lfp_addr *addr)
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

	return addr->family == LFP_AF_INET6 && memcmp(addr->ip, mapped, sizeof(mapped)) == 0;
}

/* Returns the size limit of a datagram in bytes. */
static size_t most(int fd, const struct sockaddr_un *near, const struct lfp_addr *to)
{
	struct lfp_addr peer = *to;
	char nn[3];
	struct ctl_call call = {
		.nn = nn,
		.op = LFP_CTL_GETPEERNAME,
		.fd = fd,
		.answer = &peer,
		.room = sizeof(peer),
	};

	if (!lfp_near_is_v6(near))
		return LFP_DATAGRAM_MAX4;
	if (to->family == LFP_AF_UNSPEC) {
		near_instance(near, nn);
		if (ctl_call(&call) < 0)
			return LFP_DATAGRAM_MAX;
	}
	return peer.family == LFP_AF_INET6 && !is_mapped(&peer) ? LFP_DATAGRAM_MAX
								: LFP_DATAGRAM_MAX4;
}

/* Calls libc's sendmsg(), and repeats it while errors belong to other calls. */
static ssize_t send_native(int fd, const struct sockaddr_un *near, const struct msghdr *msg,
			   int flags)
{
	int saved = errno;

	for (int i = 0; i < TRIES; i++) {
		ssize_t n = real()->sendmsg(fd, msg, flags | MSG_NOSIGNAL);
		int rc;

		if (n >= 0)
			return n;
		rc = datagram_explain(fd, near, errno);
		if (rc < 0)
			return give(rc);
		errno = saved;
	}
	return give(-ENOBUFS);
}

/* Asks whether the host has sent the datagram. Returns 0 or a negative errno. */
static int ask(int fd, const struct sockaddr_un *near)
{
	char nn[3];

	near_instance(near, nn);
	return near_call(fd, nn, LFP_CTL_SENT, 0);
}

/*
 * The vector has no room for the head: join two neighbouring entries. Of UIO_MAXIOV / 2 pairs at
 * least one is short enough, whatever the lengths are.
 */
#define JOINED_MAX (LFP_DATAGRAM_MAX / (UIO_MAXIOV / 2) + 1)

/* Returns 0 or -EFAULT. */
static int join(struct msghdr *msg, uint8_t buf[static JOINED_MAX])
{
	struct iovec *pair = msg->msg_iov + 1, *end = msg->msg_iov + msg->msg_iovlen;

	while (pair[0].iov_len + pair[1].iov_len > JOINED_MAX)
		pair++;
	for (int i = 0; i < 2; i++)
		if (memory_check_read(pair[i].iov_base, pair[i].iov_len))
			return -EFAULT;
	if (pair[0].iov_len)
		memcpy(buf, pair[0].iov_base, pair[0].iov_len);
	if (pair[1].iov_len)
		memcpy(buf + pair[0].iov_len, pair[1].iov_base, pair[1].iov_len);
	pair[0].iov_len += pair[1].iov_len;
	pair[0].iov_base = buf;
	memmove(pair + 1, pair + 2, (size_t)((char *)end - (char *)(pair + 2)));
	msg->msg_iovlen--;
	return 0;
}

static ssize_t send_to_head(int fd, const struct sockaddr_un *near, const struct msghdr *msg,
			    const struct lfp_meta *meta, int flags)
{
	struct iovec iov[UIO_MAXIOV + 1];
	uint8_t head[LFP_META_SIZE], joined[JOINED_MAX];
	struct sockaddr_un addr;
	struct msghdr copy = {
		.msg_name = &addr,
		.msg_iov = iov,
		.msg_iovlen = msg->msg_iovlen + 1,
	};
	ssize_t n;
	int rc;

	copy.msg_namelen = lfp_head_name(near, &addr);
	lfp_meta_put(meta, head);
	iov[0].iov_base = head;
	iov[0].iov_len = sizeof(head);
	memcpy(iov + 1, msg->msg_iov, msg->msg_iovlen * sizeof(*iov));
	if (copy.msg_iovlen > UIO_MAXIOV) {
		rc = join(&copy, joined);
		if (rc < 0)
			return give(rc);
	}
	n = send_native(fd, near, &copy, flags);
	if (n < 0)
		return n;
	n -= (ssize_t)sizeof(head);
	if (meta->addr.family == LFP_AF_UNSPEC || datagram_is_known(near, &meta->addr))
		return n;
	rc = ask(fd, near);
	if (rc < 0)
		return give(rc);
	datagram_know(near, &meta->addr);
	return n;
}

/* Reads the address of a call. Returns 0 or a negative errno. AF_UNSPEC means AF_INET on an IPv4
 * socket and no address on an IPv6 socket. */
static int take_dest(const struct msghdr *msg, bool v6, struct lfp_addr *to)
{
	const struct sockaddr *addr = msg->msg_name;
	struct sockaddr_in in;
	int rc;

	memset(to, 0, sizeof(*to));
	if (!addr || !msg->msg_namelen)
		return 0;
	if (!v6 && msg->msg_namelen < sizeof(in))
		return -EINVAL;
	if (memory_check_read(addr, sizeof(addr->sa_family)))
		return -EFAULT;
	if (!v6 && addr->sa_family == AF_UNSPEC) {
		memcpy(&in, addr, sizeof(in));
		in.sin_family = AF_INET;
		return lfp_addr_from(to, (struct sockaddr *)&in, sizeof(in));
	}
	rc = take_addr(to, addr, msg->msg_namelen);
	return rc == -EAFNOSUPPORT && v6 ? -EINVAL : rc;
}

ssize_t datagram_sendmsg(int fd, const struct sockaddr_un *near, const struct msghdr *msg,
			 int flags)
{
	struct lfp_meta meta = {.has = 0};
	size_t size = size_of(msg);
	struct msghdr plain;
	int rc;

	/* UDP over IPv6 ignores the flag. */
	if ((flags & MSG_OOB) && !lfp_near_is_v6(near))
		return give(-EOPNOTSUPP);
	if (size > LFP_DATAGRAM_MAX)
		return give(-EMSGSIZE);
	rc = take_dest(msg, lfp_near_is_v6(near), &meta.addr);
	if (!rc && msg->msg_controllen)
		rc = datagram_take_control(msg, &meta);
	if (rc < 0)
		return give(rc);
	if (size > LFP_DATAGRAM_MAX4 && size > most(fd, near, &meta.addr))
		return give(-EMSGSIZE);
	if (flags & MSG_MORE)
		meta.has |= LFP_HAS_MORE;
	if (flags & MSG_DONTROUTE)
		meta.has |= LFP_HAS_DONTROUTE;
	flags &= MSG_DONTWAIT;
	if (meta.addr.family == LFP_AF_UNSPEC && !near_end_paired(fd))
		return give(-EDESTADDRREQ);
	if (meta.addr.family != LFP_AF_UNSPEC || meta.has)
		return send_to_head(fd, near, msg, &meta, flags);
	plain = *msg;
	plain.msg_name = plain.msg_control = NULL;
	plain.msg_namelen = 0;
	plain.msg_controllen = 0;
	return send_native(fd, near, &plain, flags);
}
