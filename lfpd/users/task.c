/* SPDX-License-Identifier: Apache-2.0 */
/* task.c - the tasks of z/VSE */
#include "lfpd/users/task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/saved/saved.h"
#include "lfpd/users/refusal.h"
#include "lfpd/users/share.h"

const struct task *task_find(const struct session *session, uint32_t number)
{
	return (const struct task *)table_find(&session->tasks, number);
}

const struct task *task_next(const struct session *session, const struct task *task)
{
	return (const struct task *)table_next(&session->tasks, task ? &task->node : NULL);
}

bool task_known(const struct session *session, uint32_t id)
{
	return table_find(&session->tasks, id);
}

static void set_program(struct session *session, struct task *task, const struct lfp_text *name)
{
	int len = lfp_codepage_from_path(session->instance->codepage, name->ptr, name->len,
					 task->program, sizeof(task->program));

	if (len <= 0)
		strcpy(task->program, "?");
	for (char *p = task->program; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
}

static int add(struct session *session, struct task *task)
{
	int rc;

	task->share = share_take(session->instance, task->uid, SHARE_TASKS);
	if (!task->share)
		return -ENOMEM;
	rc = table_add(&session->tasks, &task->node);
	if (rc)
		share_drop(session->instance, task->share, SHARE_TASKS);
	return rc;
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
	if (share_refuses(session->instance, said->uid, SHARE_TASKS))
		return -EAGAIN;
	task = calloc(1, sizeof(*task));
	if (!task)
		return -ENOMEM;
	task->node.key = frame->task;
	task->id = said->id;
	strcpy(task->partition, said->partition);
	task->pid = said->pid;
	task->uid = said->uid;
	set_program(session, task, &said->program);
	task->serial = ++session->instance->counters.tasks;
	rc = add(session, task);
	if (rc)
		free(task);
	return rc;
}

int task_handle_begin(struct session *session, const struct lfp_frame *frame, const char **why)
{
	int rc;

	(void)why;
	if (task_known(session, frame->task)) {
		refusal_answer(session, frame, EPROTO, "the task is there already");
		return 0;
	}
	rc = begin(session, frame);
	if (rc == -EAGAIN)
		session->instance->counters.tasks_refused++;
	session_answer(session, frame, -rc);
	return 0;
}

void task_restore(struct session *session, const struct saved_task *saved)
{
	struct task *task = task_known(session, saved->number) ? NULL : calloc(1, sizeof(*task));

	if (!task)
		return;
	task->node.key = saved->number;
	task->id = saved->id;
	strcpy(task->partition, saved->partition);
	task->pid = saved->pid;
	task->uid = saved->uid;
	/* The reader lets at most TASK_PROGRAM - 1 bytes pass. */
	memcpy(task->program, saved->program.ptr, saved->program.len);
	task->serial = ++session->instance->counters.tasks;
	if (add(session, task))
		free(task);
}

static void drop(struct session *session, struct table_node *node)
{
	table_remove(&session->tasks, node);
	share_drop(session->instance, ((struct task *)node)->share, SHARE_TASKS);
	free(node);
}

int task_handle_end(struct session *session, const struct lfp_frame *frame, const char **why)
{
	struct table_node *node = table_find(&session->tasks, frame->task);

	(void)why;
	/* Not there: TASK_BEGIN was refused while this was under way. */
	if (node)
		drop(session, node);
	return 0;
}

void task_drop_all(struct session *session)
{
	struct table_node *node;

	while ((node = table_any(&session->tasks)))
		drop(session, node);
	table_finish(&session->tasks);
}
