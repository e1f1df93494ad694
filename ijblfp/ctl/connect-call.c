/* SPDX-License-Identifier: Apache-2.0 */
/* connect-call.c - programs' calls of connect() */
#include "ijblfp/ctl/calls.h"

#include <errno.h>
#include <unistd.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/posts.h"
#include "ijblfp/sock/connect.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/renew.h"
#include "ijblfp/sock/vsock.h"

static void done(struct connect_waiter *waiter, int error, bool renew)
{
	struct ctl_conn *conn = lfp_list_entry(&waiter->place, struct ctl_conn, waiter.place);

	if (renew)
		ctl_answer(conn, EBADFD, error, NULL, 0, -1);
	else if (conn->posted && (!error || error == EINPROGRESS))
		ctl_answer(conn, error, 0, &conn->posted, sizeof(conn->posted), -1);
	else
		ctl_reply(conn, error);
}

void connect_call(struct call *call)
{
	struct ctl_conn *conn = call->conn;
	bool blocking = call->request->flags & LFP_CTL_BLOCKING, waits;
	struct lfp_addr peer;
	int rc = call_addr(call->request, &peer);

	if (rc) {
		ctl_fail(conn, -rc);
		return;
	}
	if (call->vs->is_datagram) {
		ijblfp_datagram_connect(call, &peer);
		return;
	}
	conn->posted = posts_cookie(conn->task, call->vs);
	conn->waiter = (struct connect_waiter){.blocking = blocking, .done = done};
	waits = connect_begin(call->inst, call->vs, &conn->waiter, &peer, &conn->passed);
	if (waits && blocking && !conn->borrowed) /* otherwise the parked connection is watched */
		ctl_watch_soon(conn);
}

void connect_call_detach(struct call *call)
{
	/* CONNECT was answered already, or never came. */
	ctl_fail(call->conn, EINVAL);
}

void connect_call_dissolve(struct call *call)
{
	call->conn->waiter = (struct connect_waiter){.done = done};
	connect_dissolve(call->inst, call->vs, &call->conn->waiter);
}

void connect_call_renew(struct call *call)
{
	struct near_id id;
	int near = renew_begin(call->inst, call->vs, &id);
	bool taken;

	if (near < 0) {
		ctl_fail(call->conn, -near);
		return;
	}
	/* The old near end keeps its right to the socket until the program has the new one. */
	taken = !ctl_answer(call->conn, 0, 0, NULL, 0, near);
	renew_end(call->inst, call->vs, &id, taken);
	close(near);
}
