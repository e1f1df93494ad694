/* SPDX-License-Identifier: Apache-2.0 */
/* owner.h - owners of sockets: CICS-style tasks, and what other tasks may not do with their sockets
 */
#ifndef IJBLFP_CTL_OWNER_H
#define IJBLFP_CTL_OWNER_H

#include <stdbool.h>
#include <stdint.h>

struct instance;
struct call;
struct task;
struct vsock;

/*
 * A socket belongs to the task that made, accepted or took it. The socket of a CICS-style task is
 * isolated unless LFP$CIC=SHARE holds: calls without the task's key fail with EBADF, even if the
 * caller has the descriptor, and the socket ends with the task, unless it was given before
 * (give.h). Nothing stops other threads of the process from writing to the descriptor itself while
 * the task lives.
 */

/* Makes @vs the socket of the task, which has made or taken it. */
void owner_set(struct vsock *vs, const struct task *task);

/* Checks that the task that the call names may make it, also on its socket if there is one. Returns
 * 0 or a positive errno. */
int owner_check(const struct call *call);

/* Closes the isolated sockets of a task that has ended, except given ones. */
void owner_close_all(struct instance *inst, const struct task *task);

/* Returns true if the task of the socket has ended. */
bool owner_has_ended(struct instance *inst, const struct vsock *vs);

/* Returns the number of sockets whose tasks have ended. */
unsigned int owner_count_ended(struct instance *inst);

/* LFP_CTL_TASK */
void owner_task(struct call *call);

#endif
