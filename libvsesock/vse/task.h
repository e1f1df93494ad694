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

/* The key that an instance gave a task; one for each instance. */
struct vse_key {
	struct vse_key *next;
	char nn[3];
	bool eza; /* the instance knows that EZATRUE is active */
	uint64_t key;
};

struct vse_task {
	struct vse_task *next;
	int number; /* 0: the program outside all tasks */
	bool share; /* LFP$CIC=SHARE */
	char name[LFP_CTL_CLIENT];
	struct vse_key *keys;
	struct vse_api *apis[MUX_CSI + 1]; /* NULL: not used yet */
};

/* Returns the task that the thread works for; the program outside all tasks. */
struct vse_task *vse_task_now(void);
struct vse_task *vse_task_process(void);

/* Returns the number of a task other than the calling thread's for which @is_it says yes, with the
 * other arguments; -1: none. */
int vse_task_other(bool (*is_it)(const struct vse_task *task, enum mux_interface interface, int s),
		   enum mux_interface interface, int s);

/* Returns whether LFP$CIC=SHARE is set. */
bool vse_task_shares(void);

/* Makes the thread's control calls those of the task, by this interface and at this instance.
 * Returns 0 or a negative error. */
int vse_task_enter(struct vse_task *task, enum mux_interface interface, const char *nn);

/* Makes the thread's control calls those of no task and no interface, as before vse_api_get(). */
void vse_task_leave(void);

/* Removes a task from the list, for the caller to end; the thread no longer works for it. Returns
 * NULL if there is no task of that number. */
struct vse_task *vse_task_take(int number);

/* Tells each instance that the task has ended, and frees it. */
void vse_task_free(struct vse_task *task);

#endif
