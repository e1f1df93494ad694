/* SPDX-License-Identifier: Apache-2.0 */
/* task.c - tasks: processes that have made a control call, and CICS-style tasks in them */
#include "ijblfp/ctl/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "ijblfp/base/descriptors.h"
#include "ijblfp/base/handles.h"
#include "ijblfp/base/instance.h"
#include "ijblfp/base/refusal.h"
#include "ijblfp/ctl/ctl-state.h"
#include "ijblfp/ctl/peer.h"
#include "ijblfp/link/link.h"
#include "ijblfp/link/request.h"
#include "ijblfp/sock/sweep.h"
#include "lfp/codepage.h"

/*
 * Theory of operation
 *
 * The first call of a process that needs a task makes one. TASK_BEGIN goes to lfpd, and all calls
 * of the process wait in `waiting` for the answer. Then they are dispatched again (ctl_resume). If
 * lfpd refuses the task, they fail and the task ends. A lost path makes all tasks UNKNOWN: the next
 * call sends TASK_BEGIN again.
 *
 * A pidfd tells that the process has ended. Its CICS-style tasks, which have no pidfd, end first.
 * While TASK_BEGIN is not answered, a task is only marked as `ended`, and on_begun() ends it. The
 * end of a CICS-style task closes its sockets (tasks->on_end). After the end of any task
 * sweep_task() looks for its sockets that were closed without an event.
 */

/* z/VSE's ids as in the presentation, where 2E is Z1: BG, then F1 to FB, then dynamic partitions.
 */
#define FIRST_TASK_ID 0x22u
#define STATIC        12u
#define CLASS_MEMBERS 31u

uint16_t task_id(uint32_t slot)
{
	return (uint16_t)(FIRST_TASK_ID + slot);
}

void task_id_text(uint32_t slot, char id[static 9], char partition[static 9])
{
	static const char digits[] = "123456789ABCDEFGHIJKLMNOPQRSTUV";

	snprintf(id, 9, "%02X", task_id(slot));
	if (slot == 0) {
		strcpy(partition, "BG");
	} else if (slot < STATIC) {
		snprintf(partition, 9, "F%c", digits[slot - 1]);
	} else {
		uint32_t n = slot - STATIC;
		uint32_t class = n / CLASS_MEMBERS %
				 20; /* Z down to G: A to F are used by other partitions */

		snprintf(partition, 9, "%c%c", (char)('Z' - (int)class), digits[n % CLASS_MEMBERS]);
	}
}

void tasks_init(struct tasks *tasks, void (*on_end)(struct instance *inst, const struct task *task),
		const struct task_watch *watch)
{
	*tasks = (struct tasks){.next_number = 1, .on_end = on_end, .watch = watch};
}

static struct task *task_of(struct lfp_table_link *link)
{
	return lfp_table_entry(link, struct task, link);
}

/* Returns a task of the process, or NULL. */
static struct task *first_of(const struct tasks *tasks, pid_t pid)
{
	return task_of(lfp_table_find(&tasks->by_pid, (uint32_t)pid));
}

/* Returns the next task of the same process, or NULL. */
static struct task *next_of(const struct task *task)
{
	return task_of(lfp_table_find_more(&task->link));
}

/* Returns the lowest free slot, or -ENOMEM. */
static int64_t slot_take(struct tasks *tasks, struct task *task)
{
	struct task **wide;
	uint32_t slot;

	for (slot = 0; slot < tasks->nr_slots; slot++)
		if (!tasks->slots[slot])
			break;
	if (slot == tasks->nr_slots) {
		uint32_t nr = tasks->nr_slots ? tasks->nr_slots * 2 : 64;

		wide = realloc(tasks->slots, nr * sizeof(struct task *));
		if (!wide)
			return -ENOMEM;
		memset(wide + tasks->nr_slots, 0, (nr - tasks->nr_slots) * sizeof(struct task *));
		tasks->slots = wide;
		tasks->nr_slots = nr;
	}
	tasks->slots[slot] = task;
	return slot;
}

