/* SPDX-License-Identifier: Apache-2.0 */
/* connect.c - connect */
#include <pthread.h>
#include <string.h>
#include <sys/time.h>

#include "libvsesock/core/park.h"
#include "libvsesock/core/near.h"
#include "libvsesock/core/post.h"
#include "libvsesock/preload/hooks.h"

/*
 * Theory of operation
 *
 * With O_NONBLOCK connect() is one control call; the near end becomes writable when the connection
 * is established. Without it, the caller waits for the answer in recvmsg() on the control
 * connection. That is a wait in the kernel, so signals, SA_RESTART and cancellation work as in the
 * kernel's own connect(). With a time limit, the control connection is a new one whose timeout is
 * the near end's SO_SNDTIMEO; else it is the parked one, if that is free. A caller that leaves
 * early reports it (LFP_CTL_DETACH), and the connect continues, as natively.
 *
 * Without a free descriptor there is no connection to wait on. Then the connect starts as with
 * O_NONBLOCK, and the caller waits for POLLOUT.
 */

static bool is_nonblocking(int fd)
{
	int flags = near_dontwait ? O_NONBLOCK : raw_fcntl(fd, F_GETFL, 0);

	return flags >= 0 && (flags & O_NONBLOCK);
}

static struct timeval get_timeout(int fd)
{
	struct timeval tv = {0};
	socklen_t len = sizeof(tv);

	raw_getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, &len);
	return tv;
}

/* Tells the instance that the caller leaves the wait, because of a signal or the time limit. */
static int detach(int conn, struct ctl_call *connecting, bool by_signal, bool directly)
{
	struct ctl_call call = {
		.nn = connecting->nn,
		.op = LFP_CTL_DETACH,
		.flags = directly ? LFP_CTL_DIRECT : 0,
		.fd = -1,
	};
	struct timeval never = {0};
	int rc;

	/* The instance sees the end of the connection. */
	if (directly && !park_lasts())
		return -EINTR;
	if (!directly)
		raw_setsockopt(conn, SOL_SOCKET, SO_RCVTIMEO, &never, sizeof(never));
	rc = ctl_send(conn, &call);
	/* If DETACH cannot be sent, an answer to the connect may already be there. */
	rc = ctl_receive(conn, &call);
	connecting->answered = call.answered;
	connecting->value = call.value;
	/* The parked connection has ended, and the wait with it. */
	if (rc == -ENETDOWN && directly && !call.answered)
		return -EINTR;
	return by_signal && (rc == -EINPROGRESS || rc == -EALREADY) ? -EINTR : rc;
}

struct wait {
	int conn;
	bool directly; /* conn is the parked connection */
	struct ctl_call *call;
	struct lfp_ctl_reply_head head;
};

static void leave(void *data)
{
	struct wait *wait = data;

	if (!wait->directly) {
		raw_close(wait->conn);
		return;
	}
	/* The parked connection stays open, as it may be the only way to the instance. libc may
	 * cancel behind a recvmsg() that has taken the answer. */
	wait->call->answered = wait->head.magic == LFP_CTL_REPLY_MAGIC;
	if (!wait->call->answered)
		(void)detach(wait->conn, wait->call, true, true);
	(void)ctl_answered_directly(wait->call, 0);
}

static int wait_for_answer(int conn, struct ctl_call *call, bool directly)
{
	struct wait wait = {.conn = conn, .directly = directly, .call = call};
	struct iovec iov[2] = {
		{.iov_base = &wait.head, .iov_len = LFP_CTL_REPLY_HEAD},
		{.iov_base = call->answer, .iov_len = call->room},
	};
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = 2};
	int saved = errno, rc;
	ssize_t n;

	pthread_cleanup_push(leave, &wait);
	/* The kernel may report a reset before the answer, once (core/ctl-conn.c,
	 * ctl_receive_into()). */
	n = real()->recvmsg(conn, &msg, 0);
	if (n < 0 && errno == ECONNRESET)
		n = real()->recvmsg(conn, &msg, 0);
	rc = n < 0 ? -errno : 0;
	pthread_cleanup_pop(0);
	errno = saved;
	if (rc == -EINTR || rc == -EAGAIN)
		return detach(conn, call, rc == -EINTR, directly);
	return ctl_check(call, &wait.head, n);
}

