/* SPDX-License-Identifier: Apache-2.0 */
/* disagree.c - frames of lfpd that do not fit: they cost one socket, not the path */
#include "ijblfp/sock/disagree.h"

#include <errno.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/base/refusal.h"
#include "ijblfp/link/request.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/vsock.h"
#include "ijblfp/sock/waiter.h"
#include "ijblfp/sock/watch.h"

/*
 * Theory of operation
 *
 * lfpd/sock/disagree.c is the other side of this: only framing, sequence, message limit and the
 * session's dialogue end the path. Here the socket is buried: its program gets ECONNRESET, and
 * CLOSE with how 1 makes lfpd reset its connection.
 *
 * A frame for an id that is unknown here makes lfpd close it. That CLOSE is answered, at least with
 * EBADF, and the answer ends the exchange. At most STRAYS_MAX of these are not yet answered; a peer
 * that sends more wrong frames gets no further CLOSE for them.
 */

#define STRAYS_MAX 64u

void disagree_note(struct instance *inst, const struct lfp_frame *frame, const char *why)
{
	const struct vsock *vs = frame->sock ? vsock_find(inst->socks, frame->sock) : NULL;

	ijblfp_refusal_of_frame(inst, frame, vs ? inst->watch->program_of(inst, vs->task) : NULL,
				why);
}

static void on_stray_closed(struct instance *inst, struct request *request,
			    const struct lfp_frame *reply)
{
	(void)request;
	(void)reply;
	inst->strays--;
}

void disagree_close(struct instance *inst, uint64_t id)
{
	struct lfp_frame frame = {.code = LFP_CLOSE, .sock = id, .close.how = 1};
	int error;

	if (inst->strays < STRAYS_MAX && request_send(inst, &frame, on_stray_closed, &error))
		inst->strays++;
}

void disagree_on_unknown(struct instance *inst, const struct lfp_frame *frame)
{
	/* The socket that the frame resets is gone already. */
	if (frame->code == LFP_RESET)
		return;
	disagree_note(inst, frame, "there is no such socket");
	disagree_close(inst, frame->sock);
	if (frame->code == LFP_ACCEPTED && !vsock_find(inst->socks, frame->accepted.id))
		disagree_close(inst, frame->accepted.id);
}

void ijblfp_disagree_on_socket(struct instance *inst, struct vsock *vs,
			       const struct lfp_frame *frame, const char *why)
{
	disagree_note(inst, frame, why);
	switch (vs->state) {
	case VSOCK_OPENING: /* lfpd has not confirmed the socket */
	case VSOCK_CLOSING:
		return;
	case VSOCK_SPARE: /* no program has it */
	case VSOCK_ARRIVING:
		end_close(inst, vs, true);
		return;
	case VSOCK_DATAGRAM:
		datagram_raise(inst, vs);
		break;
	default:
		waiters_answer(vs, ECONNRESET);
		break;
	}
	end_bury(inst, vs, ECONNRESET);
}
