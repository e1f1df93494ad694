/* SPDX-License-Identifier: Apache-2.0 */
/* near-call.h - the steps that calls on near ends have in common */
#ifndef LFP_RUN_NEAR_CALL_H
#define LFP_RUN_NEAR_CALL_H

#include <stdbool.h>

#include "lfp-run/trap.h"
#include "lfp-run/wait.h"

/* Take a copy of the near end that the call is about, its first argument. The descriptor, or what
 * is to be answered: TRAP_CONTINUE for anything else, and for a socket that only has the name of a
 * near end (ours.h). */
long serve_take_near(struct trap *trap);

/* May a call on it wait? Not with O_NONBLOCK. */
bool serve_may_wait(int fd);

/* wait_begin(); where the call must not wait the instance's log says so, once. */
long serve_wait_begin(struct wait *wait, struct trap *trap);

/* Has the socket a time limit, by SO_RCVTIMEO or SO_SNDTIMEO? */
bool serve_is_limited(int fd, int option);

/* Write a call that can't be served into the instance's log. */
void serve_refuse(const char *call, const char *reason);

#endif
