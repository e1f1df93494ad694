/* SPDX-License-Identifier: Apache-2.0 */
/* speak.c - supervisors: processes that call for others */
#include "ijblfp/ctl/speak.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ijblfp/base/instance.h"
#include "ijblfp/ctl/peer.h"
#include "ijblfp/ctl/task.h"
#include "lfp/log.h"

/* Limit of log lines about refused calls, for the whole instance. */
#define LINES_A_MINUTE 60u
#define MINUTE_MS      60000u

/* Reads the ids of a process. Returns false if there is no such process. */
static bool read_uids(pid_t pid, uid_t *real, uid_t *effective)
{
	char text[PEER_STATUS_MAX];
	const char *line = peer_read_ids(pid, text);

	return line && sscanf(line, "Uid: %u %u", real, effective) == 2;
}

void speak_renew(struct ctl_conn *conn)
{
	uid_t real, effective;

	/* Only a process that root had made may have other rights now. Any other one may have
	 * executed a set-user-ID program, and need not be the sender. */
	if (conn->uid == 0 && conn->pid > 0 && read_uids(conn->pid, &real, &effective))
		conn->uid = effective;
}

int speak_for(struct ctl_conn *conn, const struct lfp_ctl_request *request)
{
	struct task *task;
	uid_t real, effective;

	if (request->task <= 0 || request->speaker <= 0)
		return EPERM;
	conn->voice = conn->pid;
	conn->voice_uid = conn->uid;
	if (request->speaker != conn->pid || request->task == conn->pid)
		return 0;
	task = ijblfp_task_find(conn->inst->tasks, request->task);
	if (task && task->spoken && task->speaker == conn->uid) {
		conn->pid = task->pid;
		conn->uid = task->uid;
		conn->inode = 0;
		return 0;
	}
	if (!read_uids(request->task, &real, &effective) ||
	    (conn->uid != 0 && (conn->uid != real || conn->uid != effective)))
		return EPERM;
	conn->spoken = true;
	conn->speaker = conn->uid;
	conn->pid = request->task;
	conn->inode = 0;
	conn->uid = effective;
	if (task) {
		task->spoken = true;
		task->speaker = conn->speaker;
	}
	return 0;
}

/* Returns one of the texts of the request, or NULL if it has no end. */
static const char *take_text(const struct lfp_ctl_request *request, size_t *at)
{
	const char *text = (const char *)request->data + *at;
	const char *end = memchr(text, '\0', request->len - *at);

	if (!end)
		return NULL;
	*at += (size_t)(end - text) + 1;
	return text;
}

static bool may_log(struct ctl_server *ctl, uint64_t now)
{
	if (now - ctl->refused_since >= MINUTE_MS || !ctl->refused_since) {
		if (ctl->refused > LINES_A_MINUTE)
			lfp_msg("VLFB051W", "%u more calls were refused.",
				ctl->refused - LINES_A_MINUTE);
		ctl->refused_since = now;
		ctl->refused = 0;
	}
	return ctl->refused++ < LINES_A_MINUTE;
}

int speak_refused(struct ctl_conn *conn, const struct lfp_ctl_request *request)
{
	char program[TASK_PROGRAM];
	const char *call, *reason;
	size_t at = 0;

	call = take_text(request, &at);
	reason = call ? take_text(request, &at) : NULL;
	if (!reason || at != request->len)
		return EINVAL;
	if (!may_log(conn->inst->ctl, uv_now(conn->inst->loop)))
		return 0;
	task_read_program(conn->pid, program);
	lfp_msg("VLFB050W", "Program %s, process %ld: refused %.100s: %.200s.", program,
		(long)peer_shown(conn->pid), call, reason);
	return 0;
}
