/* SPDX-License-Identifier: Apache-2.0 */
/* listen-call.c - programs' calls of listen() */
#include "ijblfp/ctl/calls.h"

#include <errno.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/again.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/link/request.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/listen.h"
#include "ijblfp/sock/vsock.h"

/* Returns true if only the instance can send to this near end. Then its copy is closed at once, and
 * not by a thread, which may come late: as long as the copy is open, close() of the program ends
 * nothing. */
static bool is_paired(struct instance *inst, const struct vsock *vs, int near)
{
	uint64_t cookie;
	bool now = false;

	return vs->paired && !near_cookie(inst->near, near, &cookie) &&
	       vsock_find_cookie(inst->socks, cookie, &now) == vs && now;
}

static void on_reply(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	struct vsock *vs = vsock_find(inst->socks, request->sock);
	struct ctl_conn *conn = request->data;
	int error = reply ? reply->status : ENETDOWN;

	if (again_try(inst, request, error))
		return;
	if (!error && (!vs || vs->state == VSOCK_CLOSING))
		error = EINVAL;
	if (!error)
		error = listen_start(inst, vs, request->frame.epoch, conn->passed, conn->argument);
	conn->known |= !error && is_paired(inst, vs, conn->passed);
	ctl_reply(conn, error);
}

void listen_call(struct call *call)
{
	int backlog = call->request->a, error;
	struct lfp_frame frame = {
		.code = LFP_LISTEN,
		.listen.backlog = listen_host_backlog(backlog),
	};

	error = call->vs->is_datagram ? EOPNOTSUPP
				      : listen_check(call->inst, call->vs, call->conn->passed);
	if (error)
		ctl_reply(call->conn, error);
	else
		call_ask(call, &frame, on_reply);
}
