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

int ctl_receive(int conn, struct ctl_call *call)
{
	return ctl_receive_into(conn, call, NULL, MSG_CMSG_CLOEXEC);
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
 * as for ctl_receive_into(). */
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

/* Takes the descriptor of the answer, if that has one. */
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
