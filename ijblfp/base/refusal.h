/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - what lfpd's limits refuse goes to the instance's log, too */
#ifndef IJBLFP_BASE_REFUSAL_H
#define IJBLFP_BASE_REFUSAL_H

#include "lfp/ratelimit.h"

struct instance;
struct lfp_frame;

/* All zero at first. In ms of the loop's clock. */
struct refusals {
	struct lfp_ratelimit socket, task, call, frame, connection, descriptor, process;
};

/* lfpd has answered ENFILE to SOCKET, EAGAIN to TASK_BEGIN: said at most once in ten seconds, with
 * the number of those in between. */
void ijblfp_refusal_of_socket(struct instance *inst);
void ijblfp_refusal_of_task(struct instance *inst, const char *program, long pid);

/* A user has as many calls that wait as one user may have; as rarely. */
void refusal_of_call(struct instance *inst, unsigned int uid, unsigned int most);

/* A frame of lfpd that does not fit, and is counted; @program has its socket, or NULL. */
void ijblfp_refusal_of_frame(struct instance *inst, const struct lfp_frame *frame,
			     const char *program, const char *why);

/* No memory for a connection that lfpd has accepted. */
void refusal_of_connection(struct instance *inst);

/* A call of a user's process that cannot be told from other processes. */
void refusal_of_process(struct instance *inst, unsigned int uid);

/* This process has no descriptor for a socket or a task; it may have @limit. */
void refusal_of_descriptor(struct instance *inst, unsigned int limit);

#endif
