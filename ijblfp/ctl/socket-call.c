/* SPDX-License-Identifier: Apache-2.0 */
/* socket-call.c - programs' calls of socket() */
#include "ijblfp/ctl/calls.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/base/refusal.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/credit.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/owner.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/sweep-timer.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/addr.h"

/* Makes the socket's near end, of the program's own socket @own if that is not -1, and sends it in
 * the answer to the program. Returns 0 or a negative errno. */
static int hand_out(struct instance *inst, struct vsock *vs, struct ctl_conn *conn, int own)
{
	struct near_id id;
	int near, rc;

	if (own >= 0) {
		rc = near_adopt(inst->near, own, &id);
		if (!rc)
			vsock_set_near(inst->socks, vs, &id);
		ctl_reply(conn, -rc);
		return rc;
	}
	near = near_create(inst->near, &id);
	if (near < 0) {
		rc = descriptors_lack(inst, near);
		ctl_fail(conn, -rc);
		return rc;
	}
	vsock_set_near(inst->socks, vs, &id);
	/* If the descriptor does not arrive, no program has it, and this copy closes the socket. */
	rc = ctl_answer(conn, 0, 0, NULL, 0, near);
	close(near);
	return rc;
}

static void on_socket(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	struct ctl_conn *conn = request->data;
	int error = reply ? reply->status : ENETDOWN;
	struct vsock *vs;

	if (credit_try(inst, request, &error))
		return;
	vs = vsock_find(inst->socks, request->sock);
	if (error == ENFILE)
		ijblfp_refusal_of_socket(inst);
	if (error || !vs) {
		ctl_fail(conn, error ? error : ENFILE);
		if (vs)
			vsock_destroy(inst->socks, vs);
		return;
	}
	/* The socket's task has ended meanwhile. */
	if (vs->isolated && owner_has_ended(inst, vs)) {
		ctl_fail(conn, ESRCH);
		end_close(inst, vs, true);
		return;
	}
	if (vs->kind == SOCK_DGRAM) {
		if (datagram_hand_out(inst, vs, conn, conn->passed))
			end_close(inst, vs, false);
		return;
	}
	vsock_set_state(inst->socks, vs, VSOCK_NEW);
	if (hand_out(inst, vs, conn, conn->passed))
		end_close(inst, vs, false);
	else
		sweep_timer_start(inst);
}

void socket_call(struct call *call)
{
	const struct lfp_ctl_request *r = call->request;
	struct task *task = call->conn->task;
	struct lfp_frame frame = {
		.code = LFP_SOCKET,
		.task = task->number,
		.socket = {.kind = (uint16_t)r->b, .protocol = (uint16_t)r->c},
	};
	int family = lfp_family_from(r->a), error;

	if (family < 0) {
		ctl_fail(call->conn, -family);
		return;
	}
	error = kind_refused(r->a, r->b, r->c);
	if (error) {
		ctl_fail(call->conn, error);
		return;
	}
	frame.socket.family = (uint16_t)family;
	call->vs = link_is_up(call->inst->link) ? vsock_create(call->inst->socks, 0) : NULL;
	if (!call->vs) {
		ctl_fail(call->conn, link_is_up(call->inst->link) ? ENOMEM : ENETDOWN);
		return;
	}
	call->vs->family = frame.socket.family;
	call->vs->kind = (uint16_t)r->b;
	owner_set(call->vs, task);
	if (call_ask(call, &frame, on_socket)) {
		vsock_destroy(call->inst->socks, call->vs);
		return;
	}
	if (r->b == SOCK_STREAM)
		credit_on_call(task, r->a);
}
