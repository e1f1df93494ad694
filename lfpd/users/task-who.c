/* SPDX-License-Identifier: Apache-2.0 */
/* task-who.c - TASK_WHO: what the rules may know about the process of a task */
#include "lfpd/users/task.h"

#include <errno.h>
#include <string.h>

#include "lfpd/policy/subject.h"

int task_handle_who(struct session *session, const struct lfp_frame *frame, const char **why)
{
	struct task *task = task_of(lfp_table_find(&session->tasks, frame->task));
	const struct lfp_task_who *said = &frame->task_who;
	const struct subject_facts facts = {
		.has_task = true,
		.task = task ? task->id : 0,
		.uid = said->uid,
		.has_program = said->known & LFP_WHO_PROGRAM,
		.program = (const char *)said->program.ptr,
		.program_len = said->program.len,
		.has_groups = said->known & LFP_WHO_GROUPS,
		.groups = said->groups.ptr,
		.nr_groups = said->groups.len / 4,
	};
	struct subject *who;

	if (said->groups.len % 4 || (said->program.len && !(said->known & LFP_WHO_PROGRAM)) ||
	    (said->program.len && memchr(said->program.ptr, '\0', said->program.len))) {
		*why = "bad facts about the process of a task";
		return -EPROTO;
	}
	/* lfpd has refused its TASK_BEGIN while this frame was under way. */
	if (!task)
		return 0;
	who = subject_make(&facts);
	/* Without it TASK_BEGIN's user would count again, who may have had more rights. */
	if (!who)
		who = subject_keep(subject_unknown());
	subject_drop(task->who);
	task->who = who;
	return 0;
}
