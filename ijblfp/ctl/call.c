/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - one call of a program: its task, its socket, its request on the path */
#include "ijblfp/ctl/call.h"

#include <errno.h>
#include <string.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/again.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/addr.h"

bool call_enter(struct call *call)
{
	struct ctl_conn *conn = call->conn;
	int rc = -ENETDOWN;

	if (link_is_up(call->inst->link))
		rc = task_enter(call->inst, conn, &conn->task);
	if (rc < 0)
		ctl_fail(conn, -rc);
	if (rc > 0)
		(void)ctl_keep(conn, call->request);
	return !rc;
}

int call_ask(struct call *call, struct lfp_frame *frame,
	     void (*done)(struct instance *, struct request *, const struct lfp_frame *))
{
	struct request *request;
	int error;

	if (call->vs)
		frame->sock = call->vs->id;
	request = request_send(call->inst, frame, done, &error);
	if (!request) {
		ctl_fail(call->conn, -error);
		return error;
	}
	request->data = call->conn;
	return 0;
}

void call_on_plain(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	int error = reply ? reply->status : ENETDOWN;

	if (!again_try(inst, request, error))
		ctl_reply(request->data, error);
}

int call_addr(const struct lfp_ctl_request *request, struct lfp_addr *addr)
{
	uint8_t wire[LFP_ADDR_SIZE];

	if (request->len != sizeof(*addr))
		return -EINVAL;
	memcpy(addr, request->data, sizeof(*addr));
	/* The frame's encoder would refuse this. */
	lfp_addr_put(addr, wire);
	return lfp_addr_get(wire, addr) ? -EINVAL : 0;
}
