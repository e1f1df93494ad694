/* SPDX-License-Identifier: Apache-2.0 */
/* data.c - READ, WRITE, RECV, SEND, RECVFROM, SENDTO, READV, WRITEV, RECVMSG, SENDMSG */
#include <limits.h>
#include <string.h>

#include "libvsesock/eza/functions.h"
#include "libvsesock/strict/strict.h"
#include "libvsesock/vse/connect.h"

#define IOV_MOST 120

/* An entry of IOV: a pointer, an unused fullword, the length. */
#define IOV_ENTRY  (sizeof(void *) + 8)
#define IOV_LENGTH (sizeof(void *) + 4)

/* MSG: pointers to NAME, its length, IOV, IOVCNT, ACCRIGHTS, ACCRLEN */
enum {
	MSG_AT_NAME,
	MSG_AT_NAMELEN,
	MSG_AT_IOV,
	MSG_AT_IOVCNT,
	MSG_AT_RIGHTS,
	MSG_AT_RIGHTSLEN,
	MSG_POINTERS
};

/* Converts flags, or -1. OOB, PEEK and DONTROUTE have Linux's numbers. */
static int take_flags(long flags)
{
	_Static_assert(MSG_OOB == 1 && MSG_PEEK == 2 && MSG_DONTROUTE == 4, "z/VSE's numbers");
	return flags & ~7 ? -1 : (int)flags;
}

/* z/VSE is not known to refuse 0 bytes, and waiting for them would never end: the call ends at once
 * (ours). z/OS refuses them by number @extended. */
static int nothing(struct eza_call *call, int extended)
{
	return vse_space() == VSE_ZOS ? eza_fail(call, -EINVAL, extended) : 0;
}

/* Checks NBYTE and BUF; 0 or a negative error. @extended: z/OS's number of a wrong length. */
static int take_buffer(struct eza_call *call, int length, int extended)
{
	const struct eza_arg *buf = &call->args[length + 1];
	long len = call->values[length];

	if (len < 0)
		return eza_fail(call, -EINVAL, extended);
	if (buf->size && (size_t)len > buf->size)
		return eza_fail(call, -EINVAL, extended);
	return buf->data || !len ? 0 : eza_error("EIBMBADPARM");
}

static int end(ssize_t n)
{
	return n < 0 ? -errno : (int)n;
}

/* The same for a call that sends. */
static int sent(struct eza_call *call, ssize_t n)
{
	return (int)vse_sent(call->api, (int)call->values[0], n);
}

/* S, NBYTE, BUF */
int eza_read(struct eza_call *call)
{
	int rc = take_buffer(call, 1, 10159);

	if (rc < 0)
		return rc;
	if (!call->values[1])
		return nothing(call, 10159);
	return end(recv(call->fd, call->args[2].data, (size_t)call->values[1], call->dontwait));
}

int eza_write(struct eza_call *call)
{
	int rc = take_buffer(call, 1, 10186);

	if (rc < 0)
		return rc;
	if (!call->values[1])
		return nothing(call, 10184);
	return sent(call, send(call->fd, call->args[2].data, (size_t)call->values[1],
			       MSG_NOSIGNAL | call->dontwait));
}

/* S, FLAGS, NBYTE, BUF, of RECVFROM and SENDTO also NAME */
int eza_recv(struct eza_call *call)
{
	int flags = take_flags(call->values[1]), rc = take_buffer(call, 2, 10163);

	if (rc < 0 || flags < 0)
		return rc ? rc : -EINVAL;
	if (!call->values[2])
		return nothing(call, 10163);
	return end(recv(call->fd, call->args[3].data, (size_t)call->values[2],
			flags | call->dontwait));
}

int eza_send(struct eza_call *call)
{
	int flags = take_flags(call->values[1]), rc = take_buffer(call, 2, 10170);

	if (rc < 0 || flags < 0)
		return rc ? rc : -EINVAL;
	if (!call->values[2])
		return nothing(call, 10170);
	return sent(call, send(call->fd, call->args[3].data, (size_t)call->values[2],
			       flags | MSG_NOSIGNAL | call->dontwait));
}