/* -EMFILE if there is no descriptor for the connection to wait on. */
static int connect_blocking(struct ctl_call *call)
{
	struct timeval timeout = get_timeout(call->fd);
	int conn, rc;

	if (!timeout.tv_sec && !timeout.tv_usec) {
		conn = ctl_ask_directly(call);
		if (conn >= 0)
			rc = ctl_answered_directly(call, wait_for_answer(conn, call, true));
		else
			rc = conn;
		if (rc != -ENETDOWN || call->answered)
			return rc;
	}
	do {
		conn = ctl_ask(call);
		if (conn < 0)
			return conn;
		if (timeout.tv_sec || timeout.tv_usec)
			raw_setsockopt(conn, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
		rc = wait_for_answer(conn, call, false);
		raw_close(conn);
	} while (rc == -ENETDOWN && ctl_again(call));
	return rc;
}

static int connect_full(struct ctl_call *call)
{
	struct timeval tv = get_timeout(call->fd);
	struct timespec ts = {.tv_sec = tv.tv_sec, .tv_nsec = tv.tv_usec * 1000};
	struct pollfd pfd = {.fd = call->fd, .events = POLLOUT};
	bool limited = tv.tv_sec || tv.tv_usec;
	int error = 0, rc;
	struct ctl_call ask = {
		.nn = call->nn,
		.op = LFP_CTL_GETSOCKOPT,
		.a = SOL_SOCKET,
		.b = SO_ERROR,
		.c = sizeof(error),
		.fd = call->fd,
		.answer = &error,
		.room = sizeof(error),
	};

	call->flags = 0;
	rc = ctl_call(call);
	if (rc != -EINPROGRESS)
		return rc;
	rc = (int)raw_call(SYS_ppoll, (long)&pfd, 1, limited ? (long)&ts : 0, 0, 0, 0);
	if (rc == 0)
		return -EINPROGRESS;
	if (rc < 0)
		return rc;
	rc = ctl_call(&ask);
	if (rc < 0 || error)
		return rc < 0 ? rc : -error;
	/* The first call after a connect() that did not wait reports its success. */
	return ctl_call(call);
}

/* Makes one attempt. Returns 0 or a negative errno. */
static int connect_once(struct ctl_call *call, bool unspec)
{
	int rc;

	/* AF_UNSPEC dissolves a connection: there is nothing to wait for. */
	call->flags = 0;
	if (unspec || is_nonblocking(call->fd))
		return ctl_call(call);
	call->flags = LFP_CTL_BLOCKING;
	rc = connect_blocking(call);
	if (rc == -EMFILE && !call->answered)
		rc = connect_full(call);
	return rc;
}

/* The instance has answered with the cookie of the near end, if this process may post its options.
 */
static void note_connected(int fd, const struct ctl_call *call, uint64_t cookie)
{
	if (call->answer_len != sizeof(cookie)) {
		near_sends(fd);
		return;
	}
	post_allow(cookie, 0);
	near_note_quiet(fd);
}

EXPORT int connect(int fd, __CONST_SOCKADDR_ARG addr, socklen_t addrlen)
{
	struct lfp_addr data;
	uint64_t cookie;
	struct ctl_call call = {
		.op = LFP_CTL_CONNECT,
		.data = &data,
		.len = sizeof(data),
		.fd = fd,
		.answer = &cookie,
		.room = sizeof(cookie),
	};
	enum near_kind kind;
	char nn[3];
	int rc, error;

	kind = near_kind(fd, nn);
	if (kind == NEAR_NONE)
		return real()->connect(fd, addr.__sockaddr__, addrlen);
	rc = filter_verdict(raw_connect_nothing());
	if (rc < 0)
		return (int)give(rc);
	rc = take_addr(&data, addr.__sockaddr__, addrlen);
	if (rc < 0)
		return (int)give(rc);
	call.nn = nn;
	pthread_testcancel();
	if (kind == NEAR_DATAGRAM)
		return (int)give(ctl_call(&call));
	for (;;) {
		rc = connect_once(&call, data.family == LFP_AF_UNSPEC);
		if (rc != -EBADFD) {
			note_connected(fd, &call, cookie);
			return (int)give(rc);
		}
		error = call.value;
		rc = renew(fd, nn);
		if (rc < 0 || error || data.family == LFP_AF_UNSPEC)
			return (int)give(rc < 0 ? rc : -error);
	}
}
