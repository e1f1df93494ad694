/* SPDX-License-Identifier: Apache-2.0 */
/* ctl-conn.c - a connection on the control channel: one request, one answer */
#include "libvsesock/core/ctl-conn.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "lfp/rights.h"
#include "libvsesock/core/fresh.h"
#include "libvsesock/core/place.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/core/sandbox.h"

void (*ctl_speaker)(struct lfp_ctl_request_head *head);
uint64_t (*ctl_task)(const char *nn, uint16_t *flags);

/* Returns true if the other side has ended or never existed. Any other error is a refusal. */
static bool is_gone(ssize_t rc)
{
	return rc == -EPIPE || rc == -ECONNRESET || rc == -ENOTCONN || rc == -ECONNREFUSED;
}

/* connect() also returns EACCES for a path: did the program's own seccomp filter refuse the call?
 */
static int explain_connect(int rc)
{
	int refused = raw_connect_nothing();

	return refused == rc ? rc : -ENETDOWN;
}

int ctl_connect(const char *nn)
{
	struct sockaddr_un addr;
	int rc = place_ctl(&addr, nn);
	int conn;

	if (rc < 0 || sandbox_kills(SANDBOX_SOCKET | SANDBOX_CONNECT))
		return -ENETDOWN;
	conn = raw_socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (conn < 0)
		return conn;
	do
		rc = raw_connect(conn, &addr, sizeof(addr));
	while (rc == -EINTR);
	if (rc < 0) {
		raw_close(conn);
		return explain_connect(rc);
	}
	return conn;
}

/* A program that is executed in the same process begins without this mark. A child inherits it, and
 * is a task of its own. */
static bool told;

int ctl_send(int conn, const struct ctl_call *call)
{
	struct lfp_ctl_request_head head;
	struct iovec iov[2] = {
		{.iov_base = &head, .iov_len = LFP_CTL_REQUEST_HEAD},
		{.iov_base = (void *)(uintptr_t)call->data, .iov_len = call->len},
	};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = call->len ? 2 : 1};
	union lfp_rights rights;
	ssize_t n;

	if (call->len > LFP_CTL_DATA)
		return -EINVAL;
	head.magic = LFP_CTL_MAGIC;
	head.op = call->op;
	head.flags = call->flags;
	if (!told && lfp_ctl_is_direct(call->op)) {
		head.flags |= LFP_CTL_ANEW;
		told = true;
	}
	head.a = call->a;
	head.b = call->b;
	head.c = call->c;
	head.len = call->len;
	head.task = 0;
	head.speaker = 0;
	head.as = 0;
	if (ctl_speaker)
		ctl_speaker(&head);
	if (ctl_task)
		head.as = ctl_task(call->nn, &head.flags);
	if (call->fd >= 0)
		fresh_escaped(call->fd);
	lfp_rights_put(&msg, &rights, &call->fd, call->fd >= 0);
	do
		n = raw_sendmsg(conn, &msg, MSG_NOSIGNAL);
	while (n == -EINTR);
	if (n >= 0)
		return 0;
	/* Other errors are the program's own: a closed descriptor, a bad pointer, its filter. */
	return is_gone(n) ? -ENETDOWN : (int)n;
}

int ctl_check(struct ctl_call *call, const struct lfp_ctl_reply_head *head, ssize_t n)
{
	call->answered = false;
	call->answer_len = 0;
	if (n < (ssize_t)LFP_CTL_REPLY_HEAD || head->magic != LFP_CTL_REPLY_MAGIC ||
	    head->error < 0)
		return -ENETDOWN;
	call->answered = true;
	call->value = head->value;
	call->answer_len = head->len;
	if (call->answer_len > (size_t)n - LFP_CTL_REPLY_HEAD)
		call->answer_len = (uint32_t)((size_t)n - LFP_CTL_REPLY_HEAD);
	return -head->error;
}

/* @taken is a descriptor that came along, else -1. */
int ctl_receive_into(int conn, struct ctl_call *call, int *taken, int flags)
{
	struct lfp_ctl_reply_head head;
	struct iovec iov[2] = {
		{.iov_base = &head, .iov_len = LFP_CTL_REPLY_HEAD},
		{.iov_base = call->answer, .iov_len = call->room},
	};
	union lfp_rights rights;
	struct msghdr msg = {
		.msg_iov = iov,
		.msg_iovlen = call->room ? 2 : 1,
	};
	int resets = 0, rc;
	ssize_t n;

	if (taken) {
		*taken = -1;
		msg.msg_control = &rights;
		msg.msg_controllen = sizeof(rights.room);
	}
	/* An instance that answers before it has read everything (DETACH) leaves a reset, which the
	 * kernel reports once, before the answer. */
	do
		n = raw_recvmsg(conn, &msg, flags);
	while (n == -EINTR || (n == -ECONNRESET && !resets++));
	if (taken && n >= 0)
		(void)lfp_rights_take(&msg, taken, 1);
	if (n < 0)
		return is_gone(n) ? -ENETDOWN : (int)n;
	rc = ctl_check(call, &head, n);
	if (taken && *taken < 0 && (msg.msg_flags & MSG_CTRUNC))
		return -EMFILE;
	return rc;
}