/* Checks the room for any peer's name first, because received data cannot be put back. */
static int check_room(const struct eza_call *call, const struct eza_arg *name)
{
	struct sockaddr_storage own = {0};
	socklen_t len = sizeof(own);

	if (getsockname(call->fd, (struct sockaddr *)&own, &len))
		return -errno;
	return eza_check_result(name,
				own.ss_family == AF_INET6 ? VSE_SOCKADDR_IN6 : VSE_SOCKADDR_IN);
}

int eza_recvfrom(struct eza_call *call)
{
	int flags = take_flags(call->values[1]), rc = take_buffer(call, 2, 10163);
	struct sockaddr_storage from = {0};
	socklen_t len = sizeof(from);
	ssize_t n;

	if (!rc && flags < 0)
		rc = -EINVAL;
	if (!rc)
		rc = check_room(call, &call->args[4]);
	if (rc < 0)
		return rc;
	if (!call->values[2])
		return nothing(call, 10163);
	n = recvfrom(call->fd, call->args[3].data, (size_t)call->values[2], flags | call->dontwait,
		     (struct sockaddr *)&from, &len);
	/* A stream has no sender's address. */
	if (n >= 0 && from.ss_family != AF_UNSPEC)
		(void)eza_give_name(&call->args[4], &from);
	return end(n);
}

int eza_sendto(struct eza_call *call)
{
	int flags = take_flags(call->values[1]), rc = take_buffer(call, 2, 10174);
	struct sockaddr_storage to;
	socklen_t len = 0;

	if (!rc && flags < 0)
		rc = -EINVAL;
	if (!rc)
		rc = eza_take_name(&to, &len, &call->args[4]);
	if (rc < 0)
		return rc;
	if (!call->values[2])
		return nothing(call, 10174);
	return sent(call, sendto(call->fd, call->args[3].data, (size_t)call->values[2],
				 flags | MSG_NOSIGNAL | call->dontwait,
				 (const struct sockaddr *)&to, len));
}

/* Takes @count entries at @from, in the program's byte order; 0 or a negative error. */
static int take_iov(struct eza_call *call, struct iovec *iov, const struct eza_arg *from,
		    long count)
{
	const char *entry = from->data;
	int rc;

	if (count < 1)
		return eza_fail(call, -EINVAL, 10224);
	if (count > IOV_MOST)
		return eza_fail(call, -EINVAL, 10225);
	rc = eza_check(from, (size_t)count * IOV_ENTRY);
	if (!rc)
		rc = strict_pointers("IOV");
	if (rc < 0)
		return rc;
	for (long i = 0; i < count; i++, entry += IOV_ENTRY) {
		memcpy(&iov[i].iov_base, entry, sizeof(void *));
		iov[i].iov_len = eza_word(call->order, entry + IOV_LENGTH);
		if (iov[i].iov_len > INT_MAX)
			return -EINVAL;
	}
	return 0;
}

/* Returns whether no area of @msg has a byte. */
static bool is_empty(const struct msghdr *msg)
{
	for (size_t i = 0; i < msg->msg_iovlen; i++)
		if (msg->msg_iov[i].iov_len)
			return false;
	return true;
}

/* S, IOV, IOVCNT */
int eza_readv(struct eza_call *call)
{
	struct iovec iov[IOV_MOST];
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = (size_t)call->values[2]};
	int rc = take_iov(call, iov, &call->args[1], call->values[2]);

	if (rc < 0 || is_empty(&msg))
		return rc;
	return end(recvmsg(call->fd, &msg, call->dontwait));
}

int eza_writev(struct eza_call *call)
{
	struct iovec iov[IOV_MOST];
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = (size_t)call->values[2]};
	int rc = take_iov(call, iov, &call->args[1], call->values[2]);

	if (rc < 0 || is_empty(&msg))
		return rc;
	return sent(call, sendmsg(call->fd, &msg, MSG_NOSIGNAL | call->dontwait));
}

