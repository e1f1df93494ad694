/* SPDX-License-Identifier: Apache-2.0 */
/* ctl.c - one call on the control channel of an LFP instance */
#include "libvsesock/core/ctl.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "libvsesock/core/full.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/core/park.h"
#include "libvsesock/core/place.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/core/sandbox.h"

/* Room for one descriptor, aligned as struct cmsghdr wants it. */
union rights {
	char buf[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

void (*ctl_speaker)(struct lfp_ctl_request_head *head);
uint64_t (*ctl_task)(const char *nn, uint16_t *flags);

/* The other side has ended or was never there; any other error is a refusal. */
static bool is_gone(ssize_t rc)
{
	return rc == -EPIPE || rc == -ECONNRESET || rc == -ENOTCONN || rc == -ECONNREFUSED;
}

/* connect() says EACCES for a path, too: was it the program's own seccomp filter? */
static int explain_connect(int rc)
{
	int refused = raw_connect(-1, NULL, 0);

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

int ctl_send(int conn, const struct ctl_call *call)
{
	struct lfp_ctl_request_head head;
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
	head.task = 0;
	head.speaker = 0;
	head.as = 0;
	if (ctl_speaker)
		ctl_speaker(&head);
	if (ctl_task)
		head.as = ctl_task(call->nn, &head.flags);
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
	if (n >= 0)
		return 0;
	/* Else the program's own mistakes: a closed descriptor, a bad pointer, its filter. */
	return is_gone(n) ? -ENETDOWN : (int)n;
}

/* Through what is parked. The request goes first: the instance finds it there. */
static int ask_parked(const struct ctl_call *call)
{
	int ends[2], rc;

	if (park_fd() < 0 || strcmp(call->nn, place_instance()) != 0 ||
	    sandbox_kills(SANDBOX_SOCKETPAIR | SANDBOX_GETSOCKOPT))
		return -ENETDOWN;
	rc = raw_socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
	if (rc < 0)
		return rc;
	rc = ctl_send(ends[0], call);
	if (!rc)
		rc = park_hand(ends[1]);
	raw_close(ends[1]);
	if (!rc)
		return ends[0];
	raw_close(ends[0]);
	if (rc == -ENETDOWN && !call->copied)
		park_drop();
	return rc;
}

static int ask_by_path(const struct ctl_call *call)
{
	int conn = ctl_connect(call->nn);
	int rc;

	if (conn < 0)
		return conn;
	rc = ctl_send(conn, call);
	if (!rc)
		return conn;
	raw_close(conn);
	return rc;
}

/* What a call that asks needs, by either way. */
static bool is_confined(void)
{
	return sandbox_kills(SANDBOX_SENDMSG | SANDBOX_RECVMSG | SANDBOX_CLOSE);
}

/* An error that the other way would have as well. */
static bool is_final(int rc)
{
	return rc == -EMFILE || rc == -ENFILE || rc == -EBADF || rc == -EFAULT;
}

int ctl_ask(struct ctl_call *call)
{
	int parked, rc;

	call->answered = false;
	call->answer_len = 0;
	call->parked = false;
	if (is_confined())
		return -ENETDOWN;
	parked = ask_parked(call);
	call->parked = parked >= 0;
	if (parked >= 0 || is_final(parked))
		return parked;
	rc = ask_by_path(call);
	/* Neither works: what the program's filter says is the better reason. */
	return rc == -ENETDOWN ? parked : rc;
}

bool ctl_again(struct ctl_call *call)
{
	/* Closed without an answer, a request was never read: the instance has ended, or had to let
	 * go of the parked connection. */
	if (call->answered || !call->parked)
		return false;
	park_drop();
	return true;
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
static int receive(int conn, struct ctl_call *call, int *taken, int flags)
{
	struct lfp_ctl_reply_head head;
	struct iovec iov[2] = {
		{.iov_base = &head, .iov_len = LFP_CTL_REPLY_HEAD},
		{.iov_base = call->answer, .iov_len = call->room},
	};
	union rights rights;
	struct msghdr msg = {
		.msg_iov = iov,
		.msg_iovlen = call->room ? 2 : 1,
	};
	int resets = 0, rc;
	ssize_t n;

	if (taken) {
		*taken = -1;
		msg.msg_control = &rights;
		msg.msg_controllen = sizeof(rights.buf);
	}
	/* An instance that has answered before it has read all (DETACH) leaves a reset, which the
	 * kernel tells once, before the answer. */
	do
		n = raw_recvmsg(conn, &msg, flags);
	while (n == -EINTR || (n == -ECONNRESET && !resets++));
	if (taken && n >= 0 && msg.msg_controllen >= CMSG_LEN(sizeof(int)) &&
	    rights.align.cmsg_level == SOL_SOCKET && rights.align.cmsg_type == SCM_RIGHTS)
		memcpy(taken, CMSG_DATA(&rights.align), sizeof(int));
	if (n < 0)
		return is_gone(n) ? -ENETDOWN : (int)n;
	rc = ctl_check(call, &head, n);
	if (taken && *taken < 0 && (msg.msg_flags & MSG_CTRUNC))
		return -EMFILE;
	return rc;
}

int ctl_receive(int conn, struct ctl_call *call)
{
	return receive(conn, call, NULL, MSG_CMSG_CLOEXEC);
}

int ctl_ask_directly(struct ctl_call *call)
{
	int conn, rc;

	call->answered = false; /* it may be asked again */
	call->answer_len = 0;
	if (ctl_speaker || call->copied || !lfp_ctl_is_direct(call->op) || is_confined() ||
	    sandbox_kills(SANDBOX_GETSOCKOPT) || strcmp(call->nn, place_instance()) != 0)
		return -ENETDOWN;
	conn = park_borrow();
	if (conn < 0)
		return -ENETDOWN;
	call->flags |= LFP_CTL_DIRECT;
	rc = ctl_send(conn, call);
	call->flags &= (uint16_t)~LFP_CTL_DIRECT;
	if (!rc)
		return conn;
	/* The instance has let go of the connection, or ended: nothing was done. */
	park_return(rc == -ENETDOWN);
	/* Other ways may work, or say what is wrong. */
	return rc == -EBADF || !is_final(rc) ? -ENETDOWN : rc;
}

/* An answer that the kernel cannot put into memory that is there, as it may not be written, is
 * taken all the same. */
static bool is_lost(const struct ctl_call *call, int rc)
{
	return rc == -EFAULT && !memory_check_read(call->answer, call->room);
}

int ctl_answered_directly(const struct ctl_call *call, int rc)
{
	/* Whatever the reason, an answer that was not taken would be the next call's. */
	park_return(!call->answered && !is_lost(call, rc));
	/* The program has closed it, or put something else in its place. */
	return !call->answered && (rc == -EBADF || rc == -ENOTSOCK) ? -ENETDOWN : rc;
}

/* -ENETDOWN if it is not possible, or has not served, which is tried by other ways then. @taken is
 * as for receive(). */
static int ask_directly(struct ctl_call *call, int *taken, int flags)
{
	int conn = ctl_ask_directly(call);

	return conn < 0 ? conn : ctl_answered_directly(call, receive(conn, call, taken, flags));
}

static bool is_answered(const struct ctl_call *call, int rc)
{
	return rc != -ENETDOWN || call->answered;
}

static int call_once(struct ctl_call *call)
{
	int conn = ctl_ask(call);
	int rc;

	if (conn < 0)
		return conn;
	rc = ctl_receive(conn, call);
	raw_close(conn);
	return rc;
}

int ctl_call(struct ctl_call *call)
{
	int rc = ask_directly(call, NULL, MSG_CMSG_CLOEXEC);

	if (is_answered(call, rc))
		return rc;
	do {
		rc = call_once(call);
		if (rc == -EMFILE && !call->answered)
			rc = full_call(call, call_once);
	} while (rc == -ENETDOWN && ctl_again(call));
	if (call->answered)
		park_make();
	return rc;
}

/* Takes the descriptor of the answer, if that has one. */
static int take_once(struct ctl_call *call, int flags)
{
	int conn, taken = -1, rc;

	conn = ctl_ask(call);
	if (conn < 0)
		return conn;
	rc = receive(conn, call, &taken, MSG_CMSG_CLOEXEC);
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

int ctl_take(struct ctl_call *call, int flags)
{
	int taken = -1;
	int rc = ask_directly(call, &taken, flags & O_CLOEXEC ? MSG_CMSG_CLOEXEC : 0);

	if (!rc && taken >= 0 && (flags & O_NONBLOCK))
		rc = raw_fcntl(taken, F_SETFL, O_RDWR | O_NONBLOCK);
	if (rc < 0 && taken >= 0)
		raw_close(taken);
	if (is_answered(call, rc))
		return rc < 0 ? rc : taken >= 0 ? taken : -ENETDOWN;
	do
		rc = take_once(call, flags);
	while (rc == -ENETDOWN && ctl_again(call));
	if (call->answered)
		park_make();
	return rc;
}
