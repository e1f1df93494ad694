/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - the instance's log lines about calls that lfpd's limits refuse */
#ifndef IJBLFP_BASE_REFUSAL_H
#define IJBLFP_BASE_REFUSAL_H

#include <stddef.h>

#include "lfp/ratelimit.h"

struct instance;
struct lfp_frame;

/* Zero at first. Times are in ms of the loop's clock. */
struct refusals {
	struct lfp_ratelimit socket, task, call, frame, connection, descriptor, process, name;
};

/* Logs that lfpd has answered ENFILE to SOCKET or EAGAIN to TASK_BEGIN: at most once in ten
 * seconds, with the number of refusals in between. */
void ijblfp_refusal_of_socket(struct instance *inst);
void ijblfp_refusal_of_task(struct instance *inst, const char *program, long pid);

/* Logs that a user has reached the limit of waiting calls of one user, at the same rate. */
void refusal_of_call(struct instance *inst, unsigned int uid, unsigned int most);

/* Logs a name of a program, @len bytes, that the code page of the path lacks, at the same rate. */
void refusal_of_program_name(struct instance *inst, const char *name, size_t len);

/* Counts and logs a frame of lfpd that does not fit. @program has the socket; it may be NULL. */
void ijblfp_refusal_of_frame(struct instance *inst, const struct lfp_frame *frame,
			     const char *program, const char *why);

/* Logs a lack of memory for a connection that lfpd has accepted. */
void refusal_of_connection(struct instance *inst);

/* Logs a call of a process of @uid that cannot be told from other processes. */
void refusal_of_process(struct instance *inst, unsigned int uid);

/* Logs that this process has no descriptor for a socket or a task. @limit is its limit. */
void refusal_of_descriptor(struct instance *inst, unsigned int limit);

#endif
