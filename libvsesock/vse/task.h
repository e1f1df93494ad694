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

/* The number of another task that has descriptor @s by the interface whose @api is the calling
 * task's; -1: there is none. */
int vse_task_having(const struct vse_api *api, int s);

/* Does LFP$CIC=SHARE hold? */
bool vse_task_shares(void);

/* The thread's control calls are the task's from now on, by this interface and at this instance. 0
 * or a negative error. */
int vse_task_enter(struct vse_task *task, enum mux_interface interface, const char *nn);

/* The thread's control calls are those of no task and no interface, as before vse_api_get(). */
void vse_task_leave(void);

/* Has a task this descriptor by an interface (api.c)? */
bool vse_task_has(const struct vse_task *task, enum mux_interface interface, int s);

/* Close what a task has by an interface (api.c). */
void vse_task_close(struct vse_task *task, enum mux_interface interface);

#endif
