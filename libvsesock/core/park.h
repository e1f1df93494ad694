/* SPDX-License-Identifier: Apache-2.0 */
/* park.h - a way to the LFP instance for programs that can't find its path any more */
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
 * Nothing depends on it. A program may close it, or put something else in its place (closefrom(),
 * dup2()): it is used only if the kernel's cookie for the socket, which is never given twice, is
 * that of the one that was parked. Whatever goes wrong with it, calls go by the path as before, and
 * the next one parks a new connection. Children inherit it and share it: nothing comes back on it
 * that they could take from each other. A child of vfork() has its parent's memory, but descriptors
 * of its own: what it can't use any more is set aside, and the parent takes it back.
 *
 * Number and cookie are one word, so that threads need no lock and a fork finds no half of it.
 */

/* Send one end of a pair through what is parked; 0 or a negative errno, -ENETDOWN if nothing is
 * parked or nobody is there any more. */
int park_hand(int end);

/* What is parked, for a direct request (lfp/ctl.h) and its answer, until park_return(); or a
 * negative errno: there is none, another process has parked it, or it is in use. Who never comes
 * back, because it was cancelled or jumped away, leaves it in use for good: then pairs are handed
 * over. */
int park_borrow(void);
/* @spoilt: it did not serve; it is closed and forgotten. */
void park_return(bool spoilt);
/* Is what was borrowed still the program's descriptor of that number? Signal handlers may have
 * closed it. */
bool park_lasts(void);

/* It did not serve: close it, if it is still ours, and forget it. */
void park_drop(void);

/* Park a connection to the program's own instance, unless there is one. errno is untouched. */
void park_make(void);

/* The path may be out of reach soon: make sure that one is parked now. errno is untouched. */
void park_keep(void);

/* The descriptor that is parked, or -1; for those who have to leave it alone. */
int park_fd(void);

#endif
