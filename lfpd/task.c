/* SPDX-License-Identifier: Apache-2.0 */
/* task.c - the tasks of z/VSE */
#include "lfpd/task.h"

#include <errno.h>
#include <stdlib.h>

struct task {
	struct table_node node; /* by id; first member */
};

bool task_known(const struct session *session, uint32_t id)
{
	return table_find(&session->tasks, id);
}

static int begin(struct session *session, uint32_t id)
{
	struct task *task;
	int rc;

	if (session->tasks.count >= session->instance->config.max_vse_tasks)
		return -EAGAIN;
	task = calloc(1, sizeof(*task));
	if (!task)
		return -EAGAIN;
	task->node.key = id;
	rc = table_add(&session->tasks, &task->node);
	if (rc)
		free(task);
	return rc ? -EAGAIN : 0;
}

int task_handle_begin(struct session *session, const struct lfp_frame *frame, const char **why)
{
	if (task_known(session, frame->task)) {
		*why = "TASK_BEGIN for a task that is there";
		return -EPROTO;
	}
	session_answer(session, frame, -begin(session, frame->task));
	return 0;
}

static void drop(struct session *session, struct table_node *node)
{
	table_remove(&session->tasks, node);
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
