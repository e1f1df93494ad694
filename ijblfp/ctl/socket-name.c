/* SPDX-License-Identifier: Apache-2.0 */
/* socket-name.c - getsockname(), getpeername() */
#include "ijblfp/ctl/calls.h"

#include <errno.h>
#include <stdlib.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/link/request.h"
#include "ijblfp/near/near.h"
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

/* A call that is answered when lfpd has told both addresses. */
struct name_answer {
	struct ctl_conn *conn;
	unsigned int left;       /* requests without an answer */
	int error;               /* positive errno of the address that was asked for, or 0 */
	uint8_t code;            /* the request for that one */
	struct lfp_addr told[2]; /* that one, then the other; family 0: none */
};

static void answer_names(struct instance *inst, struct name_answer *answer, uint64_t sock)
{
	const struct vsock *vs = vsock_find(inst->socks, sock);
	bool both = vs && vs->state == VSOCK_ESTABLISHED && answer->told[1].family;

	if (answer->error)
		ctl_fail(answer->conn, answer->error);
	else
		ctl_answer(answer->conn, 0, 0, answer->told,
			   sizeof(answer->told[0]) * (both ? 2 : 1), -1);
	free(answer);
}

static void on_one_of_two(struct instance *inst, struct request *request,
			  const struct lfp_frame *reply)
{
	struct name_answer *answer = request->data;
	int error = reply ? reply->status : ENETDOWN;
	bool asked = request->code == answer->code;

	if (asked)
		answer->error = error;
	if (!error)
		answer->told[!asked] = reply->name.addr;
	if (!--answer->left)
		answer_names(inst, answer, request->sock);
}

static int ask_one(struct call *call, struct name_answer *answer, uint8_t code)
{
	struct lfp_frame frame = {.code = code, .sock = call->vs->id};
	struct request *request;
	int error = 0;

	request = request_send(call->inst, &frame, on_one_of_two, &error);
	if (!request)
		return -error;
	request->data = answer;
	answer->left++;
	return 0;
}

static void ask_both(struct call *call, uint8_t code)
{
	struct name_answer *answer = calloc(1, sizeof(*answer));
	int error = answer ? 0 : ENOMEM;

	if (answer) {
		answer->conn = call->conn;
		answer->code = code;
		error = ask_one(call, answer, code);
	}
	if (error) {
		free(answer);
		ctl_fail(call->conn, error);
		return;
	}
	/* Without the other address the call is answered all the same. */
	(void)ask_one(call, answer, code == LFP_GETPEERNAME ? LFP_GETSOCKNAME : LFP_GETPEERNAME);
}

/* Returns true if the program may remember both addresses of the connection. They are told only to
 * the task that may use the socket. */
static bool tells_both(const struct call *call, bool ended)
{
	return call->request->a == LFP_CTL_BOTH && !call->vs->is_datagram && !call->vs->isolated &&
	       call->vs->state == VSOCK_ESTABLISHED && !ended && call->inst->near->unique_cookies;
}

/* Answers with the addresses of an accepted socket. */
static void answer_known(struct call *call, bool peer, bool both)
{
	const struct lfp_addr names[] = {
		peer ? call->vs->peer : call->vs->local,
		peer ? call->vs->local : call->vs->peer,
	};

	both &= names[1].family != 0;
	ctl_answer(call->conn, 0, 0, names, sizeof(names[0]) * (both ? 2 : 1), -1);
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
	bool both = tells_both(call, ended);

	/* The addresses of an accepted socket came with ACCEPTED and change only by BIND. After its
	 * end it has no peer. */
	if (known->family && !(peer && ended))
		answer_known(call, peer, both);
	else if (!peer && has_failed(call->vs))
		call_ask(call, &source, on_source);
	else if (both)
		ask_both(call, frame.code);
	else
		call_ask(call, &frame, on_name);
}
