/* SPDX-License-Identifier: Apache-2.0 */
/* task.h - tasks: processes that have made a control call, and CICS-style tasks in them */
#ifndef IJBLFP_CTL_TASK_H
#define IJBLFP_CTL_TASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

#include "lfp/ctl.h"
#include "lfp/list.h"
#include "lfp/table.h"

struct instance;
struct credit;
struct identity;
struct ctl_conn;

/*
 * A task's number on the path is never used twice. The operator's ids (task id, partition id) come
 * from its slot, the lowest free one. A process outside the instance's pid namespace has a negative
 * number in the place of its pid (peer.h).
 *
 * A CICS-style task belongs to a process that is itself a task. It has a key: only calls with this
 * key are its own. It has no pidfd: it ends by a call, or with the process.
 */
enum task_state {
	TASK_UNKNOWN,   /* unknown to lfpd (perhaps no longer known): TASK_BEGIN goes out before a
			   request */
	TASK_BEGINNING, /* TASK_BEGIN is sent; requests wait */
	TASK_ACTIVE,    /* requests go through */
};

#define CREDIT_FAMILIES 2 /* IPv4 and IPv6 (credit.h) */

#define TASK_PROGRAM 16 /* bytes of the kernel's name of a program, with its NUL */

struct task {
	struct lfp_table_link link; /* in tasks->by_pid */
	struct instance *inst;
	uint32_t number; /* on the path */
	uint32_t slot;
	uint32_t partition; /* the slot of its process, from which the partition id comes */
	uint64_t key;       /* of a CICS-style task; 0: the process */
	pid_t pid;
	uint64_t inode; /* of a process that has a negative pid; else 0 */
	uid_t uid;
	enum task_state state;
	bool ended; /* the process is gone; freed as soon as lfpd has answered */
	bool share; /* CICS-style: LFP$CIC=SHARE, other tasks may use its sockets (owner.h) */
	bool eza;   /* a process: EZATRUE is active */
	int pidfd;  /* -1 for CICS-style tasks */
	int status; /* of peer_open_ids(), or -1 (identity.c) */
	struct lfp_ctl_client client; /* its name; blank: made from partition and number (give.h) */
	char program[TASK_PROGRAM];
	bool spoken;           /* a supervisor may speak for it (speak.h), */
	uid_t speaker;         /* namely this user's */
	struct identity *told; /* what lfpd knows of the process (identity.h); from malloc() */
	struct credit *credits[CREDIT_FAMILIES];
	/* The pages in use, which the process may write: untrusted. Writer: credit.c. */
	struct lfp_credit *pages[CREDIT_FAMILIES];
	struct lfp_list waiting; /* requests, while it is beginning */
	uv_poll_t poll;
};

/* Functions for events of a task. Each is called for every task. */
struct task_watch {
	void (*ends)(struct task *task);       /* the path may be up */
	void (*is_unknown)(struct task *task); /* lfpd has lost it, with its sockets */
	void (*frees)(struct task *task);
};

struct tasks {
	struct lfp_table by_pid; /* a process, and its CICS-style tasks */
	struct task **slots;
	uint32_t nr_slots;
	uint32_t active;
	uint32_t next_number;
	uint64_t no_credit_before; /* sockets are short until then; ms of the loop's clock */
	void (*on_end)(struct instance *inst, const struct task *task);
	const struct task_watch *watch;
};

/* @on_end is called when a CICS-style task ends: it closes the task's sockets. */
void tasks_init(struct tasks *tasks, void (*on_end)(struct instance *inst, const struct task *task),
		const struct task_watch *watch);

/*
 * Counts the tasks that may still make calls: active ones, and those of living processes that lfpd
 * no longer knows because the path was lost.
 */
uint32_t tasks_living(const struct tasks *tasks);

/* Frees all tasks, at the end of the instance. */
void tasks_finish(struct tasks *tasks);

/**
 * task_enter() - find the task of a process, or begin it
 * @conn:	a request of the process; it is kept if the task must begin first, and dispatched
 * later
 * @task:	set if the result is 0
 *
 * Return: 0; 1 if the request waits; -EAGAIN if there can be no more tasks, or another negative
 * errno.
 */
int task_enter(struct instance *inst, struct ctl_conn *conn, struct task **task);

/* Tells lfpd the name of the process's program, if the process is a task and the name is not the
 * one that lfpd knows: the process has executed a program. */
void task_look_again(struct instance *inst, const struct ctl_conn *conn);

/* Returns the task of a process, or NULL. */
struct task *ijblfp_task_find(struct tasks *tasks, pid_t pid);

/* Returns the CICS-style task of a process that has @key, which is not 0, or NULL. */
struct task *task_find_key(struct tasks *tasks, pid_t pid, uint64_t key);

/* Returns the task with a number on the path, or NULL. */
struct task *task_find_number(struct tasks *tasks, uint32_t number);

/* Returns the program of that task, or NULL. Valid as long as the task. */
const char *task_program_of(const struct instance *inst, uint32_t number);

/**
 * task_begin_cics() - begin a CICS-style task in the process of @process
 * @conn:	kept until lfpd has answered, then dispatched again
 *
 * Return: 0, -EAGAIN if there can be no more tasks, or another negative errno.
 */
int task_begin_cics(struct instance *inst, struct ctl_conn *conn, const struct task *process,
		    struct task **task);

/* Ends a CICS-style task and closes its isolated sockets. @task is gone, or will be. */
void task_end_cics(struct instance *inst, struct task *task);

/* Returns the kernel's name of a process's program, printable; "?" if unknown. */
void task_read_program(pid_t pid, char program[static TASK_PROGRAM]);

/* Forgets lfpd's knowledge of tasks: the path has ended. */
void tasks_forget(struct instance *inst);

/* Writes the ids that the operator and lfpd see: task id (two hex digits, more beyond 222 tasks)
 * and partition id (BG, F1 to FB, Z1 and so on). */
uint16_t task_id(uint32_t slot);
void task_id_text(uint32_t slot, char id[static 9], char partition[static 9]);

#endif
