/* SPDX-License-Identifier: Apache-2.0 */
/* accept.c - accept, accept4 */
#include <pthread.h>
#include <string.h>

#include "lfp/rights.h"
#include "libvsesock/core/credit.h"
#include "libvsesock/core/known.h"
#include "libvsesock/core/near.h"
#include "libvsesock/core/post.h"
#include "libvsesock/core/recognised.h"
#include "libvsesock/core/sandbox.h"
#include "libvsesock/preload/hooks.h"
#include "libvsesock/preload/listeners.h"
#include "libvsesock/strict/strict.h"

/*
 * Theory of operation
 *
 * A connection waits on the listener's near end as one record with the new socket's near end
 * (lfp/ctl.h). accept() first looks at the record with MSG_PEEK. That call waits, in the kernel, as
 * the program has set it up (O_NONBLOCK, SO_RCVTIMEO, signals, cancellation). Then accept() makes
 * sure that a descriptor is free: a record without room for its descriptor is lost. Then it takes
 * the record without waiting, because another process may have been faster.
 */

/* Delay in ms of an accept() on a listener whose instance has ended, so that a program that calls
 * it in a loop does not use up a processor. */
#define PAUSE_MS 100

static bool is_record(const struct lfp_accept_record *record, ssize_t n)
{
	return n == (ssize_t)sizeof(*record) && record->magic == LFP_CTL_RECORD_MAGIC;
}

/* Returns the errno for an end of file on the near end. */
static int explain_end(int fd, const char *nn)
{
	int rc = near_call(fd, nn, LFP_CTL_WHY_EOF, 1);

	/* The listener was shut down, or @fd is a connection that is over. */
	if (rc >= 0 || rc == -EINVAL || rc == -ENOTCONN || rc == -ECONNRESET)
		return -EINVAL;
	raw_sleep_ms(PAUSE_MS);
	return -ENETDOWN;
}

/* If the program's own seccomp filter forbids the call, the kernel's answer counts. */
static bool is_nonblocking(int fd)
{
	int flags = near_dontwait ? O_NONBLOCK : raw_fcntl(fd, F_GETFL, 0);

	return flags >= 0 && (flags & O_NONBLOCK);
}

/* Waits until there is a record. Returns 0 or a negative errno. */
static int wait_for_record(int fd, const char *nn)
{
	struct lfp_accept_record record;
	/* 0 also if the program's own seccomp filter forbids the call */
	short events = raw_poll_now(fd, POLLIN | POLLOUT);
	bool waits = !events && !is_nonblocking(fd);
	int saved = errno;
	ssize_t n = -EAGAIN;

	/* Peeking at a failed connection would clear its error. */
	if ((events & POLLERR) && near_call(fd, nn, LFP_CTL_WHY_EOF, 1) == -EINVAL)
		return -EINVAL;
	if (!waits)
		n = raw_recv(fd, &record, sizeof(record), MSG_PEEK | MSG_DONTWAIT);
	/* A listener is never writable and a connection is: do not wait for a connection's data. */
	if (n == -EAGAIN && (events & POLLOUT))
		return -EINVAL;
	if (waits || (events && n == -EAGAIN && !is_nonblocking(fd))) {
		n = real()->recv(fd, &record, sizeof(record), MSG_PEEK);
		if (n < 0)
			n = -errno;
		errno = saved;
	}
	if (n == 0 || n == -ECONNRESET)
		return explain_end(fd, nn);
	if (n < 0)
		return (int)n;
	return is_record(&record, n) ? 0 : -EINVAL;
}

/* Checks that a descriptor is free. Linux, too, checks before it takes a connection (net/socket.c,
 * __sys_accept4_file()). */
static int check_descriptor(int fd)
{
	int free_fd = raw_fcntl(fd, F_DUPFD_CLOEXEC, 0);

	if (free_fd >= 0)
		raw_close(free_fd);
	/* Any other error comes from the program's own seccomp filter. */
	return free_fd == -EMFILE ? -EMFILE : 0;
}

static int set_passcred(int fd, int on)
{
	return raw_setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
}

/* From here on the descriptor is the program's: see lfp/ctl.h. A mark that may take data with it is
 * not left: without it only a connection that is never used is reset with its listener. */
