/* SPDX-License-Identifier: Apache-2.0 */
/* ctl-client.c - one call on the control channel of an LFP instance */
#include "libvsesock/core/ctl-client.h"

#include <errno.h>
#include <string.h>

#include "libvsesock/core/ctl-conn.h"
#include "libvsesock/core/memory.h"
#include "libvsesock/core/park.h"
#include "libvsesock/core/place.h"
#include "libvsesock/core/raw.h"
#include "libvsesock/core/sandbox.h"

/*
 * Theory of operation
 *
 * A request can reach the instance in four ways. They are tried in this order:
 *
 *   1. Directly: on the parked connection (park.h), which also brings the answer. The cheapest way,
 *      two system calls and SO_COOKIE. One request at a time, only in the process that has parked
 *      the connection, and only for operations that lfp_ctl_is_direct() lists (ctl_ask_directly()).
 *   2. By a pair: a new socketpair carries request and answer; one end goes through the parked
 *      connection. Works in children and for several threads at once, and without the path
 *      (ask_parked()).
 *   3. By the path: a new connection to the socket of the instance (ask_by_path()). Needs no parked
 *      connection. It is the only way to an instance other than the program's own.
 *   4. With a copied descriptor table: ways 2 and 3 need a free descriptor. Without one, a
 *      thread with a copy of the table makes the call (full.c). Not for ctl_take(), whose result is
 *      a new descriptor of the program.
 *
 * -ENETDOWN means that a way did not reach the instance. The next way is tried, except after an
 * error that every way would meet (is_final()). A request is repeated only if the instance has
 * certainly not read it: a request on a connection that closes without an answer was never read
 * (ctl_again()). After an answer by way 2, 3 or 4 a connection is parked for later calls.
 *
 * No signal interrupts a call and errno stays untouched: all system calls are those of raw.h, and
 * -EINTR repeats them.
 */

/* Sends the request on a pair whose other end goes through the parked connection. The request goes
 * first, so that the instance finds it there. */
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

/* Returns true if the program's filter kills a system call that every request needs. */
static bool is_confined(void)
{
	return sandbox_kills(SANDBOX_SENDMSG | SANDBOX_RECVMSG | SANDBOX_CLOSE);
}

/* Returns true if another way would meet this error as well. */
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
	/* No way works: the errno of the program's filter is the better reason. */
	return rc == -ENETDOWN ? parked : rc;
}

bool ctl_again(struct ctl_call *call)
{
	/* A request whose connection is closed without an answer was never read: the instance has
	 * ended, or has dropped the parked connection. */
	if (call->answered || !call->parked)
		return false;
	park_drop();
	return true;
}

int ctl_receive(int conn, struct ctl_call *call)
{
	return ctl_receive_into(conn, call, NULL, MSG_CMSG_CLOEXEC);
}

int ctl_ask_directly(struct ctl_call *call)
{
	int conn, rc;

	call->answered = false; /* a repeated call starts anew */
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
	/* The instance has dropped the connection or ended: nothing was done. */
	park_return(rc == -ENETDOWN);
	/* Other ways may work, or give the reason. */
	return rc == -EBADF || !is_final(rc) ? -ENETDOWN : rc;
}

/* Returns true if an answer was lost because its memory cannot be written. The kernel takes it off
 * the socket all the same (net/unix/af_unix.c, __unix_dgram_recvmsg()). */
static bool is_lost(const struct ctl_call *call, int rc)
{
	return rc == -EFAULT && !memory_check_read(call->answer, call->room);
}

int ctl_answered_directly(const struct ctl_call *call, int rc)
{
	/* An answer left on the connection would be the next call's. */
	park_return(!call->answered && !is_lost(call, rc));
	/* The program has closed the parked connection, or put another descriptor in its place. */
	return !call->answered && (rc == -EBADF || rc == -ENOTSOCK) ? -ENETDOWN : rc;
}

/* Returns -ENETDOWN if a direct request fails or gets no answer: other ways follow. @taken is as
 * for ctl_receive_into(). */
static int ask_directly(struct ctl_call *call, int *taken, int flags)
{
	int conn = ctl_ask_directly(call);

	return conn < 0 ? conn
			: ctl_answered_directly(call, ctl_receive_into(conn, call, taken, flags));
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

/* Asks once, and takes the descriptor of the answer. */
static int take_once(struct ctl_call *call, int flags)
{
	int conn, taken = -1, rc;

	conn = ctl_ask(call);
	if (conn < 0)
		return conn;
	rc = ctl_receive_into(conn, call, &taken, MSG_CMSG_CLOEXEC);
	if (!rc && taken < 0)
		rc = -ENETDOWN;
	if (rc < 0)
		goto out;
	if (flags & O_NONBLOCK) {
		rc = raw_fcntl(taken, F_SETFL, O_RDWR | O_NONBLOCK);
		if (rc < 0)
			goto out;
	}
	/* The connection has the lowest free number, which POSIX promises for the new descriptor.
	 */
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
