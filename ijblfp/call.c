/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - the calls of programs: what each request on the control channel does */
#include "ijblfp/call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ijblfp/connect.h"
#include "ijblfp/instance.h"
#include "ijblfp/listen.h"
#include "ijblfp/names.h"
#include "lfp/addr.h"
#include "lfp/sockopt.h"

/*
 * Theory of operation
 *
 * A request goes through the same steps: the socket that its descriptor is the near end of (or what
 * its grave has to say), the task of the process that asks, the call itself. Most calls become one
 * request on the path, whose answer is the call's.
 */

#define VALUE_MAX 4096

/* What a call works on. */
struct call {
	struct instance *inst;
	struct ctl_conn *conn;
	const struct lfp_ctl_request *request;
	struct vsock *vs;
	struct grave *grave; /* instead of vs */
};

/* --- asking lfpd ------------------------------------------------------------------------- */

/* Send the request for the call's socket; on failure the call is answered, and the error returned. */
static int ask(struct call *call, struct lfp_frame *frame,
	       void (*done)(struct instance *, struct request *, const struct lfp_frame *))
{
	struct request *request;
	int error;

	if (call->vs)
		frame->sock = call->vs->id;
	request = link_ask(call->inst, frame, done, &error);
	if (!request) {
		ctl_fail(call->conn, -error);
		return error;
	}
	request->conn = call->conn;
	return 0;
}

/* An id is never used twice: the socket that SOCKET is sent for again is another one. */
static struct vsock *replace_socket(struct instance *inst, uint64_t id)
{
	struct vsock *old = vsock_find(&inst->socks, id);
	struct vsock *vs = vsock_create(&inst->socks, 0);

	if (old && vs) {
		vs->family = old->family;
		vs->task = old->task;
		vs->task_slot = old->task_slot;
		vsock_destroy(&inst->socks, old);
	}
	return vs;
}

static bool may_ask_again(const struct request *request, int error)
{
	if (request->again)
		return false;
	if (request->code == LFP_SOCKET)
		return error == ENFILE || error == EMFILE;
	return (request->code == LFP_BIND || request->code == LFP_LISTEN) && error == EADDRINUSE;
}

bool call_again(struct instance *inst, struct request *request, int error)
{
	struct lfp_frame frame = request->frame;
	struct request *again;
	int rc;

	if (!may_ask_again(request, error))
		return false;
	/* Closes that are noticed only now, and those that lfpd knows of since the request. */
	stream_poll_now(inst);
	instance_sweep(inst, SIZE_MAX);
	if (inst->link.closes == request->closes)
		return false;
	if (frame.code == LFP_SOCKET) {
		struct vsock *vs = replace_socket(inst, frame.sock);

		if (!vs)
			return false;
		frame.sock = vs->id;
	}
	again = link_ask(inst, &frame, request->done, &rc);
	if (!again) {
		request->sock = frame.sock;
		return false;
	}
	again->again = true;
	again->conn = request->conn;
	return true;
}

static void on_plain(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	int error = reply ? reply->status : ENETDOWN;

	if (!call_again(inst, request, error))
		ctl_fail(request->conn, error);
}

static void on_name(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	int error = reply ? reply->status : ENETDOWN;

	(void)inst;
	if (error)
		ctl_fail(request->conn, error);
	else
		ctl_answer(request->conn, 0, 0, &reply->name.addr, sizeof(reply->name.addr), -1);
}

static void on_value(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	int error = reply ? reply->status : ENETDOWN;
	uint8_t value[VALUE_MAX];

	(void)inst;
	if (error) {
		ctl_fail(request->conn, error);
		return;
	}
	memcpy(value, reply->value.value.ptr, reply->value.value.len);
	lfp_opt_from_wire(request->frame.getsockopt.level, request->frame.getsockopt.name, value,
			  reply->value.value.len);
	ctl_answer(request->conn, 0, 0, value, reply->value.value.len, -1);
}

