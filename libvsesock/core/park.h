/* SPDX-License-Identifier: Apache-2.0 */
/* park.h - a way to the LFP instance for programs that can no longer reach its path */
#ifndef VSESOCK_PARK_H
#define VSESOCK_PARK_H

#include <stdbool.h>

/*
 * Theory of operation
 *
 * After chroot(), setuid() or in a mount namespace of its own a program may not reach the path of
 * the control channel. So the first control call leaves one connection behind, parked: it is
 * close-on-exec and has a high number, so that the lowest free one stays what the program expects.
 * A call makes a socketpair and sends one end through the parked connection.
 *
 * Nothing depends on it. A program may close it, or put another descriptor in its place
 * (closefrom(), dup2()). So it is used only if the kernel's cookie of the socket is that of the
 * parked one; the kernel never gives a cookie twice. If it fails, calls go by the path as before,
 * and the next one parks a new connection. Children inherit and share it: they receive nothing on
 * it, so they cannot take each other's answers. A child of vfork() has its parent's memory, but
 * descriptors of its own: it sets aside a connection that it cannot use, and the parent takes that
 * back.
 *
 * Number and cookie are one word. So threads need no lock, and a fork never copies half of it.
 */

/* Sends one end of a pair through the parked connection. Returns 0 or a negative errno, -ENETDOWN
 * if nothing is parked or the instance has ended. */
int park_hand(int end);

/* Returns the parked connection for a direct request (lfp/ctl.h) and its answer, until
 * park_return(); or a negative errno: none is parked, another process has parked it, or it is in
 * use. A caller that never returns it, because it was cancelled or jumped away, leaves it in use
 * for good: later calls hand over pairs. */
int park_borrow(void);
/* @spoilt: the connection failed; closes and forgets it. */
void park_return(bool spoilt);
/* Returns true if the number is still the borrowed connection's. Signal handlers may have closed
 * it. */
bool park_lasts(void);

/* Closes the parked connection, which did not work, if it is still ours, and forgets it. */
void park_drop(void);

/* Parks a connection to the program's own instance, unless one is parked. errno is untouched. */
void park_make(void);

/* Makes sure that a connection is parked now, as the path may soon be out of reach. errno is
 * untouched. */
void park_keep(void);

/* Returns the parked descriptor, or -1; for callers that must leave it alone. */
int park_fd(void);

#endif
