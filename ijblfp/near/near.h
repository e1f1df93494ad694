/* SPDX-License-Identifier: Apache-2.0 */
/* near.h - making near ends: the descriptors that programs hold */
#ifndef IJBLFP_NEAR_NEAR_H
#define IJBLFP_NEAR_NEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include "ijblfp/near/near-living.h"
#include "ijblfp/near/near-names.h"
#include "ijblfp/near/near-network.h"
#include "lfp/ctl.h"

/* Identity of a near end. The name finds it, and the cookie decides: no other socket of this system
 * ever has the same cookie (SO_COOKIE; net/core/sock_diag.c, __sock_gen_cookie()). Other processes
 * can bind names, and inode numbers are reused. */
struct near_id {
	uint64_t name; /* near-names.h; without a path the cookie; 0: there is no near end */
	uint64_t cookie;
	unsigned int living; /* the set that has it instead of a path (near-living.h), or 0 */
};

/* Common data of the near ends of one run of an instance. */
struct near_maker {
	struct near_names names;
	struct near_living living;
	struct near_network *network; /* makes sockets; NULL: this process's own namespace does */
	uint32_t window;              /* buffers are sized from it, bytes */
	uint32_t window_out;          /* lfpd's window, if known: how far a program may be ahead */
	int listener;                 /* near ends are connected to it */
	bool shows_errors;            /* datagram near ends can show errors */
	bool counts_passed; /* FIONREAD counts an urgent byte that recv() has passed over until the
			       socket is closed */
	bool merges_pages; /* pages that a program sends can be lost with an urgent byte before them
			    */
	bool takes_no_rights;  /* no program can send descriptors to a far end */
	bool hands_on_refusal; /* what is accepted refuses descriptors as its listener does */
	pid_t pid;             /* this process */
	bool unique_cookies;   /* no two sockets of any network namespaces have the same cookie */
	bool keeps_marks;      /* the kernel keeps the mark of a fresh socket */
	bool finds_stopper;    /* the kernel tells which bytes are the instance's own (stopper.h) */
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
 * @dir:	for the private listener and the names; only this user can enter it
 * @window:	bytes
 * @network:	kept; may be NULL
 *
 * Return: 0 or a negative errno.
 */
int near_maker_init(struct near_maker *maker, const char *nn, const char *dir, uint32_t window,
		    struct near_network *network);
void near_maker_finish(struct near_maker *maker);

/**
 * near_cookie() - the cookie of a descriptor, by which the table of sockets finds a near end
 * @fd:		anything that a program has sent
 *
 * Return: 0; -EBADF for a descriptor that is no socket, and if another socket may have the same
 * cookie: then near_identify() has to decide.
 */
int near_cookie(const struct near_maker *maker, int fd, uint64_t *cookie);

/* Returns true if cookies are unique on a system whose uname() says this release. */
bool near_cookies_are_unique(const char *release);

/**
 * near_identify() - identify the near end of a descriptor
 * @fd:		anything that a program has sent
 * @id:		set to its name and its cookie
 *
 * A near end without a path is recognised while it has a peer; its @id->living is not set.
 *
 * Return: 0; -ESTALE for a near end of another run; -EBADF if it is not a near end of this
 * instance.
 */
int near_identify(const struct near_maker *maker, int fd, struct near_id *id);

/* Binds a socket to a new name, with the bits of @kind. Returns 0 or a negative errno. */
int near_name(struct near_maker *maker, int fd, uint64_t kind, struct near_id *id);

/* Makes a near end that is bound and not connected. Returns a descriptor or a negative errno. */
int near_create(struct near_maker *maker, struct near_id *id);

/* Makes a program's new UNIX stream socket @fd a near end: a fresh one, or that of a program that
 * has no descriptor to spare. The socket stays in the program's network namespace. Returns 0 or a
 * negative errno: -EINVAL if @fd is something else. */
int near_adopt(struct near_maker *maker, int fd, struct near_id *id);

/* The same for a socket that is connected soon, of a program of @uid: without a path, where the
 * kernel allows that. near_identify() has just returned -EBADF for it. @id->cookie: its cookie, or
 * 0 if that is not known. */
int near_adopt_nameless(struct near_maker *maker, int fd, uid_t uid, struct near_id *id);

/* Gives a near end a path if it has none. Without memory it goes on without. */
void near_give_path(struct near_maker *maker, int fd, struct near_id *id);

/* Returns true if every descriptor of a near end is closed. @far: its far end, or -1. */
bool near_is_gone(struct near_maker *maker, const struct near_id *id, int far);

/* The socket of a near end is over, even if a program still holds the near end. Removes its path,
 * or sets @id->living to 0. */
void near_forget(struct near_maker *maker, struct near_id *id);

/* Returns the family of a fresh socket (lfp/ctl.h) of this instance, or -1 if @fd is something
 * else. Does not check the state of @fd: near_adopt() does. */
int near_fresh_family(const struct near_maker *maker, int fd);

/* Makes a near end with its far end (non-blocking), connected. Returns 0 or a negative errno. */
int near_create_pair(struct near_maker *maker, struct near_id *id, int *near, int *far);

/* The same for a connection that a program of @uid accepts: without a path, where the kernel allows
 * that. @family: AF_... */
int near_create_accepted(struct near_maker *maker, uid_t uid, int family, struct near_id *id,
			 int *near, int *far);

/* Sizes the send buffer of @near for the windows. An edge-triggered set that has it then sees its
 * state once more (net/core/sock.c, sock_setsockopt(), SO_SNDBUF). Returns 0 or a negative errno.
 */
int near_size(const struct near_maker *maker, int near);

/* Connects the near end @near and returns its far end (non-blocking) or a negative errno. */
int near_pair(const struct near_maker *maker, int near);

/* Turns the unread count in recvmsg() on the near end on or off. Returns 0 or a negative errno.
 * Kernels before 6.17 lack it: there the near end is marked, and the library counts (lfp/ctl.h). */
int near_tell_unread(int near, bool on);

/* Fills the near end's send buffer until it takes no more. Returns bytes or a negative errno. */
int64_t near_gate_fill(int near);

/* Takes exactly @bytes of a gate off the far end. Returns 0 or a negative errno. */
int near_gate_drain(int far, uint64_t bytes);

/* Hands a connection's near end to the listener behind @far. Returns 0, -EAGAIN, or a negative
 * errno. */
int near_send_record(int far, const struct lfp_accept_record *record, int near);

/* Returns an int option SO_... of a socket, or -1 if it cannot be read. */
int near_option_of(int fd, int name);

/**
 * near_self_test() - try the facts about AF_UNIX sockets that the design rests on
 * @maker:	ready for use
 *
 * Takes less than a millisecond. Return: NULL, or the fact that does not hold.
 */
const char *near_self_test(struct near_maker *maker);

#endif
