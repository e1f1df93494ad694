/* SPDX-License-Identifier: Apache-2.0 */
/* socket-name.c - getsockname(), getpeername() */
#include "ijblfp/ctl/calls.h"

#include <errno.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/link/request.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/sockopt.h"

static void on_name(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	int error = reply ? reply->status : ENETDOWN;

	(void)inst;
	if (error)
		ctl_fail(request->data, error);
	else
		ctl_answer(request->data, 0, 0, &reply->name.addr, sizeof(reply->name.addr), -1);
}

/* The attempt failed, and no connect() has reported that: the socket still has the address of the
 * attempt. lfpd forgets that address in a restart. */
static void on_source(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	struct lfp_frame frame = {.code = LFP_GETSOCKNAME, .sock = request->sock};
	struct lfp_addr source;
	struct request *again;
	int error;

	if (reply && !reply->status && reply->value.value.len == LFP_ADDR_SIZE &&
	    !lfp_addr_get(reply->value.value.ptr, &source)) {
		ctl_answer(request->data, 0, 0, &source, sizeof(source), -1);
		return;
	}
	again = request_send(inst, &frame, on_name, &error);
	if (again)
		again->data = request->data;
	else
		ctl_fail(request->data, -error);
}

static bool has_failed(const struct vsock *vs)
{
	return vs->state == VSOCK_OVER && vs->stream.told == TOLD_NOTHING;
}

void option_getname(struct call *call)
{
	bool peer = call->request->op == LFP_CTL_GETPEERNAME;
	const struct lfp_addr *known = peer ? &call->vs->peer : &call->vs->local;
	struct lfp_frame frame = {.code = peer ? LFP_GETPEERNAME : LFP_GETSOCKNAME};
	struct lfp_frame source = {
		.code = LFP_GETSOCKOPT,
		.getsockopt = {LFP_OPT_LEVEL, LFP_OPT_SOURCE, LFP_ADDR_SIZE},
	};
	bool ended = !call->vs->is_datagram && call->vs->stream.in_end == IN_END_GIVEN &&
		     call->vs->stream.out_end == OUT_SHUT;

	/* The addresses of an accepted socket came with ACCEPTED and do not change. After its end
	 * it has no peer. */
	if (known->family && !(peer && ended))
		ctl_answer(call->conn, 0, 0, known, sizeof(*known), -1);
	else if (!peer && has_failed(call->vs))
		call_ask(call, &source, on_source);
	else
		call_ask(call, &frame, on_name);
}
