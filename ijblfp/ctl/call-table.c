/* SPDX-License-Identifier: Apache-2.0 */
/* call-table.c - the calls of programs: what each request on the control channel does */
#include "ijblfp/ctl/calls.h"

#include <errno.h>
#include <sys/socket.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/credit.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/give.h"
#include "ijblfp/ctl/guard.h"
#include "ijblfp/ctl/identity.h"
#include "ijblfp/ctl/owner.h"
#include "ijblfp/ctl/posts.h"
#include "ijblfp/ctl/speak.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/link.h"
#include "ijblfp/near/grave.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/deliver.h"
#include "ijblfp/sock/early.h"
#include "ijblfp/sock/stream.h"
#include "ijblfp/sock/vsock.h"

/*
 * Theory of operation
 *
 * Each request goes through the same steps. First the instance finds the socket whose near end came
 * with the request, or the grave of that socket. Then it finds the task of the calling process.
 * Then it makes the call. Most calls become one request on the path, and the answer to that is the
 * answer to the call.
 */

/* Only a socket whose connection is over can be bound while its local address is known. */
static void on_bound(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	struct vsock *vs = reply && !reply->status ? vsock_find(inst->socks, request->sock) : NULL;

	if (vs)
		vs->local.family = 0;
	call_on_plain(inst, request, reply);
}

static void do_bind(struct call *call)
{
	struct lfp_frame frame = {.code = LFP_BIND};
	int rc = call_addr(call->request, &frame.bind.local);

	if (rc)
		ctl_fail(call->conn, -rc);
	else
		call_ask(call, &frame, on_bound);
}

/* Bits that say which steps come before the call. */
enum needs {
	NEEDS_NOTHING = 0,
	NEEDS_SOCKET = 1,
	NEEDS_TASK = 2,
	NEEDS_BOTH = 3,
	NEEDS_ENDS = 4,    /* a listener that a program has closed must refuse the connection */
	NEEDS_OPTIONS = 8, /* options that the program has set at its near end come first */
	NEEDS_WHO = 32,    /* lfpd must know the process as it is now */
	NEEDS_GUARD = 16,  /* the supervisor's guard must be told */
};

static void do_ping(struct call *call)
{
	int down = call->inst->draining ? ESHUTDOWN : ENETDOWN;

	ctl_reply(call->conn, link_is_up(call->inst->link) && !call->inst->draining ? 0 : down);
}

static void do_names(struct call *call)
{
	names_handle(call->inst, call->conn, call->request);
}

static void do_held(struct call *call)
{
	uint64_t bytes = deliver_held(call->vs);

	ctl_answer(call->conn, 0, (int)(bytes < INT32_MAX ? bytes : INT32_MAX), NULL, 0, -1);
}

/* The socket is known: identify() has found it. */
static void do_identify(struct call *call)
{
	ctl_reply(call->conn, 0);
}

static void do_interfaces(struct call *call)
{
	ijblfp_interfaces_handle(call->inst, call->conn);
}

static void do_refused(struct call *call)
{
	ctl_reply(call->conn, speak_refused(call->conn, call->request));
}

