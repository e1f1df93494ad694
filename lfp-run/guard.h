/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h - shows resets of connections to programs without the library */
#ifndef LFP_RUN_GUARD_H
#define LFP_RUN_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Theory of operation
 *
 * When the last copy of a far end is closed, the kernel says end of file at the near end, or
 * ECONNRESET if a byte in the far end was not read (net/unix/af_unix.c, unix_release_sock()). The
 * instance sends the supervisor a copy of each far end (LFP_CTL_GUARD), which lives as long as its
 * programs. On a reset, and when the instance ends in whatever way, the supervisor finds a process
 * that has the near end, takes that for a moment, sends one byte through it and closes its copy of
 * the far end. If bytes are unread already there is nothing to send.
 *
 * A far end that is shut down for writing has passed on an orderly end of file. The supervisor
 * drops its unread bytes before it closes it, so that the program sees no reset after that end.
 *
 * One thread does all that, and it alone has the table of connections. A near end without a holder
 * is on its way to a program (accept() has not taken it yet), or was closed: the thread looks again
 * for two seconds. The instance's log counts resets that cannot be shown. The supervisor can take
 * no near end from a program that it may not inspect, and can send no byte through one that is shut
 * down for writing. The instance leaves a byte before it shuts one down (ijblfp/sock/stopper.h).
 * The byte does not help if other data came behind it, or if there was no room for it.
 *
 * The thread takes no lock and waits for no other thread.
 */

/* Starts guarding connections made from now on, unless already done. Returns 0, or a negative
 * errno: the instance does not know guards, or has too many. Tries at most once a second. */
int guard_ensure(void);

/* The same, if the supervisor can take descriptors of @program. */
int guard_start(pid_t program);

/* Returns true if connections are guarded. */
bool guard_is_up(void);

#endif
