/* SPDX-License-Identifier: Apache-2.0 */
/* ending.c - shutdown(), why there is an end of file, and sockets whose connection is over */
#include "ijblfp/ending.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "ijblfp/call.h"
#include "ijblfp/instance.h"
#include "ijblfp/listen.h"
#include "ijblfp/option.h"

static void shutdown_listener(struct call *call)
{
	struct vsock *vs = call->vs;
	struct lfp_frame frame = {
		.code = LFP_SHUTDOWN,
		.sock = vs->id,
		.shutdown.how = (uint8_t)call->request->a,
	};

	if (call->request->a != SHUT_WR && !vs->shut) {
		(void)link_send(call->inst, &frame);
		vs->shut = true;
		listen_end(call->inst, vs);
		/* Whoever waits in accept() wakes up with end of file, and asks why. */
		shutdown(vs->far, SHUT_WR);
	}
	ctl_fail(call->conn, 0);
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
		/* As the kernel does: the attempt ends. */
		ctl_fail(call->conn, 0);
		instance_bury_socket(call->inst, vs, 0);
		break;
	case VSOCK_ESTABLISHED:
		if (how != SHUT_WR && !vs->rd_shut) {
			(void)link_send(call->inst, &frame);
			stream_stop_reading(call->inst, vs);
		}
		ctl_answer(call->conn, 0, 1, NULL, 0, -1);
		break;
	case VSOCK_RESET:
		ctl_answer(call->conn, 0, 1, NULL, 0, -1);
		break;
	default:
		ctl_fail(call->conn, ENOTCONN);
		break;
	}
}

void ending_why_eof(struct call *call)
{
	const struct vsock *vs = call->vs;
	int error = 0;

	switch (vs->state) {
	case VSOCK_NEW:
	case VSOCK_OPENING:
		error = ENOTCONN;
		break;
	case VSOCK_CONNECTING:
		error = vs->far < 0 ? ENOTCONN : EAGAIN;
		break;
	case VSOCK_LISTENING:
		error = EINVAL;
		break;
	default:
		/* The peer's end was passed on, or the program has shut down reading itself. */
		break;
	}
	ctl_fail(call->conn, error);
}

void ending_outq(struct call *call)
{
	struct vsock *vs = call->vs;
	uint64_t bytes = vs->send.sent - vs->send.consumed;
	int waiting = 0;

	if (vs->state == VSOCK_ESTABLISHED && !ioctl(vs->far, FIONREAD, &waiting))
		bytes += (unsigned int)waiting;
	ctl_answer(call->conn, 0, (int)(bytes < INT32_MAX ? bytes : INT32_MAX), NULL, 0, -1);
}

/* --- sockets whose connection is over ---------------------------------------------------- */

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
	case LFP_CTL_WHY_EOF:
		if (grave->listener)
			error = dead_path ? ENETDOWN : ECONNABORTED;
		else
			error = grave->eof ? 0 : grave_take_error(grave);
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
		error = 0; /* as the kernel: it has no effect any more */
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
	case LFP_CTL_OUTQ:
		error = 0;
		break;
	}
	if (dead_path && error && r->op != LFP_CTL_WHY_EOF)
		error = ENETDOWN;
	ctl_fail(call->conn, error);
}
