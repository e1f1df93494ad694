/* SPDX-License-Identifier: Apache-2.0 */
/* connect.c - connect */
#include <pthread.h>
#include <string.h>
#include <sys/time.h>

#include "libvsesock/preload/hooks.h"

/*
 * Theory of operation
 *
 * With O_NONBLOCK connect() is one control call; the near end becomes writable when the connection
 * is there. Without, the caller waits for the answer in a recvmsg() on the control connection that
 * has the near end's SO_SNDTIMEO as its own time limit: signals, SA_RESTART, the time limit and
 * cancellation are then as in a connect() in the kernel, because it is a wait in the kernel. A
 * caller that leaves early says so (LFP_CTL_DETACH): the connection goes on being made, as
 * natively.
 *
 * With no descriptor free there is no connection to wait on. Then the connect is started as with
 * O_NONBLOCK, and the wait is one for POLLOUT.
 */

static bool is_nonblocking(int fd)
{
	int flags = raw_fcntl(fd, F_GETFL, 0);

	return flags >= 0 && (flags & O_NONBLOCK);
}

static struct timeval get_timeout(int fd)
{
	struct timeval tv = {0};
	socklen_t len = sizeof(tv);

	raw_getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, &len);
	return tv;
}

/* Leave the wait, by a signal or by the time limit. */
static int detach(int conn, const char *nn, bool by_signal)
{
	struct ctl_call call = {.nn = nn, .op = LFP_CTL_DETACH, .fd = -1};
	struct timeval never = {0};
	int rc;

	raw_setsockopt(conn, SOL_SOCKET, SO_RCVTIMEO, &never, sizeof(never));
	rc = ctl_send(conn, &call);
	/* If it could not be sent there may still be an answer to the connect. */
	rc = ctl_receive(conn, &call);
	return by_signal && (rc == -EINPROGRESS || rc == -EALREADY) ? -EINTR : rc;
}

static void close_conn(void *conn)
{
	raw_close(*(int *)conn);
}

static int wait_for_answer(int conn, struct ctl_call *call)
{
	struct lfp_ctl_reply head; /* only its fixed part is used */
	struct iovec iov = {.iov_base = &head, .iov_len = LFP_CTL_REPLY_HEAD};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	int saved = errno;
	ssize_t n;
	int rc;

	pthread_cleanup_push(close_conn, &conn);
	n = real()->recvmsg(conn, &msg, 0);
	rc = n < 0 ? -errno : 0;
	pthread_cleanup_pop(0);
	errno = saved;
	if (rc == -EINTR || rc == -EAGAIN)
		return detach(conn, call->nn, rc == -EINTR);
	return ctl_check(call, &head, n);
}

static int connect_blocking(int conn, struct ctl_call *call)
{
	struct timeval timeout = get_timeout(call->fd);
	int rc;

	if (timeout.tv_sec || timeout.tv_usec)
		raw_setsockopt(conn, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	rc = ctl_send(conn, call);
	if (!rc)
		rc = wait_for_answer(conn, call);
	raw_close(conn);
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
	return rc < 0 ? rc : -error;
}

EXPORT int connect(int fd, __CONST_SOCKADDR_ARG addr, socklen_t addrlen)
{
	struct lfp_addr data;
	struct ctl_call call = {
		.op = LFP_CTL_CONNECT,
		.data = &data,
		.len = sizeof(data),
		.fd = fd,
	};
	char nn[3];
	int conn, rc;

	if (!near_end(fd, nn))
		return real()->connect(fd, addr.__sockaddr__, addrlen);
	rc = take_addr(&data, addr.__sockaddr__, addrlen);
	if (rc < 0)
		return (int)give(rc);
	call.nn = nn;
	/* AF_UNSPEC dissolves a connection: nothing to wait for. */
	if (data.family == LFP_AF_UNSPEC || is_nonblocking(fd))
		return (int)give(ctl_call(&call));

	call.flags = LFP_CTL_BLOCKING;
	conn = ctl_open(nn);
	if (conn == -EMFILE)
		rc = connect_full(&call);
	else if (conn < 0)
		rc = conn;
	else
		rc = connect_blocking(conn, &call);
	return (int)give(rc);
}