static const struct {
	void (*handle)(struct call *call);
	unsigned int needs; /* bits of enum needs */
} calls[] = {
	[LFP_CTL_PING] = {do_ping, NEEDS_NOTHING},
	[LFP_CTL_SOCKET] = {socket_call, NEEDS_TASK | NEEDS_WHO},
	[LFP_CTL_BIND] = {do_bind, NEEDS_BOTH},
	[LFP_CTL_CONNECT] = {connect_call, NEEDS_BOTH | NEEDS_ENDS | NEEDS_OPTIONS | NEEDS_GUARD},
	[LFP_CTL_DETACH] = {connect_call_detach, NEEDS_NOTHING},
	[LFP_CTL_LISTEN] = {listen_call, NEEDS_BOTH | NEEDS_OPTIONS | NEEDS_GUARD},
	[LFP_CTL_SHUTDOWN] = {ending_shutdown, NEEDS_BOTH},
	[LFP_CTL_GETSOCKNAME] = {option_getname, NEEDS_BOTH},
	[LFP_CTL_GETPEERNAME] = {option_getname, NEEDS_BOTH},
	[LFP_CTL_GETSOCKOPT] = {option_get, NEEDS_BOTH | NEEDS_OPTIONS},
	[LFP_CTL_SETSOCKOPT] = {option_set, NEEDS_BOTH | NEEDS_OPTIONS},
	[LFP_CTL_WHY_EOF] = {ending_why_eof, NEEDS_SOCKET},
	[LFP_CTL_WHY_EPIPE] = {ending_why_epipe, NEEDS_SOCKET},
	[LFP_CTL_OUTQ] = {option_outq, NEEDS_BOTH},
	[LFP_CTL_CREDIT] = {credit_call, NEEDS_TASK},
	[LFP_CTL_HELD] = {do_held, NEEDS_SOCKET},
	[LFP_CTL_URGENT] = {urgent_call, NEEDS_BOTH},
	[LFP_CTL_RENEW] = {connect_call_renew, NEEDS_BOTH | NEEDS_OPTIONS},
	[LFP_CTL_SENT] = {datagram_sent, NEEDS_BOTH},
	[LFP_CTL_ERRQUEUE] = {datagram_errqueue, NEEDS_BOTH},
	[LFP_CTL_GETADDRINFO] = {do_names, NEEDS_TASK | NEEDS_WHO},
	[LFP_CTL_GETNAMEINFO] = {do_names, NEEDS_TASK | NEEDS_WHO},
	[LFP_CTL_GETHOSTBYNAME] = {do_names, NEEDS_TASK | NEEDS_WHO},
	[LFP_CTL_GETHOSTBYADDR] = {do_names, NEEDS_TASK | NEEDS_WHO},
	[LFP_CTL_GETHOSTNAME] = {do_names, NEEDS_TASK | NEEDS_WHO},
	[LFP_CTL_GETHOSTID] = {do_names, NEEDS_TASK | NEEDS_WHO},
	[LFP_CTL_REFUSED] = {do_refused, NEEDS_NOTHING},
	[LFP_CTL_IDENTIFY] = {do_identify, NEEDS_SOCKET},
	[LFP_CTL_GETIFADDRS] = {do_interfaces, NEEDS_TASK},
	[LFP_CTL_TASK] = {owner_task, NEEDS_NOTHING},
	[LFP_CTL_CLIENTID] = {give_clientid, NEEDS_TASK},
	[LFP_CTL_GIVE] = {give_give, NEEDS_BOTH},
	[LFP_CTL_TAKE] = {give_take, NEEDS_TASK | NEEDS_WHO},
	[LFP_CTL_TAKEN] = {give_taken, NEEDS_TASK},
	[LFP_CTL_DROP] = {give_drop_call, NEEDS_TASK},
};

/* Finds the socket by the descriptor that came along. @id may stay without a name if the socket is
 * found. Sets @now as vsock_find_near() does. Returns 0, even if there is no socket, or an error of
 * near_identify(). */
static int find_socket(struct call *call, struct near_id *id, bool *now)
{
	int rc;

	if (!near_cookie(call->inst->near, call->conn->passed, &id->cookie))
		call->vs = vsock_find_cookie(call->inst->socks, id->cookie, now);
	if (call->vs && call->vs->state != VSOCK_CLOSING)
		return 0;
	rc = near_identify(call->inst->near, call->conn->passed, id);
	call->vs = rc ? NULL : vsock_find_near(call->inst->socks, id, now);
	return rc;
}

/* Finds the socket or its grave. Returns 0 or a positive errno. */
static int identify(struct call *call)
{
	bool asks_eof = call->request->op == LFP_CTL_WHY_EOF;
	struct near_id id = {.name = 0};
	bool now = false;
	int rc;

	if (call->conn->passed < 0)
		return EBADF;
	rc = find_socket(call, &id, &now);
	if (rc == -ESTALE)
		return asks_eof ? ECONNRESET : ENETDOWN;
	call->has_no_name = rc;
	call->cookie = id.cookie;
	if (rc) {
		/* It may have had a near end without a path, whose connection is over. */
		id.name = id.cookie;
		call->grave = id.cookie ? graves_find(call->inst->graves, &id) : NULL;
		return call->grave ? 0 : EBADF;
	}
	call->conn->is_near = call->vs != NULL;
	call->conn->known = call->vs && now && call->vs->paired;
	if (call->vs && call->vs->state != VSOCK_CLOSING)
		return now ? 0 : asks_eof ? ENOTCONN : EBADF;
	call->grave = graves_find(call->inst->graves, &id);
	if (!call->grave && !call->vs && id.name == id.cookie && !asks_eof)
		return ENETDOWN; /* without a path: it is another run's */
	call->vs = NULL;
	if (call->grave)
		return 0;
	return asks_eof ? ECONNRESET : EBADF;
}