static void leave_mark(int fd, bool merges_pages)
{
	if (merges_pages && (sandbox_kills(SANDBOX_PASSCRED) || set_passcred(fd, 1)))
		return;
	raw_sendto(fd, "", 1, MSG_OOB | MSG_DONTWAIT | MSG_NOSIGNAL);
	if (merges_pages)
		(void)set_passcred(fd, 0);
}

/* Returns the new near end, or -EAGAIN if there is no record any more. */
static int take_record(int fd, struct lfp_accept_record *record, int flags)
{
	union lfp_rights rights;
	struct iovec iov = {.iov_base = record, .iov_len = sizeof(*record)};
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &rights,
		.msg_controllen = sizeof(rights.room),
	};
	int cloexec = flags & SOCK_CLOEXEC ? MSG_CMSG_CLOEXEC : 0;
	ssize_t n = raw_recvmsg(fd, &msg, MSG_DONTWAIT | cloexec);
	int taken = -1;

	if (n == 0)
		return -EAGAIN;
	if (n < 0)
		return (int)n;
	(void)lfp_rights_take(&msg, &taken, 1);
	if (taken < 0)
		return msg.msg_flags & MSG_CTRUNC ? -EMFILE : -ECONNABORTED;
	if (!is_record(record, n)) {
		raw_close(taken);
		return -ECONNABORTED;
	}
	if (flags & SOCK_NONBLOCK)
		raw_fcntl(taken, F_SETFL, O_RDWR | O_NONBLOCK);
	inherit_options(fd, taken);
	leave_mark(taken, record->merges_pages);
	return taken;
}

/* Remembers the facts in a record, if the instance has sent it. */
static void remember(int listener, int conn, const char *nn, const struct lfp_accept_record *record)
{
	const struct known_names names = {.local = record->local, .peer = record->peer};

	near_sends(conn); /* a hint about an earlier descriptor of this number */
	if (!record->cookie || !known_is_listener(known_cookie(listener)))
		return;
	known_put(record->cookie, &names);
	recognised_put(record->cookie, nn);
	near_note_cookie(conn);
	if (!record->owner)
		return;
	post_allow(record->cookie, record->owner);
	near_note_quiet(conn);
}

static int accept_near(int fd, const char *nn, struct sockaddr *addr, socklen_t *addrlen, int flags)
{
	struct lfp_accept_record record;
	int rc;

	if (flags & ~(SOCK_CLOEXEC | SOCK_NONBLOCK))
		return -EINVAL;
	rc = filter_verdict(raw_call(SYS_accept4, -1, 0, 0, flags, 0, raw_cookie));
	if (rc < 0)
		return rc;
	/* The record may have been taken: nothing below may be a cancellation point. */
	pthread_testcancel();
	do {
		rc = wait_for_record(fd, nn);
		if (rc < 0)
			return rc;
		rc = addr ? check_addr_room(addr, addrlen) : 0;
		if (!rc)
			rc = check_descriptor(fd);
		if (rc < 0)
			return rc;
		rc = take_record(fd, &record, flags);
	} while (rc == -EAGAIN);
	if (rc >= 0) {
		listeners_note(fd);
		near_note(rc, NEAR_STREAM);
		remember(fd, rc, nn, &record);
		credit_earn_posts(nn, record.peer.family == LFP_AF_INET6 ? AF_INET6 : AF_INET);
	}
	if (rc >= 0 && addr)
		give_addr(&record.peer, addr, addrlen);
	return rc;
}

static int accept_any(int fd, struct sockaddr *addr, socklen_t *addrlen, int flags, bool listed)
{
	char nn[3];

	/* UNIX datagram sockets return the same errno as UDP sockets. */
	if (near_kind(fd, nn) != NEAR_STREAM)
		return real()->accept4(fd, addr, addrlen, flags);
	if (!listed && strict_shim("accept4") && strict_unlisted() < 0)
		return (int)give(-STRICT_ERROR);
	return (int)give(accept_near(fd, nn, addr, addrlen, flags));
}

EXPORT int accept4(int fd, __SOCKADDR_ARG addr, socklen_t *addrlen, int flags)
{
	return accept_any(fd, addr.__sockaddr__, addrlen, flags, false);
}

EXPORT int accept(int fd, __SOCKADDR_ARG addr, socklen_t *addrlen)
{
	return accept_any(fd, addr.__sockaddr__, addrlen, 0, true);
}