struct message {
	void *at[MSG_POINTERS];
	struct iovec iov[IOV_MOST];
	struct sockaddr_storage name;
	int flags;
};

/* Takes MSG and FLAGS, which come in either order: the size tells them apart. 0 or a negative
 * error. */
static int take_message(struct eza_call *call, struct message *message, struct msghdr *native)
{
	bool swapped = call->args[1].size == 4 && call->args[2].size > 4;
	const struct eza_arg *msg = &call->args[swapped ? 2 : 1];
	const struct eza_arg *flags = &call->args[swapped ? 1 : 2];
	struct eza_arg iov = {.data = NULL};
	long count;
	int rc = eza_check(msg, sizeof(message->at));

	if (!rc)
		rc = eza_check(flags, 4);
	if (!rc)
		rc = strict_pointers("MSG");
	if (rc < 0)
		return rc;
	memcpy(message->at, msg->data, sizeof(message->at));
	message->flags = take_flags(eza_number(flags, 4));
	if (message->flags < 0)
		return -EINVAL;
	if (memory_check_read(message->at[MSG_AT_IOVCNT], 4))
		return -EFAULT;
	count = (int32_t)eza_word(call->order, message->at[MSG_AT_IOVCNT]);
	iov.data = message->at[MSG_AT_IOV];
	rc = take_iov(call, message->iov, &iov, count);
	if (rc < 0)
		return rc;
	*native = (struct msghdr){.msg_iov = message->iov, .msg_iovlen = (size_t)count};
	return 0;
}

/* Returns the length of NAME, which is read or is a result; 0: none; or a negative error. */
static int name_length(const struct eza_call *call, const struct message *message,
		       int (*check)(const void *at, size_t len))
{
	uint32_t len;

	if (!message->at[MSG_AT_NAME])
		return 0;
	if (check(message->at[MSG_AT_NAMELEN], 4))
		return -EFAULT;
	len = eza_word(call->order, message->at[MSG_AT_NAMELEN]);
	if (len > VSE_SOCKADDR_IN6)
		len = VSE_SOCKADDR_IN6;
	if (check(message->at[MSG_AT_NAME], len))
		return -EFAULT;
	return (int)len;
}

int eza_sendmsg(struct eza_call *call)
{
	struct message message;
	struct msghdr native;
	int rc = take_message(call, &message, &native);
	int len = rc ? rc : name_length(call, &message, memory_check_read);

	if (len < 0)
		return len;
	if (message.at[MSG_AT_RIGHTSLEN] && message.at[MSG_AT_RIGHTS])
		return -EOPNOTSUPP;
	if (len) {
		struct eza_arg name = {.data = message.at[MSG_AT_NAME], .size = (size_t)len};

		rc = eza_take_name(&message.name, &native.msg_namelen, &name);
		if (rc < 0)
			return rc;
		native.msg_name = &message.name;
	}
	return sent(call,
		    sendmsg(call->fd, &native, message.flags | MSG_NOSIGNAL | call->dontwait));
}

int eza_recvmsg(struct eza_call *call)
{
	struct message message = {.name = {0}};
	struct msghdr native;
	int rc = take_message(call, &message, &native);
	int len = rc ? rc : name_length(call, &message, memory_check_result);
	ssize_t n;

	if (len < 0)
		return len;
	if (message.at[MSG_AT_NAME]) {
		native.msg_name = &message.name;
		native.msg_namelen = sizeof(message.name);
	}
	n = recvmsg(call->fd, &native, message.flags | call->dontwait);
	if (n >= 0 && message.at[MSG_AT_NAME]) {
		size_t full = 0;

		if (message.name.ss_family != AF_UNSPEC)
			full = vse_addr_give(message.at[MSG_AT_NAME], (size_t)len, &message.name,
					     VSE_ADDR_EZA);
		eza_set_word(call->order, message.at[MSG_AT_NAMELEN], (uint32_t)full);
	}
	return end(n);
}
