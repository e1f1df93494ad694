/* SPDX-License-Identifier: Apache-2.0 */
/* task.c - the tasks of z/VSE */
#include "lfpd/users/task.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lfpd/policy/subject.h"
#include "lfpd/saved/saved.h"
#include "lfpd/users/meter.h"
#include "lfpd/users/share.h"

const struct task *task_find(const struct session *session, uint32_t number)
{
	return task_of(lfp_table_find(&session->tasks, number));
}

const struct task *task_next(const struct session *session, const struct task *task)
{
	return task_of(lfp_table_next(&session->tasks, task ? &task->node : NULL));
}

void task_who_subject(const struct subject *subject, struct log_who *who)
{
	const size_t most = sizeof(who->executable) - 1;
	size_t len;

	if (!subject)
		return;
	who->has_uid = !subject->is_unknown;
	who->uid = subject->uid;
	if (!subject->has_program)
		return;
	len = strlen(subject->program);
	if (len <= most)
		strcpy(who->executable, subject->program);
	else
		snprintf(who->executable, sizeof(who->executable), "...%s",
			 subject->program + len - (most - 3));
}

void task_who(const struct task *task, uint32_t uid, struct log_who *who)
{
	*who = (struct log_who){.has_uid = true, .uid = uid, .has_task = task};
	if (!task)
		return;
	who->task = task->id;
	who->pid = task->pid;
	snprintf(who->program, sizeof(who->program), "%s", task->program);
	task_who_subject(task->who, who);
}

bool task_known(const struct session *session, uint32_t id)
{
	return lfp_table_find(&session->tasks, id);
}

int task_add(struct session *session, struct task *task, uint32_t number)
{
	const struct subject_facts facts = {.has_task = true, .task = task->id, .uid = task->uid};

	task->who = subject_make(&facts);
	if (!task->who)
		return -ENOMEM;
	task->share = share_take(session->instance, task->uid, SHARE_TASKS);
	if (!task->share) {
		subject_drop(task->who);
		return -ENOMEM;
	}
	lfp_list_init(&task->meters);
	lfp_table_add(&session->tasks, &task->node, number);
	return 0;
}

void task_restore(struct session *session, const struct saved_task *saved)
{
	struct task *task = task_known(session, saved->number) ? NULL : calloc(1, sizeof(*task));

	if (!task)
		return;
	task->id = saved->id;
	strcpy(task->partition, saved->partition);
	task->pid = saved->pid;
	task->uid = saved->uid;
	/* The reader lets at most TASK_PROGRAM - 1 bytes pass. */
	memcpy(task->program, saved->program.ptr, saved->program.len);
	task->serial = ++session->instance->counters.tasks;
	if (task_add(session, task, saved->number))
		free(task);
}

static void drop(struct session *session, struct task *task)
{
	lfp_table_remove(&session->tasks, &task->node);
	meters_end(&task->meters);
	share_drop(session->instance, task->share, SHARE_TASKS);
	subject_drop(task->who);
	free(task);
}

int task_handle_end(struct session *session, const struct lfp_frame *frame, const char **why)
{
	struct task *task = task_of(lfp_table_find(&session->tasks, frame->task));

	(void)why;
	/* An unknown task: lfpd has refused its TASK_BEGIN while this frame was under way. */
	if (task)
		drop(session, task);
	return 0;
}

void task_drop_all(struct session *session)
{
	struct task *task;

	while ((task = task_of(lfp_table_any(&session->tasks))))
		drop(session, task);
}
