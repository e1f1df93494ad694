/* SPDX-License-Identifier: Apache-2.0 */
/* near-names.h - the paths to which near ends are bound */
#ifndef IJBLFP_NEAR_NEAR_NAMES_H
#define IJBLFP_NEAR_NEAR_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lfp/ctl.h"

#define NEAR_NAMES_DRAWN 32u

/*
 * lfp/ctl.h describes the names. They are relative, so that a near end has the same name in every
 * process; the instance enters their directory for a moment to bind or connect, and must not change
 * its working directory after that. Only one of its threads uses that directory. Only the
 * instance's user can enter the directory: no other user can bind a name, keep one that is free, or
 * connect to a near end.
 *
 * No event reports the close of a socket without a peer. Connecting to its path fails exactly then:
 * a datagram socket, which is kept for this check, cannot connect to a stream socket (EPROTOTYPE,
 * unix_find_bsd() in net/unix/af_unix.c) as long as that exists. The check uses up nothing and
 * needs no free descriptor.
 */
struct near_names {
	char nn[3];
	uint64_t run; /* in every name */
	int dir;      /* where the paths begin, O_PATH; -1: not in use */
	int probe;    /* a datagram socket that checks for near ends */
	int home;     /* the working directory outside near_names_enter(); -1: not needed yet */
	char path[sizeof(((struct sockaddr_un *)0)->sun_path) - LFP_NEAR_PATH_LEN];
	/* the path of dir, as a prefix of an address; empty: it is too long or relative */
	unsigned int entered;
	uint64_t drawn[NEAR_NAMES_DRAWN]; /* random numbers for the next names */
	unsigned int nr_drawn;
};

/* Makes the directory for this run's near ends in @private, a directory that only this user can
 * enter, and removes those of earlier runs. Returns 0 or a negative errno. */
int near_names_init(struct near_names *names, const char *nn, const char *private);
void near_names_finish(struct near_names *names);

/* Returns a name that no near end has had, with the bits of @kind (lfp/ctl.h), or 0 if no name is
 * free. */
uint64_t near_names_draw(struct near_names *names, uint64_t kind);

/* Writes the path @name as an address. Returns its length. */
socklen_t near_names_addr(const struct near_names *names, uint64_t name, struct sockaddr_un *addr);

/* Reads the name of a socket. Returns 0; -ESTALE for a name of another run; -EBADF if the socket is
 * no near end of this instance. */
int near_names_read(const struct near_names *names, int fd, uint64_t *name);

int near_names_bind(struct near_names *names, int fd, uint64_t name);

/* Checks a near end. Returns 0, -ECONNREFUSED or -ENOENT if all its descriptors are closed,
 * -EPROTOTYPE if it is of the other kind, -EPERM if it is connected to another socket, or another
 * negative errno. */
int near_names_connect(struct near_names *names, int fd, uint64_t name);

/* Returns true if every descriptor of the near end is closed. */
bool near_names_is_gone(struct near_names *names, uint64_t name);

/* Removes the path of a name that is not needed any more, even if a program still holds the socket.
 */
void near_names_forget(const struct near_names *names, uint64_t name);

/* For several checks: enters the directory before, and leaves it afterwards. Calls may nest. */
int near_names_enter(struct near_names *names);
void near_names_leave(struct near_names *names);

#endif
