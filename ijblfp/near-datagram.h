/* SPDX-License-Identifier: Apache-2.0 */
/* near-datagram.h - making near ends of datagram sockets, and finding them by their paths */
#ifndef IJBLFP_NEAR_DATAGRAM_H
#define IJBLFP_NEAR_DATAGRAM_H

#include "ijblfp/near.h"

/*
 * lfp/ctl.h says how they are named. The paths are relative, so that a near end tells the same name
 * in every process; the instance goes to the directory for a moment to bind or connect. It has only
 * one thread that uses the working directory.
 */

/* Make the directory for this run's near ends in @private, a directory that only this user can
 * enter, and remove those of runs before. 0 or a negative errno. */
int near_datagram_init(struct near_maker *maker, const char *private);
void near_datagram_finish(struct near_maker *maker);

/* The path of near end @id as a name; returns the length of the address. */
socklen_t near_datagram_name(const struct near_maker *maker, uint64_t id, struct sockaddr_un *addr);

/* A near end; a descriptor or a negative errno. */
int near_datagram_create(struct near_maker *maker, uint64_t id, uint64_t *ino);

/* Make a new UNIX datagram socket of a program's, @fd, the near end @id; 0 or a negative errno. */
int near_datagram_adopt(struct near_maker *maker, int fd, uint64_t id, uint64_t *ino);

/* Connect a socket to near end @id: 0, -ECONNREFUSED if every descriptor of that has been closed,
 * -EPERM if it is connected to another socket, or another negative errno. */
int near_datagram_connect(struct near_maker *maker, int fd, uint64_t id);

/* To ask for several near ends: go to the directory, ask, and come back with what the first call
 * has returned if that is not negative. One descriptor is kept for it: it must be possible when
 * none is free, as it is what makes some free. */
int near_datagram_enter(struct near_maker *maker);
void near_datagram_leave(struct near_maker *maker, int home);

/* Within: has every descriptor of near end @id been closed? */
bool near_datagram_is_gone(struct near_maker *maker, uint64_t id);

/* The path of a near end that is gone is not needed any more. */
void near_datagram_forget(const struct near_maker *maker, uint64_t id);

#endif
