/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h - what the supervisor does for each system call */
#ifndef LFP_RUN_SERVE_H
#define LFP_RUN_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp-run/trap.h"

/*
 * Theory of operation
 *
 * lfp-run is linked with the shim's own objects, so that connect(), getsockopt() and their kind are
 * the shim's here. The supervisor takes a copy of the program's descriptor, copies the arguments
 * out of its memory, once, calls what a preloaded program would call, and copies the result back:
 * a program behaves in the same way with the shim and without.
 *
 * TRAP_CONTINUE, which makes the kernel look at the arguments a second time, is answered only where
 * it decides nothing:
 *   - for a descriptor that is no near end: the call is the kernel's own, whatever its arguments;
 *   - for a near end, for calls that the shim hands to the kernel as they are (stream data without
 *     an address, ioctls that it does not know): they can be made past the filter just as well.
 * A thread that changes the descriptor or the arguments in between only does to its program what it
 * could do with the cookie or with write(). Internet sockets are never made by it: the family that
 * socket() is called with is in a register, and socketcall(SOCKET), which has it in memory, is
 * never continued (foreign.h).
 */

/* The answer to a call. */
long serve(struct trap *trap);

/* serve-socket.c */
long serve_socket(struct trap *trap);
long serve_other_socket(struct trap *trap); /* of a family that is not LFP's: made here and given */
long serve_bind(struct trap *trap);
long serve_listen(struct trap *trap);
long serve_shutdown(struct trap *trap);
long serve_connect(struct trap *trap);
long serve_accept(struct trap *trap);

/* serve-names.c */
long serve_getname(struct trap *trap);
long serve_getsockopt(struct trap *trap);
long serve_setsockopt(struct trap *trap);
long serve_ioctl(struct trap *trap);

/* serve-data.c */
long serve_send(struct trap *trap);
long serve_receive(struct trap *trap);

/* serve-exec.c */
long serve_exec(struct trap *trap);

/* Take a copy of the near end that the call is about, its first argument. The descriptor, or what
 * is to be answered: TRAP_CONTINUE for anything else, and for a socket that only has the name of a
 * near end (ours.h). */
long serve_take_near(struct trap *trap);

/* May a call on it wait? Not with O_NONBLOCK. */
bool serve_may_wait(int fd);

struct wait;

/* wait_begin(); where the call must not wait the instance's log says so, once. */
long serve_wait_begin(struct wait *wait, struct trap *trap);

/* Has the socket a time limit, by SO_RCVTIMEO or SO_SNDTIMEO? */
bool serve_is_limited(int fd, int option);

/* Write a call that can't be served into the instance's log. */
void serve_refuse(const char *call, const char *reason);

/* Whom a request on the control channel speaks for, in this thread; set by serve(). */
void serve_init(void);

#endif
