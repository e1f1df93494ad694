/* SPDX-License-Identifier: Apache-2.0 */
/* resume.c - the sockets of a session that goes on: both sides compare their positions */
#include "ijblfp/sock/dispatch.h"

#include <errno.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/link/hold.h"
#include "ijblfp/link/request.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/deliver.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/vsock.h"

/* lfpd has lost the connection, or its position is another one. */
static void reset_socket(struct instance *inst, struct vsock *vs)
{
	const char *why;

	switch (vs->state) {
	case VSOCK_OPENING:
	case VSOCK_CLOSING:
	case VSOCK_RESET:
	case VSOCK_OVER:
		break;
	case VSOCK_SPARE: /* no program has it */
		end_close(inst, vs, true);
		break;
	case VSOCK_LISTENING:
		end_listener(inst, vs);
		end_connection(inst, vs, ECONNRESET);
		break;
	case VSOCK_DATAGRAM:
		datagram_raise(inst, vs);
		end_bury(inst, vs, ECONNRESET);
		break;
	default:
		(void)deliver_on_reset(inst, vs,
				       &(struct lfp_frame){.code = LFP_RESET,
							   .sock = vs->id,
							   .status = ECONNRESET},
				       &why);
		break;
	}
}

static void on_socket_resumed(struct instance *inst, struct request *request,
			      const struct lfp_frame *reply)
{
	struct vsock *vs = vsock_find(inst->socks, request->sock);
	bool agree;

	/* Without a path all sockets are buried in a moment. */
	if (!reply || !vs)
		return;
	agree = !reply->status && reply->resume.sent == vs->recv.received &&
		reply->resume.received == vs->send.sent;
	if (vs->state != VSOCK_SPARE)
		hold_count(inst, agree);
	if (agree)
		return;
	if (reply->status == EBADF)
		end_forget(inst, vs);
	else if (reply->status)
		reset_socket(inst, vs);
	else if (vs->state == VSOCK_SPARE)
		end_close(inst, vs, true);
	else if (vs->state != VSOCK_CLOSING)
		end_bury(inst, vs, ECONNRESET); /* lfpd does not know yet: CLOSE */
}

static void resume_socket(void *data, struct vsock *vs)
{
	struct instance *inst = data;
	struct lfp_frame frame = {
		.code = LFP_RESUME,
		.sock = vs->id,
		.resume = {.sent = vs->send.sent, .received = vs->recv.received},
	};

	/* The SOCKET frame is among the kept frames. */
	if (vs->state != VSOCK_OPENING)
		(void)request_send_now(inst, &frame, on_socket_resumed);
}

void resume_sockets(struct instance *inst)
{
	vsock_each(inst->socks, resume_socket, inst);
}
