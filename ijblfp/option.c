/* SPDX-License-Identifier: Apache-2.0 */
/* option.c - getsockname(), getpeername(), getsockopt(), setsockopt() */
#include "ijblfp/option.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "ijblfp/call.h"
#include "ijblfp/instance.h"
#include "lfp/sockopt.h"

#define VALUE_MAX 4096

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

void option_getname(struct call *call)
{
	bool peer = call->request->op == LFP_CTL_GETPEERNAME;
	const struct lfp_addr *known = peer ? &call->vs->peer : &call->vs->local;
	struct lfp_frame frame = {.code = peer ? LFP_GETPEERNAME : LFP_GETSOCKNAME};

	/* Those of an accepted socket came with it and do not change. */
	if (known->family)
		ctl_answer(call->conn, 0, 0, known, sizeof(*known), -1);
	else
		call_ask(call, &frame, on_name);
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
	if (r->a == SOL_SOCKET && r->b == SO_ERROR) {
		/* An error ends the connection here too: who has one to tell has a grave. */
		option_answer_error(call, 0);
		return;
	}
	if (lfp_opt_policy(r->a, r->b) == LFP_OPT_REFUSE) {
		ctl_fail(call->conn, ENOPROTOOPT);
		return;
	}
	frame.getsockopt.length = r->c < VALUE_MAX ? (uint32_t)r->c : VALUE_MAX;
	call_ask(call, &frame, on_value);
}

void option_set(struct call *call)
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
	call_ask(call, &frame, call_on_plain);
}