uint32_t tasks_living(const struct tasks *tasks)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < tasks->nr_slots; i++) {
		const struct task *task = tasks->slots[i];

		if (task && (task->state != TASK_UNKNOWN || task->pid))
			nr++;
	}
	return nr;
}

static void set_state(struct tasks *tasks, struct task *task, enum task_state state)
{
	if (task->state == TASK_ACTIVE)
		tasks->active--;
	if (state == TASK_ACTIVE)
		tasks->active++;
	task->state = state;
}

static void on_task_closed(uv_handle_t *handle)
{
	struct task *task = handle->data;
	struct instance *inst = task->inst;

	free(task);
	handle_gone(inst);
}

static void destroy(struct instance *inst, struct task *task)
{
	struct tasks *tasks = inst->tasks;

	set_state(tasks, task, TASK_UNKNOWN);
	lfp_table_remove(&tasks->by_pid, &task->link);
	tasks->slots[task->slot] = NULL;
	tasks->watch->frees(task);
	free(task->told);
	if (task->status >= 0)
		close(task->status);
	if (task->pidfd < 0) {
		free(task);
		return;
	}
	uv_poll_stop(&task->poll);
	close(task->pidfd);
	uv_close((uv_handle_t *)&task->poll, on_task_closed);
}

void tasks_finish(struct tasks *tasks)
{
	for (uint32_t i = 0; i < tasks->nr_slots; i++)
		if (tasks->slots[i])
			destroy(tasks->slots[i]->inst, tasks->slots[i]);
	free(tasks->slots);
	tasks->slots = NULL;
	tasks->nr_slots = 0;
}

/* The process is gone and lfpd owes no answer. */
static void end_task(struct instance *inst, struct task *task)
{
	struct lfp_frame frame = {.code = LFP_TASK_END, .task = task->number};

	if (task->key)
		inst->tasks->on_end(inst, task);
	inst->tasks->watch->ends(task);
	/* Its sockets that were never connected: no event reports their close. */
	sweep_task(inst, task->number);
	if (task->state == TASK_ACTIVE)
		(void)link_send(inst, &frame);
	destroy(inst, task);
}

void task_end_cics(struct instance *inst, struct task *task)
{
	task->ended = true;
	if (task->state != TASK_BEGINNING)
		end_task(inst, task);
}

/* Returns the next CICS-style task of a process that has not ended yet, or NULL. */
static struct task *next_cics(struct tasks *tasks, pid_t pid)
{
	struct task *task = first_of(tasks, pid);

	while (task && (!task->key || task->ended))
		task = next_of(task);
	return task;
}

static void on_process_ended(uv_poll_t *poll, int status, int events)
{
	struct task *task = poll->data, *cics;
	struct instance *inst = task->inst;

	(void)status;
	(void)events;
	while ((cics = next_cics(inst->tasks, task->pid)))
		task_end_cics(inst, cics);
	task->ended = true;
	if (task->state == TASK_BEGINNING)
		uv_poll_stop(poll);
	else
		end_task(inst, task);
}

void task_read_program(pid_t pid, char program[static TASK_PROGRAM])
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(program, TASK_PROGRAM, "?");
	snprintf(path, sizeof(path), "/proc/%ld/comm", (long)pid);
	fd = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	n = read(fd, program, TASK_PROGRAM - 1);
	close(fd);
	if (n <= 0)
		return;
	program[n] = '\0';
	for (char *p = program; *p; p++) {
		if (*p == '\n')
			*p = '\0';
		else if (*p < ' ' || *p > '~')
			*p = '?';
		if (!*p)
			break;
	}
}

/* @process is NULL if the task is the process itself. */
static int create(struct instance *inst, const struct ctl_conn *conn, const struct task *process,
		  struct task **out)
{
	struct task *task = inst->draining ? NULL : calloc(1, sizeof(*task));
	int64_t slot;
	int rc;