/* SO_ERROR does not: a program would take a lack of memory for an error of its connection. */
static bool depends_on_options(const struct lfp_ctl_request *request)
{
	return (calls[request->op].needs & NEEDS_OPTIONS) &&
	       !(request->op == LFP_CTL_GETSOCKOPT && request->a == SOL_SOCKET &&
		 request->b == SO_ERROR);
}

/* Sends options that the program has set without a call. Returns 0, or a negative errno if the call
 * depends on one that could not be sent. */
static int send_options(const struct call *call)
{
	int rc = posts_take_first(call->inst, call->vs);

	if (!depends_on_options(call->request))
		return 0;
	return rc || call->vs->paired ? rc : early_send(call->inst, call->vs, call->conn->passed);
}

void call_handle(struct instance *inst, struct ctl_conn *conn,
		 const struct lfp_ctl_request *request)
{
	struct call call = {.inst = inst, .conn = conn, .request = request};
	unsigned int needs;
	uint16_t family;
	int rc;

	if (request->op >= sizeof(calls) / sizeof(calls[0]) || !calls[request->op].handle) {
		ctl_fail(conn, EINVAL);
		return;
	}
	/* A supervisor does not know what its programs execute, but asks for their sockets. */
	if ((request->flags & LFP_CTL_ANEW) || (request->task && request->op == LFP_CTL_SOCKET))
		task_look_again(inst, conn);
	conn->as = request->as;
	conn->argument = request->a;
	needs = calls[request->op].needs;
	if ((needs & NEEDS_ENDS) && inst->socks->by_state[VSOCK_LISTENING])
		stream_poll_now(inst);
	rc = needs & NEEDS_SOCKET ? identify(&call) : 0;
	/* Every call makes a fresh socket a near end. So does IDENTIFY, because a supervisor must
	 * hear only of sockets that the instance has checked. */
	if (rc == EBADF && call.has_no_name)
		rc = adopt_call(&call);
	if (!rc)
		rc = owner_check(&call);
	if (rc < 0)
		return;
	if (rc) {
		ctl_fail(conn, rc);
		return;
	}
	if (needs & NEEDS_SOCKET) {
		if (call.grave) {
			ending_answer_grave(&call);
			return;
		}
		/* Data that the program sent before the call goes out before the call. */
		if (call.vs->is_datagram) {
			uint64_t id = call.vs->id;

			datagram_touch(call.vs);
			datagram_ask(inst);
			/* If somebody has removed the name of the call's socket, it counts as
			 * closed. */
			call.vs = vsock_find(inst->socks, id);
			if (!call.vs || !call.vs->is_datagram) {
				ctl_fail(conn, EBADF);
				return;
			}
			(void)datagram_settle(inst, call.vs);
		} else {
			stream_note_use(call.vs);
			rc = send_options(&call);
			if (rc) {
				ctl_fail(conn, -rc);
				return;
			}
		}
	}
	if (call.vs && call.vs->state == VSOCK_LISTENING)
		guard_check_listener(conn, call.vs);
	if (needs & NEEDS_GUARD)
		guard_note(conn, call.vs, request);
	family = call.vs ? call.vs->family : 0;
	if (!(needs & NEEDS_TASK) || call_enter(&call)) {
		if (needs & NEEDS_WHO)
			identity_tell(inst, conn, conn->task);
		calls[request->op].handle(&call);
	}
	/* The program waits for the call, but not for new spare sockets. */
	if (call.filled)
		credit_fill(call.filled, family == LFP_AF_INET6 ? AF_INET6 : AF_INET);
}
