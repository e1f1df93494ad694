/* SPDX-License-Identifier: Apache-2.0 */
/* adopt.c - the first call on a fresh socket, which a program has made itself */
#include <errno.h>
#include <sys/socket.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/base/refusal.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/calls.h"
#include "ijblfp/ctl/credit.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/identity.h"
#include "ijblfp/ctl/owner.h"
#include "ijblfp/ctl/share.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/link/request.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/sweep-timer.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/addr.h"

/*
 * Theory of operation
 *
 * Possession of the descriptor is the right to make calls. The mark only says that the maker of the
 * socket wants LFP. near_adopt() takes an unbound and unconnected UNIX stream socket and nothing
 * else, and binds it to a name that only the instance can give. From then on the socket is a near
 * end in state NEW, like any other (docs/near-ends.md).
 *
 * A socket that CONNECT adopts has no path, if the kernel allows that: a path is most of the cost
 * (near-living.h).
 *
 * The socket belongs to the process, even if one of its CICS-style tasks makes the call. Each of
 * these tasks may use the socket, and it does not end with the task that made the call.
 *
 * Two processes or threads may make the first call at the same time. The second call finds the
 * name.
 */

/* Makes the call's descriptor the near end of @vs. Returns 0 or a positive errno. */
static int take_as(struct instance *inst, struct vsock *vs, int fd, bool connects, uint64_t cookie)
{
	struct near_id id = {.cookie = cookie};
	int rc = connects ? near_adopt_nameless(inst->near, fd, vs->uid, &id)
			  : near_adopt(inst->near, fd, &id);

	if (rc == -EINVAL)
		return EBADF;
	if (rc)
		return -descriptors_lack(inst, rc);
	vsock_set_near(inst->socks, vs, &id);
	vsock_set_state(inst->socks, vs, VSOCK_NEW);
	sweep_timer_start(inst);
	return 0;
}

/* Returns true for the near end of a socket. */
static bool is_known(const struct instance *inst, int fd)
{
	uint64_t cookie;
	bool now;

	return !near_cookie(inst->near, fd, &cookie) &&
	       vsock_find_cookie(inst->socks, cookie, &now);
}

static void on_socket(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	struct ctl_conn *conn = request->data;
	int error = reply ? reply->status : ENETDOWN;
	struct near_id id;
	struct vsock *vs;

	if (credit_try(inst, request, &error))
		return;
	vs = vsock_find(inst->socks, request->sock);
	if (error == ENFILE)
		ijblfp_refusal_of_socket(inst);
	if (error || !vs) {
		if (vs)
			vsock_destroy(inst->socks, vs);
		ctl_fail(conn, error ? error : ENFILE);
		return;
	}
	if (is_known(inst, conn->passed) || !near_identify(inst->near, conn->passed, &id)) {
		/* Another call has already made the descriptor a near end. */
		end_close(inst, vs, false);
		ctl_resume(conn);
		return;
	}
	error = take_as(inst, vs, conn->passed, false, 0);
	if (!error) {
		ctl_resume(conn);
		return;
	}
	end_close(inst, vs, false);
	ctl_fail(conn, error);
}

/* Asks lfpd for a socket. The call waits. */
static void ask(struct call *call, int family)
{
	const struct task *task = call->conn->task;
	struct lfp_frame frame = {
		.code = LFP_SOCKET,
		.task = task->number,
		.socket = {.family = (uint16_t)lfp_family_from(family), .kind = SOCK_STREAM},
	};
	struct request *request;
	int error = -ENOMEM;

	call->vs = vsock_create(call->inst->socks, 0);
	if (!call->vs) {
		ctl_fail(call->conn, ENOMEM);
		return;
	}
	call->vs->family = frame.socket.family;
	call->vs->kind = SOCK_STREAM;
	owner_set(call->vs, task);
	frame.sock = call->vs->id;
	if (!ctl_keep(call->conn, call->request)) {
		vsock_destroy(call->inst->socks, call->vs);
		return;
	}
	request = request_send(call->inst, &frame, on_socket, &error);
	if (request) {
		request->data = call->conn;
		return;
	}
	vsock_destroy(call->inst->socks, call->vs);
	ctl_fail(call->conn, -error);
}

/* Finds or begins the task of the process. The socket is the process's, because CICS-style tasks
 * make no near ends. Returns NULL if the call waits or was answered. The call's connection may then
 * be gone. */
static struct task *enter_process(struct call *call)
{
	uint64_t as = call->conn->as;

	call->conn->as = 0; /* call_handle() sets it again for a call that waits */
	if (!call_enter(call))
		return NULL;
	call->conn->as = as;
	return call->conn->task;
}

/* Returns true if the call must wait for lfpd. */
static bool must_wait(const struct call *call, int family)
{
	struct task *task = ijblfp_task_find(call->inst->tasks, call->conn->pid);

	return !task || task->state != TASK_ACTIVE || !credit_take(task, family);
}

/* The error of a call that cannot wait. A socket that is not connected has no end to ask for. */
static int busy_error(int op)
{
	return op == LFP_CTL_WHY_EOF ? ENOTCONN : op == LFP_CTL_WHY_EPIPE ? EPIPE : EAGAIN;
}

int adopt_call(struct call *call)
{
	int family = near_fresh_family(call->inst->near, call->conn->passed), error;
	struct task *task;

	if (family != AF_INET && family != AF_INET6)
		return EBADF;
	error = owner_check(call);
	if (error)
		return error;
	identity_tell(call->inst, call->conn, ijblfp_task_find(call->inst->tasks, call->conn->pid));
	if (must_wait(call, family) && !share_may_wait(call->conn, call->request))
		return busy_error(call->request->op);
	task = enter_process(call);
	if (!task)
		return -1;
	call->vs = credit_take(task, family);
	if (!call->vs) {
		ask(call, family);
		return -1;
	}
	error = take_as(call->inst, call->vs, call->conn->passed,
			call->request->op == LFP_CTL_CONNECT && !call->conn->voice, call->cookie);
	if (error) {
		call->vs = NULL;
		return error;
	}
	call->conn->is_near = true;
	call->filled = task;
	return 0;
}