	if (!task)
		return inst->draining ? -ENETDOWN : -ENOMEM;
	task->inst = inst;
	task->pid = conn->pid;
	task->inode = conn->inode;
	task->uid = conn->uid;
	task->spoken = conn->spoken;
	task->speaker = conn->speaker;
	task->pidfd = -1;
	task->status = -1;
	memset(task->client.name, ' ', sizeof(task->client.name));
	memset(task->client.task, ' ', sizeof(task->client.task));
	lfp_list_init(&task->waiting);
	if (process && getrandom(&task->key, sizeof(task->key), 0) != sizeof(task->key)) {
		rc = -EIO;
		goto error_free;
	}
	if (!process) {
		task->pidfd = peer_open(ctl_is_spoken(conn, task->pid) ? -1 : conn->fd, task->pid,
					task->inode);
		if (task->pidfd < 0) {
			rc = descriptors_lack(inst, task->pidfd);
			goto error_free;
		}
		rc = descriptors_check_full(inst, task->pidfd);
		if (rc)
			goto error_close;
		rc = uv_poll_init(inst->loop, &task->poll, task->pidfd);
		if (rc)
			goto error_close;
		task->poll.data = task;
		handle_open(inst);
	}
	slot = slot_take(inst->tasks, task);
	if (slot < 0) {
		if (task->pidfd >= 0) {
			close(task->pidfd);
			uv_close((uv_handle_t *)&task->poll, on_task_closed);
		} else {
			free(task);
		}
		return (int)slot;
	}
	lfp_table_add(&inst->tasks->by_pid, &task->link, (uint32_t)task->pid);
	task->slot = (uint32_t)slot;
	task->partition = process ? process->partition : task->slot;
	task->number = inst->tasks->next_number++;
	if (!inst->tasks->next_number)
		inst->tasks->next_number = 1;
	task_read_program(task->pid, task->program);
	if (task->pidfd >= 0)
		uv_poll_start(&task->poll, UV_READABLE, on_process_ended);
	*out = task;
	return 0;

error_close:
	close(task->pidfd);
error_free:
	free(task);
	return rc;
}

static void answer_waiting(struct task *task, int error)
{
	struct lfp_list *first;

	while ((first = lfp_list_first(&task->waiting))) {
		struct ctl_conn *conn = lfp_list_entry(first, struct ctl_conn, place);

		lfp_list_del(first);
		if (error)
			ctl_fail(conn, error);
		else
			ctl_resume(conn);
	}
}

static void on_begun(struct instance *inst, struct request *request, const struct lfp_frame *reply)
{
	struct task *task = request->data;
	int error = reply ? reply->status : ENETDOWN;

	if (error == EAGAIN)
		ijblfp_refusal_of_task(inst, task->program, (long)peer_shown(task->pid));
	set_state(inst->tasks, task, error ? TASK_UNKNOWN : TASK_ACTIVE);
	answer_waiting(task, error);
	/* A task that lfpd has refused does not exist, and the next call tries again. */
	if (task->ended || error)
		end_task(inst, task);
}

/* Sends TASK_BEGIN. Returns the request, or NULL with the negative errno in @error. */
static struct request *
tell(struct instance *inst, const struct task *task,
     void (*done)(struct instance *, struct request *, const struct lfp_frame *), int *error)
{
	char id[9], program[64];
	struct lfp_frame frame = {
		.code = LFP_TASK_BEGIN,
		.task = task->number,
		.task_begin =
			{
				.pid = (uint32_t)peer_shown(task->pid),
				.uid = task->uid,
				.id = task_id(task->slot),
			},
	};
	int n;

	task_id_text(task->partition, id, frame.task_begin.partition);
	n = lfp_codepage_to_path(inst->link->codepage, task->program, strlen(task->program),
				 program, sizeof(program));
	frame.task_begin.program.ptr = (const uint8_t *)program;
	frame.task_begin.program.len = (uint16_t)(n < 0 ? 0 : n);
	return request_send(inst, &frame, done, error);
}

