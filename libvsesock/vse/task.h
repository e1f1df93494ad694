/* SPDX-License-Identifier: Apache-2.0 */
/* task.h - CICS-style tasks of a program, and their keys */
#ifndef VSESOCK_VSE_TASK_H
#define VSESOCK_VSE_TASK_H

#include <endian.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "lfp/ctl.h"
#include "libvsesock/mux/choose.h"

struct vse_api;

/* What an instance has given a task; another for each instance that it uses. */
struct vse_key {
	struct vse_key *next;
	char nn[3];
	bool eza; /* the instance knows that EZATRUE is active */
	uint64_t key;
};

struct vse_task {
	struct vse_task *next;
	int number; /* 0: the program outside of all tasks */
	bool share; /* LFP$CIC=SHARE */
	char name[LFP_CTL_CLIENT];
	struct vse_key *keys;
	struct vse_api *apis[MUX_CSI + 1]; /* NULL: not used yet */
};

/* The task that the thread works for, and the program outside of all. */
struct vse_task *vse_task_now(void);
struct vse_task *vse_task_process(void);

/* Returns the number of a task but the calling thread's for which @is_it says yes, given the other
 * arguments; -1: there is none. */
int vse_task_other(bool (*is_it)(const struct vse_task *task, enum mux_interface interface, int s),
		   enum mux_interface interface, int s);

/* Does LFP$CIC=SHARE hold? */
bool vse_task_shares(void);

/* The thread's control calls are the task's from now on, by this interface and at this instance. 0
 * or a negative error. */
int vse_task_enter(struct vse_task *task, enum mux_interface interface, const char *nn);

/* The thread's control calls are those of no task and no interface, as before vse_api_get(). */
void vse_task_leave(void);

/* Takes a task out of the list, for the caller to end; the thread no longer works for it. NULL:
 * there is none of that number. */
struct vse_task *vse_task_take(int number);

/* Tells each instance that the task has ended, and frees it. */
void vse_task_free(struct vse_task *task);

#endif
