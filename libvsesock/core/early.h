/* SPDX-License-Identifier: Apache-2.0 */
/* early.h - options of a stream that need no call on the control channel (lfp/early.h) */
#ifndef VSESOCK_EARLY_H
#define VSESOCK_EARLY_H

#include <sys/socket.h>

/* The result of a call for which the instance has to be asked. */
#define EARLY_ASK 1

/* Sets an option of the stream near end @fd. Returns 0, EARLY_ASK, or a negative errno. */
int early_set(int fd, int level, int name, const void *value, socklen_t len);

/* Gets it, as the kernel does for a TCP socket. Returns the same. */
int early_get(int fd, int level, int name, void *value, socklen_t *len);

/* Notes that the host has taken a value, of a socket of the program's own instance. */
void early_note(int level, int name, const void *value, socklen_t len);

#endif