static int begin(struct instance *inst, struct task *task)
{
	struct request *request;
	int error = -ENETDOWN;

	if (!link_is_up(inst->link))
		return error;
	request = tell(inst, task, on_begun, &error);
	if (!request)
		return error;
	request->data = task;
	set_state(inst->tasks, task, TASK_BEGINNING);
	return 0;
}

static void on_renamed(struct instance *inst, struct request *request,
		       const struct lfp_frame *reply)
{
	struct lfp_frame frame = {.code = LFP_TASK_END, .task = request->frame.task};

	/* lfpd had refused the task, which has ended here, and has begun it only now. */
	if (reply && !reply->status && !task_find_number(inst->tasks, request->frame.task))
		(void)link_send(inst, &frame);
}

void task_look_again(struct instance *inst, const struct ctl_conn *conn)
{
	struct task *task = ijblfp_task_find(inst->tasks, conn->pid);
	char program[TASK_PROGRAM];
	int error;

	if (!task || task->inode != conn->inode || task->ended)
		return;
	task_read_program(task->pid, program);
	if (!strcmp(program, task->program) || !strcmp(program, "?"))
		return;
	strcpy(task->program, program);
	/* In the other states TASK_BEGIN is still to come, or is under way with the earlier name,
	 * which this request follows. */
	if (task->state != TASK_UNKNOWN && link_is_up(inst->link))
		(void)tell(inst, task, on_renamed, &error);
}

struct task *task_find_key(struct tasks *tasks, pid_t pid, uint64_t key)
{
	struct task *task = first_of(tasks, pid);

	while (task && task->key != key)
		task = next_of(task);
	return task;
}

struct task *ijblfp_task_find(struct tasks *tasks, pid_t pid)
{
	return task_find_key(tasks, pid, 0);
}

struct task *task_find_number(struct tasks *tasks, uint32_t number)
{
	for (uint32_t i = 0; i < tasks->nr_slots; i++)
		if (tasks->slots[i] && tasks->slots[i]->number == number)
			return tasks->slots[i];
	return NULL;
}

const char *task_program_of(const struct instance *inst, uint32_t number)
{
	const struct task *task = task_find_number(inst->tasks, number);

	return task ? task->program : NULL;
}

int task_begin_cics(struct instance *inst, struct ctl_conn *conn, const struct task *process,
		    struct task **out)
{
	int rc = create(inst, conn, process, out);

	if (rc)
		return rc;
	rc = begin(inst, *out);
	if (rc)
		destroy(inst, *out);
	else
		lfp_list_append(&(*out)->waiting, &conn->place);
	return rc;
}

int task_enter(struct instance *inst, struct ctl_conn *conn, struct task **out)
{
	struct task *task = task_find_key(inst->tasks, conn->pid, conn->as);
	int rc;

	if (!task && conn->as)
		return -ESRCH;
	/* Two processes have the same number. */
	if (task && task->inode != conn->inode)
		return -EAGAIN;
	if (!task) {
		rc = create(inst, conn, NULL, &task);
		if (rc)
			return rc;
	}
	if (task->state == TASK_UNKNOWN) {
		rc = begin(inst, task);
		if (rc) {
			destroy(inst, task);
			return rc;
		}
	}
	if (task->state == TASK_BEGINNING) {
		lfp_list_append(&task->waiting, &conn->place);
		return 1;
	}
	*out = task;
	return 0;
}

void tasks_forget(struct instance *inst)
{
	struct tasks *tasks = inst->tasks;

	for (uint32_t i = 0; i < tasks->nr_slots; i++)
		if (tasks->slots[i]) {
			set_state(tasks, tasks->slots[i], TASK_UNKNOWN);
			tasks->watch->is_unknown(tasks->slots[i]);
		}
}
