/* SPDX-License-Identifier: Apache-2.0 */
/* task.h - the tasks of z/VSE */
#ifndef LFPD_USERS_TASK_H
#define LFPD_USERS_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp/table.h"
#include "lfpd/log/record.h"
#include "lfpd/state/session.h"

#define TASK_PROGRAM 65 /* bytes of a program's name, with the NUL */

struct subject;

/* A task, as TASK_BEGIN describes it. */
struct task {
	struct lfp_table_link node; /* by the task's number on the path */
	uint16_t id;                /* the number that operators see, on both sides: "%02X" */
	char partition[9];
	uint32_t pid, uid;          /* on the z/VSE side; pid 0 if unknown */
	char program[TASK_PROGRAM]; /* printable ASCII, "?" for what is none */
	struct share *share;        /* of its user */
	struct subject *who;        /* for the rules; as of the last TASK_WHO */
	uint64_t serial;            /* never used again in this process */
	struct lfp_list meters;     /* struct meter */
	unsigned int sockets;       /* open sockets that it owns */
};

static inline struct task *task_of(struct lfp_table_link *node)
{
	return lfp_table_entry(node, struct task, node);
}

int task_handle_end(struct session *session, const struct lfp_frame *frame, const char **why);

bool task_known(const struct session *session, uint32_t id);

/* Enter a task, which has this number on the path, and counts for its user from now on. 0, or
 * -ENOMEM with nothing changed. */
int task_add(struct session *session, struct task *task, uint32_t number);

/* The task of this number on the path, or NULL. */
const struct task *task_find(const struct session *session, uint32_t number);

/* The tasks one after the other, in no order: the first for NULL, NULL after the last. */
const struct task *task_next(const struct session *session, const struct task *task);

/* Sets task->program from a name in the code page of the path. */
void task_set_program(struct instance *inst, struct task *task, const struct lfp_text *name);

/* Adds the user and the executable. @subject: NULL if nothing is known */
void task_who_subject(const struct subject *subject, struct log_who *who);

/* Says for the log who asks. @task: NULL if it has ended */
void task_who(const struct task *task, uint32_t uid, struct log_who *who);

struct saved_task;

/* A task of a session that is resumed; left out if there is no memory for it. */
void task_restore(struct session *session, const struct saved_task *saved);

void task_drop_all(struct session *session);

/* TASK_WHO: what the rules may know about the process. */
int task_handle_who(struct session *session, const struct lfp_frame *frame, const char **why);

int task_handle_begin(struct session *session, const struct lfp_frame *frame, const char **why);

#endif
