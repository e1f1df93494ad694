/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h - supervisors that guard the connections of their programs */
#ifndef IJBLFP_CTL_GUARD_H
#define IJBLFP_CTL_GUARD_H

#include <stdbool.h>
#include <stdint.h>

struct instance;
struct vsock;
struct ctl_conn;
struct lfp_ctl_request;

/*
 * Theory of operation
 *
 * A program without the library sees the kernel's end of file, also when the instance closes a
 * far end after a reset. The supervisor of such a program therefore has a copy of each far end and
 * makes a reset look like one (lfp/ctl.h, LFP_CTL_GUARD).
 *
 * The far end of a connection is a right to its data. It goes only to a process that has itself
 * sent the CONNECT, or the LISTEN, and so has had the near end: guard_note() remembers its guard.
 * That the process may speak for the program is not enough.
 *
 * The far end of an accepted connection goes to the guard of the process that has called
 * listen(), as the connection may end before accept() and the instance never learns which process
 * accepts. As soon as another process, one that this guard does not supervise, makes a call on the
 * listener, either of them may accept: then no supervisor gets the far ends of new connections
 * until the next listen().
 *
 * No process can send that byte through a near end that is shut down for writing: the instance
 * leaves it there at the shutdown (stopper.h).
 *
 * A guard that does not read gets no more connections, and delays no other program: the instance
 * keeps its messages about those that the guard has, one for each.
 */

/* Handles LFP_CTL_GUARD on @conn. */
void guard_begin(struct ctl_conn *conn);

/* CONNECT or LISTEN of @vs: notes the guard that its connection is for. */
void guard_note(const struct ctl_conn *conn, struct vsock *vs,
		const struct lfp_ctl_request *request);

/* Any call on the listener @vs. A call of a process that its guard does not supervise ends the
 * guard's right to the connections that are accepted from now on. */
void guard_check_listener(const struct ctl_conn *conn, struct vsock *vs);

/* Gives a new connection to its guard. */
void guard_add(struct instance *inst, struct vsock *vs);
/* The same for an accepted one with the near end @near. */
void guard_add_accepted(struct instance *inst, struct vsock *vs, int near);

/* The far end is about to be closed. @reset: unless the end of file was passed on, the program has
 * to see a reset. */
void guard_end(struct instance *inst, struct vsock *vs, bool reset);

/* The connection is reset, and data from before the reset is still to be delivered. Returns false
 * if no guard shuts the far end for reading. */
bool guard_prime(struct instance *inst, struct vsock *vs);

void guards_finish(struct instance *inst);

#endif