/* --- socket() ---------------------------------------------------------------------------- */

/* lfpd has the socket: make its near end and give it to the program. 0 or a negative errno. */
static int hand_out(struct instance *inst, struct vsock *vs, struct ctl_conn *conn)
{
	int near = near_create(&inst->near, vs->id, &vs->ino), rc;

	if (near < 0) {
		rc = near == -EMFILE || near == -ENFILE ? -ENFILE : near;
		ctl_fail(conn, -rc);
		return rc;
	}
	/* If it does not arrive nobody has it, and it is gone with this copy. */
	rc = ctl_answer(conn, 0, 0, NULL, 0, near);
	close(near);
	return rc;
}

static void on_socket(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	int error = reply ? reply->status : ENETDOWN;
	struct vsock *vs;

	if (call_again(inst, request, error))
		return;
	vs = vsock_find(&inst->socks, request->sock);
	if (error || !vs) {
		ctl_fail(request->conn, error ? error : ENFILE);
		if (vs)
			vsock_destroy(&inst->socks, vs);
		return;
	}
	vsock_set_state(&inst->socks, vs, VSOCK_NEW);
	if (hand_out(inst, vs, request->conn))
		instance_close_socket(inst, vs, false);
	else
		instance_sweep_start(inst);
}

static void do_socket(struct call *call)
{
	const struct lfp_ctl_request *r = call->request;
	const struct task *task = call->conn->task;
	struct lfp_frame frame = {
		.code = LFP_SOCKET,
		.task = task->number,
		.socket = {.kind = (uint16_t)r->b, .protocol = (uint16_t)r->c},
	};
	int family = lfp_family_from(r->a);

	if (family < 0) {
		ctl_fail(call->conn, -family);
		return;
	}
	if (r->b != SOCK_STREAM || r->c < 0 || r->c > UINT16_MAX) {
		ctl_fail(call->conn, r->b != SOCK_STREAM ? ESOCKTNOSUPPORT : EINVAL);
		return;
	}
	frame.socket.family = (uint16_t)family;
	call->vs = link_is_up(&call->inst->link) ? vsock_create(&call->inst->socks, 0) : NULL;
	if (!call->vs) {
		ctl_fail(call->conn, link_is_up(&call->inst->link) ? ENOMEM : ENETDOWN);
		return;
	}
	call->vs->family = frame.socket.family;
	call->vs->task = task->number;
	call->vs->task_slot = task->slot;
	if (ask(call, &frame, on_socket))
		vsock_destroy(&call->inst->socks, call->vs);
}

/* --- names and options ------------------------------------------------------------------- */

/* The address in a request; 0 or a negative errno. */
static int get_addr(const struct lfp_ctl_request *request, struct lfp_addr *addr)
{
	uint8_t wire[LFP_ADDR_SIZE];

	if (request->len != sizeof(*addr))
		return -EINVAL;
	memcpy(addr, request->data, sizeof(*addr));
	/* What the frame's encoder would refuse. */
	lfp_addr_put(addr, wire);
	return lfp_addr_get(wire, addr) ? -EINVAL : 0;
}

static void do_bind(struct call *call)
{
	struct lfp_frame frame = {.code = LFP_BIND};
	int rc = get_addr(call->request, &frame.bind.local);

	if (rc)
		ctl_fail(call->conn, -rc);
	else
		ask(call, &frame, on_plain);
}

static void do_connect(struct call *call)
{
	struct lfp_addr peer;
	int rc = get_addr(call->request, &peer);

	if (rc)
		ctl_fail(call->conn, -rc);
	else
		connect_begin(call->inst, call->conn, call->vs, &peer,
			      call->request->flags & LFP_CTL_BLOCKING);
}

