/* SPDX-License-Identifier: Apache-2.0 */
/* join.h - lfp-run inside lfp-run: finds the supervisor that is already running */
#ifndef LFP_RUN_JOIN_H
#define LFP_RUN_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp-run/trap.h"

/*
 * The kernel allows one supervisor for a program and all that it starts (EBUSY). So lfp-run asks
 * whether there is one. It calls getsockopt() on an invalid descriptor. The filter stops this call,
 * and our supervisor answers it. Without a supervisor the kernel returns EBADF.
 */
struct join {
	char nn[4];      /* the instance that it serves, NUL-terminated */
	uint32_t guards; /* resets are shown to programs (guard.h): 1, else 0 */
	uint64_t cookie; /* 0: its programs do not know it, and shall not */
};

/* Returns true if a supervisor answers. */
bool join_ask(struct join *join);

/* For the supervisor: set its answer, recognise the question, and send the answer. */
void join_init(const struct join *join);
bool join_is_question(const struct trap *trap);
long join_answer(const struct trap *trap);

#endif
