/* SPDX-License-Identifier: Apache-2.0 */
/* near-call.h - the steps that calls on near ends have in common */
#ifndef LFP_RUN_NEAR_CALL_H
#define LFP_RUN_NEAR_CALL_H

#include <stdbool.h>

#include "lfp-run/trap.h"
#include "lfp-run/wait.h"

/* Take a copy of the near end that the call is about, its first argument. The descriptor, or what
 * is to be answered: TRAP_CONTINUE for anything else, and for a socket that only has the name of a
 * near end (ours_is()). */
long serve_take_near(struct trap *trap);

/* May a call on it wait? Not with O_NONBLOCK. */
bool serve_may_wait(int fd);

/* wait_begin(); where the call must not wait the instance's log says so, once. */
long serve_wait_begin(struct wait *wait, struct trap *trap);

/* Has the socket a time limit, by SO_RCVTIMEO or SO_SNDTIMEO? */
bool serve_is_limited(int fd, int option);

/* Write a call that can't be served into the instance's log. */
void serve_refuse(const char *call, const char *reason);

/* ours.c: */

/*
 * The name of a socket says which instance to ask, and nothing more: any program may give a socket
 * of its own such a name, and the supervisor may have more rights than that program. So the
 * instance is asked once for each socket, and its yes is kept by SO_COOKIE, a number that the
 * kernel never gives twice. A no is not kept: the call goes on as the program's own.
 *
 * All functions may be called by several threads at once.
 */
#define OURS_MAX 4096u /* sockets; a newer one takes the place of an older one */

/* Is @fd, whose name is that of a near end of instance @nn, one? An instance that cannot be asked
 * means no, unless it has said yes before. */
bool ours_is(int fd, const char *nn);

/* The instance itself has just given @fd as a near end. */
void ours_note(int fd);

#endif
