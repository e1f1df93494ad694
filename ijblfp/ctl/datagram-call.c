/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-call.c - programs' calls for datagram sockets */
#include "ijblfp/ctl/calls.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/link/request.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/vsock.h"

int datagram_hand_out(struct instance *inst, struct vsock *vs, struct ctl_conn *conn, int own)
{
	int near = datagram_make_near(inst, vs, own), rc;

	if (near < 0) {
		/* EMFILE from a program's own socket is the program's lack, not the instance's. */
		rc = own < 0 ? descriptors_lack(inst, near) : near;
		ctl_fail(conn, rc == -EMFILE ? ENFILE : -rc);
		return rc;
	}
	rc = ctl_answer(conn, 0, 0, NULL, 0, own >= 0 ? -1 : near);
	if (own < 0)
		close(near);
	return rc;
}

static void on_connected(struct instance *inst, struct request *request,
			 const struct lfp_frame *reply)
{
	struct vsock *vs = vsock_find(inst->socks, request->sock);
	struct ctl_conn *conn = request->data;
	int error = reply ? reply->status : ENETDOWN;

	if (!error && (!vs || !vs->is_datagram))
		error = EBADF;
	if (!error)
		error = -datagram_change_peer(inst, vs, conn->passed, &request->frame.connect.peer);
	ctl_reply(conn, -descriptors_lack(inst, -error));
}

void ijblfp_datagram_connect(struct call *call, const struct lfp_addr *peer)
{
	struct lfp_frame frame = {.code = LFP_CONNECT, .connect.peer = *peer};

	/* CONNECT must not overtake datagrams that were sent to the peer before. */
	(void)datagram_settle(call->inst, call->vs);
	datagram_take_all(call->inst, call->vs);
	call_ask(call, &frame, on_connected);
}

void datagram_sent(struct call *call)
{
	struct lfp_frame frame = {.code = LFP_SENT};

	if (!call->vs->is_datagram)
		ctl_fail(call->conn, EINVAL);
	else if (!datagram_settle(call->inst, call->vs))
		ctl_reply(call->conn,
			  0); /* these datagrams still wait, and their outcome is unknown */
	else
		call_ask(call, &frame, call_on_plain);
}

static void on_errqueue(struct instance *inst, struct request *request,
			const struct lfp_frame *reply)
{
	struct vsock *vs = vsock_find(inst->socks, request->sock);
	uint8_t answer[sizeof(struct lfp_ctl_errqueue) + 576];
	const struct lfp_errqueue *entry = &reply->errqueue;
	struct lfp_ctl_errqueue head;

	if (!reply || reply->status) {
		ctl_fail(request->data, reply ? reply->status : ENETDOWN);
		return;
	}
	head = (struct lfp_ctl_errqueue){
		.error = entry->error,
		.origin = entry->origin,
		.type = entry->type,
		.code = entry->code,
		.info = entry->info,
		.data = entry->data,
		.dest = entry->dest,
		.offender = entry->offender,
	};
	/* The pending error is that of the error queue. */
	if (vs && vs->is_datagram)
		(void)datagram_take_error(vs);
	memcpy(answer, &head, sizeof(head));
	memcpy(answer + sizeof(head), entry->payload.ptr, entry->payload.len);
	ctl_answer(request->data, 0, 0, answer, sizeof(head) + entry->payload.len, -1);
}

void datagram_errqueue(struct call *call)
{
	struct lfp_frame frame = {.code = LFP_ERRQUEUE};

	if (call->vs->is_datagram)
		call_ask(call, &frame, on_errqueue);
	else
		ctl_fail(call->conn, EAGAIN);
}
