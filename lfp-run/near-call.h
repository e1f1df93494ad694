/* SPDX-License-Identifier: Apache-2.0 */
/* near-call.h - the steps that calls on near ends have in common */
#ifndef LFP_RUN_NEAR_CALL_H
#define LFP_RUN_NEAR_CALL_H

#include <stdbool.h>
#include <sys/socket.h>

#include "lfp-run/trap.h"
#include "lfp-run/wait.h"

/* Takes a copy of the near end that is the call's first argument. Returns the descriptor, or the
 * answer to the call: TRAP_CONTINUE for anything else, and for a socket that only has the name of a
 * near end (ours_is()). */
long serve_take_near(struct trap *trap);

/* Returns true if a call on the near end may wait, as without O_NONBLOCK. */
bool serve_may_wait(int fd);

/* Makes connect() on a copy of the program's descriptor, and waits as the program would. Returns
 * the answer. */
long serve_connect_to(struct trap *trap, int fd, const struct sockaddr *addr, socklen_t len);

/* Calls wait_begin(). If the call must not wait, logs that once in the instance's log. */
long serve_wait_begin(struct wait *wait, struct trap *trap);

/* Returns true if the socket has a time limit, by SO_RCVTIMEO or SO_SNDTIMEO. */
bool serve_is_limited(int fd, int option);

/* Writes into the instance's log that a call cannot be served. */
void serve_refuse(const char *call, const char *reason);

/* ours.c: */

/*
 * The name of a socket only says which instance to ask: any program may give a socket of its own
 * such a name, and the supervisor may have more rights than that program. So the supervisor asks
 * the instance once for each socket and keeps a yes by SO_COOKIE, a number that the kernel never
 * gives twice. It does not keep a no: the call goes on as the program's own.
 */
#define OURS_MAX 4096u /* sockets; a newer one replaces an older one */

/* Returns true if @fd, which has the name of a near end of instance @nn, is one. If the instance is
 * unreachable, returns false, unless it has said yes before. */
bool ours_is(int fd, const char *nn);

/* Notes that the instance has just given @fd as a near end. */
void ours_note(int fd);

#endif
