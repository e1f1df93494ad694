/* SPDX-License-Identifier: Apache-2.0 */
/* task-begin.c - TASK_BEGIN: a task of z/VSE begins */
#include "lfpd/users/task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/log/log.h"
#include "lfpd/users/refusal.h"

void task_set_program(struct instance *inst, struct task *task, const struct lfp_text *name)
{
	int len = lfp_codepage_from_path(inst->codepage, name->ptr, name->len, task->program,
					 sizeof(task->program));

	if (len <= 0)
		strcpy(task->program, "?");
	for (char *p = task->program; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
}

static int begin(struct session *session, const struct lfp_frame *frame)
{
	const struct lfp_task_begin *said = &frame->task_begin;
	struct task *task;
	int rc;

	if (session->tasks.count >= session->instance->config.max_vse_tasks) {
		refusal_of_task(session->instance, said->id, said->partition);
		return -EAGAIN;
	}
	if (refusal_if_spent(session->instance, said->uid, SHARE_TASKS))
		return -EAGAIN;
	task = calloc(1, sizeof(*task));
	if (!task)
		return -ENOMEM;
	task->id = said->id;
	strcpy(task->partition, said->partition);
	task->pid = said->pid;
	task->uid = said->uid;
	task_set_program(session->instance, task, &said->program);
	task->serial = ++session->instance->counters.tasks;
	rc = task_add(session, task, frame->task);
	if (rc)
		free(task);
	return rc;
}

/* The task has executed another program. Returns false if the frame means another task. */
static bool begin_again(struct session *session, const struct lfp_frame *frame)
{
	const struct lfp_task_begin *said = &frame->task_begin;
	struct task *task = task_of(lfp_table_find(&session->tasks, frame->task));

	if (task->id != said->id || task->pid != said->pid || task->uid != said->uid ||
	    strcmp(task->partition, said->partition))
		return false;
	task_set_program(session->instance, task, &said->program);
	return true;
}

static void log_refusal(struct session *session, const struct lfp_task_begin *said)
{
	struct task task = {.id = said->id, .pid = said->pid, .uid = said->uid};
	struct log_record *record;
	struct log_who who;

	if (!log_is_on(session->instance))
		return;
	task_set_program(session->instance, &task, &said->program);
	task_who(&task, task.uid, &who);
	record = log_begin(session->instance, LOG_TASK, &who);
	if (!record)
		return;
	record->result = EAGAIN;
	record->decision.refused_by = DECISION_LIMIT;
	log_end(session->instance);
}

int task_handle_begin(struct session *session, const struct lfp_frame *frame, const char **why)
{
	int rc;

	(void)why;
	if (task_known(session, frame->task)) {
		if (begin_again(session, frame)) {
			session_answer(session, frame, 0);
			return 0;
		}
		refusal_answer(session, frame, EPROTO, "another task already has this id");
		return 0;
	}
	rc = begin(session, frame);
	if (rc == -EAGAIN) {
		session->instance->counters.tasks_refused++;
		log_refusal(session, &frame->task_begin);
	}
	session_answer(session, frame, -rc);
	return 0;
}
