/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h - the supervisor's dispatch of system calls */
#ifndef LFP_RUN_SERVE_H
#define LFP_RUN_SERVE_H

#include "lfp-run/trap.h"

/*
 * Theory of operation
 *
 * lfp-run is linked with the shim's own objects, so that connect(), getsockopt() and their kind are
 * the shim's here. The supervisor takes a copy of the program's descriptor, copies the arguments
 * out of its memory, once, calls what a preloaded program would call, and copies the result back:
 * a program behaves in the same way with the shim and without.
 *
 * TRAP_CONTINUE makes the kernel read the arguments a second time. It is the answer only where a
 * changed argument does no harm:
 *   - for a descriptor that is no near end: the call is the kernel's own, whatever its arguments;
 *   - for a near end, for calls that the shim hands to the kernel as they are (stream data without
 *     an address, ioctls that it does not know): they can be made past the filter just as well.
 * A thread that changes the descriptor or the arguments in between only does to its program what it
 * could do with the cookie or with write(). Internet sockets are never made by it: the family that
 * socket() is called with is in a register, and socketcall(SOCKET), which has it in memory, is
 * never continued (foreign.h).
 */

/* Serves a call. Returns the answer (trap.h). */
long serve(struct trap *trap);

/* Makes requests on the control channel name the program that serve() serves in this thread. */
void serve_init(void);

#endif
