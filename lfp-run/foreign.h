/* SPDX-License-Identifier: Apache-2.0 */
/* foreign.h - calls of other machines (32 bits, x32), and socketcall() */
#ifndef LFP_RUN_FOREIGN_H
#define LFP_RUN_FOREIGN_H

#include <stdbool.h>

#include "lfp-run/trap.h"

/*
 * A 64-bit program can make the system calls of 32-bit and x32 programs, too. Of these the filter
 * stops every call of a socket. They are not served: their data has another layout. On a near end
 * they fail with EAFNOSUPPORT, on any other descriptor they are the kernel's.
 *
 * socketcall() has its arguments in memory, which another thread can change at any time. So they
 * are read once, and the kernel never reads the family again: the supervisor itself makes a socket
 * of another family and gives it to the program.
 */

/* Returns true if @trap is a call of another machine type. */
bool foreign_is(const struct trap *trap);

/* For a native socketcall() (s390x): replaces the call by the one within, with its arguments.
 * Returns false if that one is not for the supervisor. */
bool foreign_unpack(struct trap *trap);

#endif
