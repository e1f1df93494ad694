/* SPDX-License-Identifier: Apache-2.0 */
/* near-names.h - the paths to which near ends are bound */
#ifndef IJBLFP_NEAR_NEAR_NAMES_H
#define IJBLFP_NEAR_NEAR_NAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

/*
 * lfp/ctl.h says how they look. They are relative, so that a near end tells the same name in every
 * process; the instance goes to their directory for a moment to bind or connect. It has only one
 * thread that uses the working directory. The directory is one that only its user can enter: no
 * other can bind a name, keep one that is free, or connect to a near end.
 *
 * Nobody says when a socket without a peer is closed. Connecting to its path fails exactly then: a
 * datagram socket, which is kept for the question, cannot connect to a stream (EPROTOTYPE) as long
 * as that is there. Nothing is used up by it, and it needs no free descriptor.
 */
struct near_names {
	char nn[3];
	uint64_t run; /* in every name */
	int dir;      /* where the paths begin, O_PATH; -1: not in use */
	int probe;    /* a datagram socket that asks for near ends */
	int spare;    /* gives its number where there is no other */
	int home;     /* within near_names_enter(): the working directory */
	unsigned int entered;
};

/* Make the directory for this run's near ends in @private, a directory that only this user can
 * enter, and remove those of runs before. 0 or a negative errno. */
int near_names_init(struct near_names *names, const char *nn, const char *private);
void near_names_finish(struct near_names *names);

/* A name that no near end has had, with the bits of @kind (lfp/ctl.h); 0 if there is none. */
uint64_t near_names_draw(uint64_t kind);

/* The path @name as an address; returns its length. */
socklen_t near_names_addr(const struct near_names *names, uint64_t name, struct sockaddr_un *addr);

/* The name of a socket; 0, -ESTALE for one of another run, -EBADF if it is none of this instance.
 */
int near_names_read(const struct near_names *names, int fd, uint64_t *name);

int near_names_bind(struct near_names *names, int fd, uint64_t name);

/* 0, -ECONNREFUSED or -ENOENT if every descriptor of the near end has been closed, -EPROTOTYPE if
 * it is of the other kind, -EPERM if it is connected to another socket, or another negative errno.
 */
int near_names_connect(struct near_names *names, int fd, uint64_t name);

/* Has every descriptor of the near end been closed? */
bool near_names_is_gone(struct near_names *names, uint64_t name);

/* Nobody will ask for it any more: its path goes, whoever still holds the socket. */
void near_names_forget(const struct near_names *names, uint64_t name);

/* To ask for several: go to the directory before, come back after. They may be nested. */
int near_names_enter(struct near_names *names);
void near_names_leave(struct near_names *names);

#endif
