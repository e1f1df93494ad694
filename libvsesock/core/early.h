/* SPDX-License-Identifier: Apache-2.0 */
/* early.h - options of a stream that need no call on the control channel (lfp/early.h) */
#ifndef VSESOCK_EARLY_H
#define VSESOCK_EARLY_H

#include <stdint.h>
#include <sys/socket.h>

/* Result of a call that only the instance can answer. */
#define EARLY_ASK 1

/* Sets an option of the stream near end @fd of instance @nn. @quiet: its cookie if it is a new
 * connection on which this process has sent nothing, else 0. Returns 0, EARLY_ASK, or a negative
 * errno. */
int early_set(int fd, const char *nn, int level, int name, const void *value, socklen_t len,
	      uint64_t quiet);

/* Gets such an option, as the kernel does for a TCP socket. Returns as early_set(). */
int early_get(int fd, int level, int name, void *value, socklen_t *len);

/* Notes that the host of instance @nn has accepted a value. */
void early_note(const char *nn, int level, int name, const void *value, socklen_t len);

/* Forgets all notes: the instance is out of reach, and the next one may have another host. */
void early_forget(void);

#endif
