/* SPDX-License-Identifier: Apache-2.0 */
/* ours.h - which sockets are near ends, by the word of their instance */
#ifndef LFP_RUN_OURS_H
#define LFP_RUN_OURS_H

#include <stdbool.h>

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
