/* SPDX-License-Identifier: Apache-2.0 */
/* ctl.c - one call on the control channel of an LFP instance */
#include "libvsesock/core/ctl.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "libvsesock/core/full.h"
#include "libvsesock/core/place.h"
#include "libvsesock/core/raw.h"

/* Room for one descriptor, aligned as struct cmsghdr wants it. */
union rights {
	char buf[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

int ctl_open(const char *nn)
{
	struct sockaddr_un addr;
	int rc = place_ctl(&addr, nn);
	int conn;

	if (rc < 0)
		return -ENETDOWN;
	conn = raw_socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (conn < 0)
		return conn;
	do
		rc = raw_connect(conn, &addr, sizeof(addr));
	while (rc == -EINTR);
	if (rc < 0) {
		raw_close(conn);
		return -ENETDOWN;
	}
	return conn;
}

int ctl_send(int conn, const struct ctl_call *call)
{
	struct lfp_ctl_request head; /* only its fixed part is used */
	struct iovec iov[2] = {
		{.iov_base = &head, .iov_len = LFP_CTL_REQUEST_HEAD},
		{.iov_base = (void *)(uintptr_t)call->data, .iov_len = call->len},
	};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = call->len ? 2 : 1};
	union rights rights;
	ssize_t n;

	if (call->len > LFP_CTL_DATA)
		return -EINVAL;
	head.magic = LFP_CTL_MAGIC;
	head.op = call->op;
	head.flags = call->flags;
	head.a = call->a;
	head.b = call->b;
	head.c = call->c;
	head.len = call->len;
	if (call->fd >= 0) {
		memset(&rights, 0, sizeof(rights));
		rights.align.cmsg_level = SOL_SOCKET;
		rights.align.cmsg_type = SCM_RIGHTS;
		rights.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&rights.align), &call->fd, sizeof(int));
		msg.msg_control = &rights;
		msg.msg_controllen = sizeof(rights.buf);
	}
	do
		n = raw_sendmsg(conn, &msg, MSG_NOSIGNAL);
	while (n == -EINTR);
	/* The program's own mistakes: a closed descriptor, a bad pointer. */
	if (n == -EBADF || n == -EFAULT)
		return (int)n;
	return n < 0 ? -ENETDOWN : 0;
}

int ctl_check(struct ctl_call *call, const struct lfp_ctl_reply *head, ssize_t n)
{
	call->answered = false;
	call->answer_len = 0;
	if (n < (ssize_t)LFP_CTL_REPLY_HEAD || head->magic != LFP_CTL_MAGIC || head->error < 0)
		return -ENETDOWN;
	call->answered = true;
	call->value = head->value;
	call->answer_len = head->len;
	if (call->answer_len > (size_t)n - LFP_CTL_REPLY_HEAD)
		call->answer_len = (uint32_t)((size_t)n - LFP_CTL_REPLY_HEAD);
	return -head->error;
}

/* @taken is a descriptor that came along, else -1. */
static int receive(int conn, struct ctl_call *call, int *taken)
{
	struct lfp_ctl_reply head; /* only its fixed part is used */
	struct iovec iov[2] = {
		{.iov_base = &head, .iov_len = LFP_CTL_REPLY_HEAD},
		{.iov_base = call->answer, .iov_len = call->room},
	};
	union rights rights;
	struct msghdr msg = {
		.msg_iov = iov,
		.msg_iovlen = call->room ? 2 : 1,
	};
	ssize_t n;

	if (taken) {
		*taken = -1;
		msg.msg_control = &rights;
		msg.msg_controllen = sizeof(rights.buf);
	}
	do
		n = raw_recvmsg(conn, &msg, MSG_CMSG_CLOEXEC);
	while (n == -EINTR);
	if (taken && n >= 0 && msg.msg_controllen >= CMSG_LEN(sizeof(int)) &&
	    rights.align.cmsg_level == SOL_SOCKET && rights.align.cmsg_type == SCM_RIGHTS)
		memcpy(taken, CMSG_DATA(&rights.align), sizeof(int));
	if (taken && n >= 0 && *taken < 0 && (msg.msg_flags & MSG_CTRUNC))
		return -EMFILE;
	if (n == -EFAULT)
		return -EFAULT;
	return ctl_check(call, &head, n);
}

int ctl_receive(int conn, struct ctl_call *call)
{
	return receive(conn, call, NULL);
}

static int call_plain(struct ctl_call *call)
{
	int conn = ctl_open(call->nn);
	int rc;

	if (conn < 0)
		return conn;
	rc = ctl_send(conn, call);
	if (!rc)
		rc = ctl_receive(conn, call);
	raw_close(conn);
	return rc;
}

int ctl_call(struct ctl_call *call)
{
	int rc;

	call->answered = false;
	call->answer_len = 0;
	rc = call_plain(call);
	if (rc == -EMFILE && !call->answered)
		rc = full_call(call, call_plain);
	if (rc < 0 && !call->answered && rc != -EBADF && rc != -EFAULT)
		rc = -ENETDOWN;
	return rc;
}

int ctl_take(struct ctl_call *call, int flags)
{
	int conn, taken = -1, rc;

	call->answered = false;
	call->answer_len = 0;
	conn = ctl_open(call->nn);
	if (conn < 0)
		return conn;
	rc = ctl_send(conn, call);
	if (!rc)
		rc = receive(conn, call, &taken);
	if (!rc && taken < 0)
		rc = -ENETDOWN;
	if (rc < 0)
		goto out;
	if (flags & O_NONBLOCK) {
		rc = raw_fcntl(taken, F_SETFL, O_RDWR | O_NONBLOCK);
		if (rc < 0)
			goto out;
	}
	/* The connection has the number that POSIX promises for the new descriptor. */
	rc = raw_dup3(taken, conn, flags & O_CLOEXEC);
	if (rc >= 0)
		conn = -1;
out:
	if (taken >= 0)
		raw_close(taken);
	if (conn >= 0)
		raw_close(conn);
	return rc;
}
