/* SPDX-License-Identifier: Apache-2.0 */
/* near.h - making near ends: the descriptors that programs hold */
#ifndef IJBLFP_NEAR_H
#define IJBLFP_NEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lfp/ctl.h"

/* What near ends of one run of an instance have in common. */
struct near_maker {
	char nn[3];
	uint64_t run;            /* in every name */
	uint32_t window;         /* buffers are sized from it, bytes */
	uint32_t window_out;     /* lfpd's, if that is known: what a program may be ahead of */
	int listener;            /* near ends are connected to it */
	int probe;               /* not bound: asks for names */
	int dir;                 /* where the paths of datagram near ends begin, O_PATH */
	int datagram_probe;      /* asks for them */
	int spare;               /* gives its number where there is no other */
	bool shows_errors;       /* errors can be made to show at datagram near ends */
	bool takes_no_rights;    /* nobody can send descriptors to a far end */
	struct sockaddr_un addr; /* of the listener */
};

/* SO_PASSRIGHTS, which older headers do not have. */
#define NEAR_PASSRIGHTS 83

/* Room in a listener's far end for accept records; the kernel doubles it. There is an edge for each
 * record that is taken while at most a quarter is in use: 21 records. */
#define NEAR_RECORD_BUFFER 32768
#define NEAR_RECORDS_MAX   16u

/**
 * near_maker_init() - get ready to make near ends
 * @maker:	filled; finish with near_maker_finish()
 * @nn:		instance
 * @path:	path of the private listener, in a directory that only this user can enter
 * @window:	bytes
 *
 * Return: 0 or a negative errno.
 */
int near_maker_init(struct near_maker *maker, const char *nn, const char *path, uint32_t window);
void near_maker_finish(struct near_maker *maker);

/* The abstract name of socket @id; returns the length of the address. */
socklen_t near_name(const struct near_maker *maker, uint64_t id, struct sockaddr_un *addr);

/**
 * near_identify() - whose near end is this descriptor?
 * @fd:		anything that a program has sent
 * @id:		set to the id in its name
 * @ino:	set to its inode: what the name says is true only if the inode is the socket's
 *
 * Return: 0; -ESTALE for a near end of another run; -EBADF if it is none of this instance.
 */
int near_identify(const struct near_maker *maker, int fd, uint64_t *id, uint64_t *ino);

/* A near end that is bound and not connected; a descriptor or a negative errno. */
int near_create(const struct near_maker *maker, uint64_t id, uint64_t *ino);

/* Make a new UNIX stream socket of a program's, @fd, the near end @id: for a program that has no
 * descriptor to spare. 0, or a negative errno: -EINVAL if it is something else, -EMFILE if it is of
 * another network namespace, where its name could not be asked. */
int near_adopt(struct near_maker *maker, int fd, uint64_t id, uint64_t *ino);

/* A near end with its far end (non-blocking), connected; 0 or a negative errno. */
int near_create_pair(const struct near_maker *maker, uint64_t id, uint64_t *ino, int *near,
		     int *far);

/* Connect the near end @near and return its far end (non-blocking) or a negative errno. */
int near_pair(const struct near_maker *maker, int near);

/* Fill the near end's send buffer until it takes no more; bytes or a negative errno. */
int64_t near_gate_fill(int near);

/* Take exactly @bytes of a gate off the far end; 0 or a negative errno. */
int near_gate_drain(int far, uint64_t bytes);

/* Hand a connection's near end to the listener behind @far: 0, -EAGAIN, or a negative errno. */
int near_send_record(int far, const struct lfp_addr *peer, const struct lfp_addr *local, int near);

/* Has every descriptor of the near end of socket @id been closed? */
bool near_is_gone(struct near_maker *maker, uint64_t id);

#endif
