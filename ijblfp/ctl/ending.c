/* SPDX-License-Identifier: Apache-2.0 */
/* ending.c - shutdown(), why there is an end of file, and sockets whose connection is over */
#include "ijblfp/ctl/calls.h"

#include <errno.h>
#include <sys/socket.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "ijblfp/near/grave.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/connect.h"
#include "ijblfp/sock/deliver.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/stopper.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"

static void shutdown_listener(struct call *call)
{
	struct vsock *vs = call->vs;
	struct lfp_frame frame = {
		.code = LFP_SHUTDOWN,
		.sock = vs->id,
		/* The socket may have been connected before, and positions go on. */
		.shutdown = {.how = (uint8_t)call->request->a, .position = vs->send.sent},
	};

	if (call->request->a == SHUT_WR) {
		ctl_reply(call->conn, 0);
		return;
	}
	/* The socket may listen or connect again. A program that waits in accept() wakes up with
	 * end of file, and asks for the reason. */
	if (!link_send(call->inst, &frame))
		vsock_next_life(call->inst, vs);
	end_listener(call->inst, vs);
	end_connection(call->inst, vs, 0);
	connect_spend(vs);
	ctl_fail(call->conn, EBADFD);
}

/* After both directions have ended, the answer depends on the peer's acknowledgements. */
static void on_ended(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	(void)inst;
	if (reply && reply->status == ENOTCONN)
		ctl_fail(request->data, ENOTCONN);
	else
		ctl_answer(request->data, 0, 1, NULL, 0, -1);
}

/* Returns true if the program has ended both directions. The host's socket then shows EPOLLHUP all
 * the time, so lfpd waits for no event, and sees a reset only when it is asked. */
static bool has_shut_both(const struct vsock *vs)
{
	return vs->state == VSOCK_ESTABLISHED && vs->stream.in_reader == READER_SHUT &&
	       vs->stream.out_end == OUT_SHUT;
}

/* An error that lfpd has found came as RESET before its answer. */
static int found_error(struct instance *inst, const struct request *request)
{
	struct vsock *vs = vsock_find(inst->socks, request->sock);

	return vs && vs->state == VSOCK_OVER ? vsock_take_error(vs, 0) : 0;
}

static void on_looked(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	(void)reply;
	ctl_reply(request->data, found_error(inst, request));
}

static void on_looked_for_option(struct instance *inst, struct request *request,
				 const struct lfp_frame *reply)
{
	uint32_t room = request->frame.getsockopt.length;
	int error = found_error(inst, request);

	(void)reply;
	ctl_answer(request->data, 0, 0, &error, room < sizeof(error) ? room : sizeof(error), -1);
}

bool ending_looks(struct call *call)
{
	const struct lfp_ctl_request *r = call->request;
	bool as_option = r->op == LFP_CTL_GETSOCKOPT;
	struct lfp_frame frame = {
		.code = LFP_GETSOCKOPT,
		.getsockopt = {.level = SOL_SOCKET,
			       .name = SO_ERROR,
			       .length = as_option && r->c < (int)sizeof(int) ? (uint32_t)r->c
									      : sizeof(int)},
	};

	if (!has_shut_both(call->vs))
		return false;
	call_ask(call, &frame, as_option ? on_looked_for_option : on_looked);
	return true;
}

/* The program writes no more, and may see a reset later. */
static void shut_with_stopper(struct call *call)
{
	struct instance *inst = call->inst;
	struct vsock *vs = call->vs;
	int rc = stopper_leave(inst->near, vs, call->conn->passed);

	ctl_answer(call->conn, 0, rc == 0, NULL, 0, -1);
	if (rc < 0) {
		/* One of the bytes is no data, and the instance does not know which one. */
		end_bury(inst, vs, ECONNRESET);
	} else if (rc > 0) {
		stream_read_to_end(inst, vs);
	}
}

