/* SPDX-License-Identifier: Apache-2.0 */
/* option.c - getsockopt(), setsockopt() */
#include "ijblfp/ctl/calls.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/link/request.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/early.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/urgent.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/sockopt.h"

#define VALUE_MAX 4096

/* Of tcpi_notsent_bytes in struct tcp_info (linux/tcp.h). */
#define NOTSENT_AT 144u

/* Returns the bytes that the program has written and the host's TCP has not taken yet. lfpd
 * must just have reported how much it has taken. */
static uint64_t on_the_way(const struct vsock *vs)
{
	uint64_t bytes = vs->send.sent - vs->send.consumed + urgent_count(vs);

	return vs->state == VSOCK_ESTABLISHED ? bytes + stream_waiting(vs) : bytes;
}

static uint32_t add_bytes(uint32_t number, uint64_t more)
{
	return more < INT32_MAX - number ? number + (uint32_t)more : INT32_MAX;
}

/* The host does not know of the data that is still on its way, and has not sent it. */
static void add_unsent(const struct vsock *vs, uint8_t *info, size_t len)
{
	uint32_t number;

	if (!vs || len < NOTSENT_AT + sizeof(number))
		return;
	memcpy(&number, info + NOTSENT_AT, sizeof(number));
	number = add_bytes(number, on_the_way(vs));
	memcpy(info + NOTSENT_AT, &number, sizeof(number));
}

static void on_outq(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	const struct vsock *vs = vsock_find(inst->socks, request->sock);
	struct ctl_conn *conn = request->data;
	int error = reply ? reply->status : ENETDOWN;
	uint32_t number;

	if (error || !vs) {
		ctl_reply(conn, error);
		return;
	}
	/* 1: only the bytes that the host has not sent */
	number = conn->argument == 1 ? reply->outq.unsent : reply->outq.unacked;
	ctl_answer(conn, 0, (int)add_bytes(number, on_the_way(vs)), NULL, 0, -1);
}

void option_outq(struct call *call)
{
	struct lfp_frame frame = {.code = LFP_OUTQ, .sock = call->vs->id};
	struct request *request;
	int error;

	if (call->vs->state == VSOCK_OVER) {
		ctl_reply(call->conn, 0);
		return;
	}
	request = request_send(call->inst, &frame, on_outq, &error);
	if (!request) {
		ctl_fail(call->conn, -error);
		return;
	}
	request->data = call->conn;
}

static void on_value(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	int error = reply ? reply->status : ENETDOWN;
	int level = request->frame.getsockopt.level, name = request->frame.getsockopt.name;
	uint8_t value[VALUE_MAX];

	if (error) {
		ctl_fail(request->data, error);
		return;
	}
	memcpy(value, reply->value.value.ptr, reply->value.value.len);
	lfp_opt_from_wire(level, name, value, reply->value.value.len);
	if (level == IPPROTO_TCP && name == TCP_INFO)
		add_unsent(vsock_find(inst->socks, request->sock), value, reply->value.value.len);
	ctl_answer(request->data, 0, 0, value, reply->value.value.len, -1);
}

void option_answer_error(struct call *call, int error)
{
	size_t room = call->request->c < 0 ? 0 : (size_t)call->request->c;

	ctl_answer(call->conn, 0, 0, &error, room < sizeof(error) ? room : sizeof(error), -1);
}

void option_get(struct call *call)
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
	if (r->a == SOL_SOCKET && r->b == SO_ERROR && call->vs->is_datagram) {
		option_answer_error(call, datagram_take_error(call->vs));
		return;
	}
	if (r->a == SOL_SOCKET && r->b == SO_ERROR) {
		bool lost = call->vs->state == VSOCK_RESET || call->vs->state == VSOCK_OVER ||
			    call->vs->state == VSOCK_NEW;

		if (ending_looks(call))
			return;
		/* An error ends the connection here, too. */
		option_answer_error(call, lost ? vsock_take_error(call->vs, 0) : 0);
		return;
	}
	if (lfp_opt_policy(r->a, r->b) == LFP_OPT_REFUSE) {
		ctl_fail(call->conn, ENOPROTOOPT);
		return;
	}
	frame.getsockopt.length = r->c < VALUE_MAX ? (uint32_t)r->c : VALUE_MAX;
	call_ask(call, &frame, on_value);
}

/* The instance needs SO_LINGER {1, 0}, too: close() then throws away data on its way. */
static void remember_linger(struct vsock *vs, const struct lfp_ctl_request *r)
{
	struct linger linger;

	if (r->a != SOL_SOCKET || r->b != SO_LINGER || r->len < sizeof(linger))
		return;
	memcpy(&linger, r->data, sizeof(linger));
	vsock_set_discards(vs, linger.l_onoff && !linger.l_linger);
}

/*
 * The instance needs TCP_INQ, too: the shim reports the near end's unread bytes as TCP does. Under
 * a supervisor recvmsg() is the kernel's alone, so TCP_INQ is refused. lfpd's host refuses wrong
 * values. Returns 0 or a positive errno.
 */
static int remember_inq(const struct call *call, const struct lfp_ctl_request *r)
{
	int value, rc;

	if (r->a != IPPROTO_TCP || r->b != TCP_INQ || call->vs->is_datagram ||
	    r->len < sizeof(value))
		return 0;
	memcpy(&value, r->data, sizeof(value));
	if (call->conn->spoken)
		return ENOPROTOOPT;
	if (value != 0 && value != 1)
		return 0;
	rc = near_tell_unread(call->conn->passed, value);
	if (!rc)
		vsock_set_tells_unread(call->vs, value);
	return -rc;
}

static void note_early(const struct call *call)
{
	const struct lfp_ctl_request *r = call->request;

	if (!call->vs->is_datagram)
		early_note(call->vs, call->conn->passed, r->a, r->b, r->data, r->len);
}

/* The program already has its answer. */
static void on_certain(struct instance *inst, struct request *request,
		       const struct lfp_frame *reply)
{
	(void)inst;
	(void)request;
	(void)reply;
}

void option_set(struct call *call)
{
	const struct lfp_ctl_request *r = call->request;
	enum lfp_opt_policy policy = lfp_opt_policy(r->a, r->b);
	uint8_t value[VALUE_MAX];
	struct lfp_frame frame = {
		.code = LFP_SETSOCKOPT,
		.setsockopt = {.level = r->a, .name = r->b, .value = {value, r->len}},
	};
	int error;

	if (r->len > sizeof(value)) {
		ctl_fail(call->conn, EINVAL);
		return;
	}
	if (policy == LFP_OPT_ASK || policy == LFP_OPT_REFUSE) {
		ctl_fail(call->conn, lfp_opt_refusal(r->a, r->b));
		return;
	}
	error = remember_inq(call, r);
	if (error) {
		ctl_fail(call->conn, error);
		return;
	}
	memcpy(value, r->data, r->len);
	lfp_opt_to_wire(r->a, r->b, value, r->len);
	remember_linger(call->vs, r);
	if (call->vs->is_datagram || !lfp_opt_certain(r->a, r->b, r->len)) {
		note_early(call);
		call_ask(call, &frame, call_on_plain);
		return;
	}
	/* Frames keep their order: later calls of the program come after this one. */
	frame.sock = call->vs->id;
	if (!request_send(call->inst, &frame, on_certain, &error)) {
		ctl_fail(call->conn, -error);
		return;
	}
	/* Only now: where a value is noted, the program's next try would not come here. */
	note_early(call);
	ctl_reply(call->conn, 0);
}