static void do_getname(struct call *call)
{
	bool peer = call->request->op == LFP_CTL_GETPEERNAME;
	const struct lfp_addr *known = peer ? &call->vs->peer : &call->vs->local;
	struct lfp_frame frame = {.code = peer ? LFP_GETPEERNAME : LFP_GETSOCKNAME};

	/* Those of an accepted socket came with it and do not change. */
	if (known->family)
		ctl_answer(call->conn, 0, 0, known, sizeof(*known), -1);
	else
		ask(call, &frame, on_name);
}

static void answer_error_option(struct call *call, int error)
{
	size_t room = call->request->c < 0 ? 0 : (size_t)call->request->c;

	ctl_answer(call->conn, 0, 0, &error, room < sizeof(error) ? room : sizeof(error), -1);
}

static void do_getsockopt(struct call *call)
{
	const struct lfp_ctl_request *r = call->request;
	struct lfp_frame frame = {
		.code = LFP_GETSOCKOPT,
		.getsockopt = {.level = r->a, .name = r->b},
	};

	if (r->c < 0) {
		ctl_fail(call->conn, EINVAL);
		return;
	}
	if (r->a == SOL_SOCKET && r->b == SO_ERROR) {
		/* An error of the connection ends it here too: what there is to tell is known. */
		answer_error_option(call, call->vs->error);
		call->vs->error = 0;
		return;
	}
	if (lfp_opt_policy(r->a, r->b) == LFP_OPT_REFUSE) {
		ctl_fail(call->conn, ENOPROTOOPT);
		return;
	}
	frame.getsockopt.length = r->c < VALUE_MAX ? (uint32_t)r->c : VALUE_MAX;
	ask(call, &frame, on_value);
}

static void do_setsockopt(struct call *call)
{
	const struct lfp_ctl_request *r = call->request;
	uint8_t value[VALUE_MAX];
	struct lfp_frame frame = {
		.code = LFP_SETSOCKOPT,
		.setsockopt = {.level = r->a, .name = r->b, .value = {value, r->len}},
	};

	if (r->len > sizeof(value)) {
		ctl_fail(call->conn, EINVAL);
		return;
	}
	if (lfp_opt_policy(r->a, r->b) == LFP_OPT_REFUSE) {
		ctl_fail(call->conn, ENOPROTOOPT);
		return;
	}
	memcpy(value, r->data, r->len);
	lfp_opt_to_wire(r->a, r->b, value, r->len);
	ask(call, &frame, on_plain);
}

/* --- shutdown(), end of file ------------------------------------------------------------- */

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

static void do_shutdown(struct call *call)
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

static void do_why_eof(struct call *call)
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

static void do_outq(struct call *call)
{
	struct vsock *vs = call->vs;
	uint64_t bytes = vs->send.sent - vs->send.consumed;
	int waiting = 0;

	if (vs->state == VSOCK_ESTABLISHED && !ioctl(vs->far, FIONREAD, &waiting))
		bytes += (unsigned int)waiting;
	ctl_answer(call->conn, 0, (int)(bytes < INT32_MAX ? bytes : INT32_MAX), NULL, 0, -1);
}

static void do_listen(struct call *call)
{
	listen_begin(call->inst, call->conn, call->vs, call->request->a);
}

/* --- sockets whose connection is over ---------------------------------------------------- */

static int grave_name(struct call *call)
{
	struct lfp_addr addr = call->grave->local;

	if (!addr.family)
		addr.family = call->grave->family;
	return ctl_answer(call->conn, 0, 0, &addr, sizeof(addr), -1);
}

static void answer_grave(struct call *call)
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
		answer_error_option(call, grave_take_error(grave));
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

/* --- dispatch ---------------------------------------------------------------------------- */

enum needs {
	NEEDS_NOTHING = 0,
	NEEDS_SOCKET = 1,
	NEEDS_TASK = 2,
	NEEDS_BOTH = 3,
};

static void do_ping(struct call *call)
{
	ctl_fail(call->conn, link_is_up(&call->inst->link) ? 0 : ENETDOWN);
}

static void do_detach(struct call *call)
{
	/* CONNECT has been answered already, or there was none. */
	ctl_fail(call->conn, EINVAL);
}