void ending_shutdown(struct call *call)
{
	struct vsock *vs = call->vs;
	int how = call->request->a;
	struct lfp_frame frame = {
		.code = LFP_SHUTDOWN,
		.sock = vs->id,
		.shutdown = {.how = 0, .position = vs->send.sent},
	};

	if (how < SHUT_RD || how > SHUT_RDWR) {
		ctl_fail(call->conn, EINVAL);
		return;
	}
	switch (vs->state) {
	case VSOCK_LISTENING:
		shutdown_listener(call);
		break;
	case VSOCK_CONNECTING:
		/* The attempt ends, as in the kernel (inet_shutdown()). */
		connect_call_dissolve(call);
		break;
	case VSOCK_ESTABLISHED:
		/* connect() need not tell any more (inet_shutdown(), SS_CONNECTED). */
		if (vs->stream.told == TOLD_NOTHING)
			connect_note_told(vs);
		if ((vs->stream.in_end == IN_END_GIVEN && vs->stream.out_end == OUT_SHUT) ||
		    has_shut_both(vs)) {
			frame.code = LFP_GETPEERNAME;
			call_ask(call, &frame, on_ended);
			return;
		}
		if (how != SHUT_WR && vs->stream.in_reader == READER_READS) {
			(void)link_send(call->inst, &frame);
			deliver_stop(call->inst, vs);
		}
		if (how == SHUT_WR)
			shut_with_stopper(call);
		else
			ctl_answer(call->conn, 0, 1, NULL, 0, -1);
		break;
	case VSOCK_RESET:
		ctl_answer(call->conn, 0, 1, NULL, 0, -1);
		break;
	case VSOCK_NEW:
		/* shutdown() fails and shuts the socket all the same. */
		connect_note_shut(vs);
		ctl_answer(call->conn, ENOTCONN, 1, NULL, 0, -1);
		break;
	default:
		ctl_fail(call->conn, ENOTCONN);
		break;
	}
}

/* Returns true if recv() shows the error of a connection that is over. As in the kernel, an error
 * comes before the program's own end (tcp_recvmsg()), and the peer's end, if the program was given
 * it, before the error. EPIPE is that of a reset behind the peer's end (tcp_reset()), which comes
 * first. */
static bool reader_sees(bool peer_ended, int error)
{
	return !peer_ended && error != EPIPE;
}

void ending_why_eof(struct call *call)
{
	struct vsock *vs = call->vs;
	int error = 0;

	/* accept() asks: it does not clear the error. */
	if (call->request->a) {
		ctl_fail(call->conn, EINVAL);
		return;
	}
	if (ending_looks(call))
		return;
	switch (vs->state) {
	case VSOCK_NEW:
	case VSOCK_OPENING:
		error = vsock_take_error(vs, ENOTCONN);
		break;
	case VSOCK_CONNECTING:
		error = vs->far < 0 ? ENOTCONN : EAGAIN;
		break;
	case VSOCK_LISTENING:
		error = EINVAL;
		break;
	case VSOCK_DATAGRAM:
		error = datagram_take_error(vs);
		break;
	case VSOCK_OVER:
		if (reader_sees(vs->stream.in_end == IN_END_GIVEN, vs->reset))
			error = vsock_take_error(vs, 0);
		break;
	default:
		/* The peer's end of file was passed on, or the program itself has shut down
		 * reading. */
		break;
	}
	ctl_reply(call->conn, error);
}

void ending_why_epipe(struct call *call)
{
	struct vsock *vs = call->vs;
	bool lost = vs->state == VSOCK_RESET || vs->state == VSOCK_OVER || vs->state == VSOCK_NEW;

	if (ending_looks(call))
		return;
	ctl_reply(call->conn, lost ? vsock_take_error(vs, 0) : 0);
}

static int grave_name(struct call *call)
{
	struct lfp_addr addr = call->grave->local;

	if (!addr.family)
		addr.family = call->grave->family;
	return ctl_answer(call->conn, 0, 0, &addr, sizeof(addr), -1);
}

void ending_answer_grave(struct call *call)
{
	struct grave *grave = call->grave;
	const struct lfp_ctl_request *r = call->request;
	bool dead_path = grave->no_path;
	int error = ENOTCONN;

	switch (r->op) {
	case LFP_CTL_WHY_EPIPE:
		error = grave_take_error(grave);
		break;
	case LFP_CTL_WHY_EOF:
		if (grave->listener)
			error = dead_path ? ENETDOWN : ECONNABORTED;
		else if (r->a)
			error = EINVAL;
		else
			error = reader_sees(grave->eof, grave->error) ? grave_take_error(grave) : 0;
		break;
	case LFP_CTL_GETSOCKOPT:
		if (r->a != SOL_SOCKET || r->b != SO_ERROR)
			break;
		option_answer_error(call, grave_take_error(grave));
		return;
	case LFP_CTL_GETSOCKNAME:
		if (dead_path)
			break;
		grave_name(call);
		return;
	case LFP_CTL_SETSOCKOPT:
		error = 0; /* as in the kernel, without effect after the end */
		break;
	case LFP_CTL_CONNECT:
		error = grave_take_error(grave);
		if (!error)
			error = ECONNABORTED;
		break;
	case LFP_CTL_BIND:
	case LFP_CTL_LISTEN:
		error = EINVAL;
		break;
	case LFP_CTL_URGENT:
		error = grave_take_error(grave);
		if (!error)
			error = EPIPE;
		break;
	case LFP_CTL_OUTQ:
		error = 0;
		break;
	}
	if (dead_path && error && r->op != LFP_CTL_WHY_EOF && r->op != LFP_CTL_WHY_EPIPE)
		error = ENETDOWN;
	ctl_reply(call->conn, error);
}
