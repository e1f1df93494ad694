/* SPDX-License-Identifier: Apache-2.0 */
/* owner.c - owners of sockets: CICS-style tasks, and what other tasks may not do with their sockets
 */
#include "ijblfp/ctl/owner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/call.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/task.h"
#include "ijblfp/near/near-names.h"
#include "ijblfp/near/near.h"
#include "ijblfp/sock/datagram.h"
#include "ijblfp/sock/end.h"
#include "ijblfp/sock/vsock.h"
#include "lfp/ctl.h"

#define ALREADY 4 /* EZASTRUE's return code */

void owner_set(struct vsock *vs, const struct task *task)
{
	vsock_set_owner(vs, task->number, task->slot, task->uid, task->key && !task->share);
}

static struct task *caller(const struct call *call)
{
	struct task *task = task_find_key(call->inst->tasks, call->conn->pid, call->conn->as);

	return task && task->inode == call->conn->inode ? task : NULL;
}

int owner_check(const struct call *call)
{
	const struct task *task = caller(call), *process;

	if (call->conn->as && (!task || task->ended))
		return ESRCH;
	if (call->conn->as && (call->request->flags & LFP_CTL_EZA)) {
		process = ijblfp_task_find(call->inst->tasks, call->conn->pid);
		if (!process || !process->eza)
			return ENOPKG;
	}
	if (call->vs && call->vs->isolated && (!task || task->number != call->vs->task))
		return EBADF;
	return 0;
}

/* The near end has no right to the socket any more, and looks as if it were closed. */
static void take_rights(struct instance *inst, struct vsock *vs)
{
	near_forget(inst->near, &vs->near[0].id);
	vsock_set_near(inst->socks, vs, &(struct near_id){.name = 0});
}

static void close_one(struct instance *inst, struct vsock *vs)
{
	switch (vs->state) {
	case VSOCK_ESTABLISHED:
		/* Data that the program has written goes out; nothing more is read. */
		take_rights(inst, vs);
		shutdown(vs->far, SHUT_RDWR);
		break;
	case VSOCK_DATAGRAM:
		datagram_on_gone(inst, vs);
		break;
	case VSOCK_OPENING:  /* call.c closes the descriptor when it has arrived */
	case VSOCK_SPARE:    /* a CICS-style task has none */
	case VSOCK_ARRIVING: /* follows its listener, or the program that has the listener */
	case VSOCK_CLOSING:
		break;
	default:
		end_close(inst, vs, vs->state == VSOCK_RESET);
		break;
	}
}

struct ids {
	uint64_t *ids;
	size_t nr;
	uint32_t task;
};

static void note(void *data, struct vsock *vs)
{
	struct ids *ids = data;

	if (vs->task == ids->task && vs->isolated && !vs->given)
		ids->ids[ids->nr++] = vs->id;
}

/* Closing one socket may destroy others, so collect their ids first. */
void owner_close_all(struct instance *inst, const struct task *task)
{
	struct ids ids = {.task = task->number};

	if (!inst->socks->by_id.count)
		return;
	ids.ids = calloc(inst->socks->by_id.count, sizeof(*ids.ids));
	if (!ids.ids)
		return; /* these are treated as an ended task's, and end with the process */
	vsock_each(inst->socks, note, &ids);
	for (size_t i = 0; i < ids.nr; i++) {
		struct vsock *vs = vsock_find(inst->socks, ids.ids[i]);

		if (vs)
			close_one(inst, vs);
	}
	free(ids.ids);
}

bool owner_has_ended(struct instance *inst, const struct vsock *vs)
{
	const struct tasks *tasks = inst->tasks;

	return vs->task_slot >= tasks->nr_slots || !tasks->slots[vs->task_slot] ||
	       tasks->slots[vs->task_slot]->number != vs->task;
}

struct count {
	struct instance *inst;
	unsigned int nr;
};

static void count(void *data, struct vsock *vs)
{
	struct count *ended = data;

	if (vs->state != VSOCK_CLOSING && owner_has_ended(ended->inst, vs))
		ended->nr++;
}

unsigned int owner_count_ended(struct instance *inst)
{
	struct count ended = {.inst = inst};

	vsock_each(inst->socks, count, &ended);
	return ended.nr;
}

static void begin(struct call *call)
{
	const struct lfp_ctl_request *r = call->request;
	struct ctl_conn *conn = call->conn;
	struct task *task;
	int rc;

	if (conn->as || (r->len && r->len != LFP_CTL_CLIENT)) {
		ctl_fail(conn, EINVAL);
		return;
	}
	if (conn->begun) {
		/* lfpd knows the task: here the call continues. */
		task = task_find_key(call->inst->tasks, conn->pid, conn->begun);
		if (task)
			ctl_answer(conn, 0, (int)task->number, &task->key, sizeof(task->key), -1);
		else
			ctl_fail(conn, ESRCH);
		return;
	}
	rc = task_begin_cics(call->inst, conn, conn->task, &task);
	if (rc) {
		ctl_fail(conn, -rc);
		return;
	}
	task->share = r->flags & LFP_CTL_SHARE;
	if (r->len)
		memcpy(task->client.task, r->data, LFP_CTL_CLIENT);
	conn->begun = task->key;
	(void)ctl_keep(conn, r);
}

static void set_true(struct call *call, bool on)
{
	struct task *process = ijblfp_task_find(call->inst->tasks, call->conn->pid);
	bool already = process && process->eza == on;

	if (process)
		process->eza = on;
	ctl_answer(call->conn, 0, already ? ALREADY : 0, NULL, 0, -1);
}

void owner_task(struct call *call)
{
	struct task *task = caller(call);

	switch (call->request->a) {
	case LFP_CTL_TASK_BEGIN:
		if (call_enter(call))
			begin(call);
		break;
	case LFP_CTL_TASK_END:
		/* Works without a path, too. */
		if (!call->conn->as) {
			ctl_fail(call->conn, EINVAL);
			return;
		}
		ctl_reply(call->conn, 0);
		task_end_cics(call->inst, task);
		break;
	case LFP_CTL_TRUE_START:
	case LFP_CTL_TRUE_STOP:
		if (call_enter(call))
			set_true(call, call->request->a == LFP_CTL_TRUE_START);
		break;
	default:
		ctl_fail(call->conn, EINVAL);
		break;
	}
}
