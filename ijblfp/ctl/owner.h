/* SPDX-License-Identifier: Apache-2.0 */
/* owner.h - whose a socket is: CICS-style tasks, and what others may not do with their sockets */
#ifndef IJBLFP_CTL_OWNER_H
#define IJBLFP_CTL_OWNER_H

#include <stdbool.h>
#include <stdint.h>

struct instance;
struct call;
struct task;
struct vsock;

/*
 * A socket belongs to the task that has made, accepted or taken it. Of a CICS-style task it is its
 * alone (isolated), unless LFP$CIC=SHARE holds: calls on it that do not come with the task's key
 * are refused with EBADF, whoever has the descriptor, and with the task it ends, unless it was
 * given before (give.h). Data that somebody in the same process writes to the descriptor itself
 * while the task lives is the kernel's business.
 */

/* A task makes, or takes, a socket. */
void owner_set(struct vsock *vs, const struct task *task);

/* May the call be made at all, by the task by which it says that it is made, and on its socket if
 * it has one? 0 or a positive errno. */
int owner_check(const struct call *call);

/* A task has ended: close its sockets that are isolated and not given. */
void owner_close_all(struct instance *inst, const struct task *task);

/* Has the task of a socket ended? */
bool owner_has_ended(struct instance *inst, const struct vsock *vs);

/* Sockets whose tasks have ended. */
unsigned int owner_count_ended(struct instance *inst);

/* LFP_CTL_TASK */
void owner_task(struct call *call);

#endif
