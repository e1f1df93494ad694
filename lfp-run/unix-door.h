/* SPDX-License-Identifier: Apache-2.0 */
/* unix-door.h - UNIX sockets with a path, closed to programs but for some (--no-unix) */
#ifndef LFP_RUN_UNIX_DOOR_H
#define LFP_RUN_UNIX_DOOR_H

#include <stdbool.h>

#include "lfp-run/trap.h"
#include "lfp/options.h"

/*
 * Theory of operation
 *
 * The kernel reads the path of a call once more when it makes the call, and another thread of the
 * program may have changed it by then, or what the descriptor stands for. So no connect() and no
 * bind() goes on to the kernel: the supervisor copies the address, opens the socket that it leads
 * to (O_PATH), compares this with the sockets that are allowed, and connects the program's
 * descriptor to just this one. Links, renames and other roots change nothing: only the inode
 * counts. It is that of the start, so a socket that is made again is another one.
 *
 * Datagram sockets would name a path in each sendmsg(), and messages carry descriptors. So the
 * filter makes none (filter.h), and those that are there send only to the peer that they have.
 */

/* Closes the door for this process's future supervisor. @open are paths of sockets. Returns 0, or a
 * negative errno with @which set to the path. */
int unix_door_shut(const char *nn, const struct lfp_texts *open, const char **which);

/* Opens the allowed sockets, in the supervisor. Returns 0 or a negative errno. */
int unix_door_open(void);

bool unix_door_is_shut(void);

/* Make the call on a descriptor that is no near end. Return the answer. */
long unix_door_connect(struct trap *trap);
long unix_door_bind(struct trap *trap);

/* The same for a call that sends. The near end of a UDP socket is a UNIX socket, too: it stays
 * closed when the instance that knows it has ended. */
long unix_door_send(struct trap *trap);

#endif
