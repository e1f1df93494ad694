/* SPDX-License-Identifier: Apache-2.0 */
/* parked.h - connections that programs keep, to hand over others through them */
#ifndef IJBLFP_CTL_PARKED_H
#define IJBLFP_CTL_PARKED_H

#include <stdbool.h>

struct instance;
struct ctl_conn;

/*
 * Theory of operation
 *
 * A program that may not find the path of the control channel later (chroot) parks a connection
 * while it can (lfp/ctl.h). It costs a descriptor for each such program, so there is a bound; one
 * of the same user, or of the user with most, that was used longest ago makes room (share.h). Its
 * program notices at its next call and goes by the path. Whoever can park can also call: what comes
 * through gives no right that the path would not.
 *
 * A direct request is answered on the parked connection itself. It has a struct ctl_conn of its
 * own, the borrower, until then; if the parked one ends first, the answer goes nowhere. What a
 * caller that waits for connect() says, and its end, come on the parked one.
 *
 * While calls wait (ctl_server_check()) these are not read either.
 */

void parked_init(struct instance *inst);

/* PARK came on it. */
void parked_begin(struct ctl_conn *conn);

/* Something comes on a parked one: HAND, a direct request, DETACH, or its end. */
void parked_hear(struct ctl_conn *conn);

/* A direct request is answered, or given up. */
void parked_returned(struct ctl_conn *conn);

/* Stop reading them, or go on. */
void parked_pause(struct instance *inst, bool pause);

void parked_finish(struct instance *inst);

#endif
