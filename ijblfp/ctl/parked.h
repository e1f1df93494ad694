/* SPDX-License-Identifier: Apache-2.0 */
/* parked.h - connections that programs keep, in order to hand over others through them */
#ifndef IJBLFP_CTL_PARKED_H
#define IJBLFP_CTL_PARKED_H

#include <stdbool.h>

struct instance;
struct ctl_conn;

/*
 * Theory of operation
 *
 * A program that may not find the path of the control channel later (chroot) parks a connection
 * while it can (lfp/ctl.h). Each parked connection costs a descriptor, so their number is bounded.
 * The least recently used connection of the same user, or of the user with most, makes room
 * (share.h); its program notices at its next call and uses the path. Any program that can park can
 * also call, so a call through a parked connection has no more rights than one by the path.
 *
 * A direct request is answered on the parked connection itself. Until then it has a struct ctl_conn
 * of its own, the borrower; if the parked connection ends first, the answer is dropped. A caller
 * that waits for connect() sends its messages, and its end, on the parked connection.
 *
 * While calls wait (ctl_server_check()) the parked connections are not read either.
 */

void parked_init(struct instance *inst);

/* Handles LFP_CTL_PARK on @conn. */
void parked_begin(struct ctl_conn *conn);

/* A parked connection is readable: HAND, a direct request, DETACH, or its end. */
void parked_hear(struct ctl_conn *conn);

/* A direct request was answered or dropped. */
void parked_returned(struct ctl_conn *conn);

/* Stops or resumes reading of all parked connections. */
void parked_pause(struct instance *inst, bool pause);

void parked_finish(struct instance *inst);

#endif