static void do_names(struct call *call)
{
	names_handle(call->inst, call->conn, call->request);
}

static const struct {
	void (*handle)(struct call *call);
	enum needs needs;
} calls[] = {
	[LFP_CTL_PING] = {do_ping, NEEDS_NOTHING},
	[LFP_CTL_SOCKET] = {do_socket, NEEDS_TASK},
	[LFP_CTL_BIND] = {do_bind, NEEDS_BOTH},
	[LFP_CTL_CONNECT] = {do_connect, NEEDS_BOTH},
	[LFP_CTL_DETACH] = {do_detach, NEEDS_NOTHING},
	[LFP_CTL_LISTEN] = {do_listen, NEEDS_BOTH},
	[LFP_CTL_SHUTDOWN] = {do_shutdown, NEEDS_BOTH},
	[LFP_CTL_GETSOCKNAME] = {do_getname, NEEDS_BOTH},
	[LFP_CTL_GETPEERNAME] = {do_getname, NEEDS_BOTH},
	[LFP_CTL_GETSOCKOPT] = {do_getsockopt, NEEDS_BOTH},
	[LFP_CTL_SETSOCKOPT] = {do_setsockopt, NEEDS_BOTH},
	[LFP_CTL_WHY_EOF] = {do_why_eof, NEEDS_SOCKET},
	[LFP_CTL_OUTQ] = {do_outq, NEEDS_SOCKET},
	[LFP_CTL_GETADDRINFO] = {do_names, NEEDS_TASK},
	[LFP_CTL_GETNAMEINFO] = {do_names, NEEDS_TASK},
	[LFP_CTL_GETHOSTBYNAME] = {do_names, NEEDS_TASK},
	[LFP_CTL_GETHOSTBYADDR] = {do_names, NEEDS_TASK},
	[LFP_CTL_GETHOSTNAME] = {do_names, NEEDS_TASK},
	[LFP_CTL_GETHOSTID] = {do_names, NEEDS_TASK},
};

/* Find the socket or its grave; 0 or a positive errno. */
static int identify(struct call *call)
{
	bool asks_eof = call->request->op == LFP_CTL_WHY_EOF;
	uint64_t id, ino;
	int rc;

	if (call->conn->passed < 0)
		return EBADF;
	rc = near_identify(&call->inst->near, call->conn->passed, &id, &ino);
	if (rc == -ESTALE)
		return asks_eof ? ECONNRESET : ENETDOWN;
	if (rc)
		return EBADF;
	call->vs = vsock_find(&call->inst->socks, id);
	if (call->vs && call->vs->state != VSOCK_CLOSING)
		return call->vs->ino == ino ? 0 : EBADF;
	call->vs = NULL;
	call->grave = graves_find(&call->inst->graves, id, ino);
	if (call->grave)
		return 0;
	return asks_eof ? ECONNRESET : EBADF;
}

void call_handle(struct instance *inst, struct ctl_conn *conn, const struct lfp_ctl_request *request)
{
	struct call call = {.inst = inst, .conn = conn, .request = request};
	enum needs needs;
	int rc;

	if (request->op >= sizeof(calls) / sizeof(calls[0]) || !calls[request->op].handle) {
		ctl_fail(conn, EINVAL);
		return;
	}
	needs = calls[request->op].needs;
	if (needs & NEEDS_SOCKET) {
		rc = identify(&call);
		if (rc) {
			ctl_fail(conn, rc);
			return;
		}
		if (call.grave) {
			answer_grave(&call);
			return;
		}
		call.vs->quiet = false;
	}
	if (needs & NEEDS_TASK) {
		rc = link_is_up(&inst->link) ? task_enter(inst, conn, &conn->task) : -ENETDOWN;
		if (rc < 0)
			ctl_fail(conn, -rc);
		if (rc > 0)
			ctl_keep(conn, request);
		if (rc)
			return;
	}
	calls[request->op].handle(&call);
}
