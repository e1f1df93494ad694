/* SPDX-License-Identifier: Apache-2.0 */
/* credits.h - the connections that lfpd may hand over to a listener */
#ifndef IJBLFP_SOCK_CREDITS_H
#define IJBLFP_SOCK_CREDITS_H

struct instance;
struct vsock;

/* Gives lfpd the credits that the listener has to give: as many as it wants, without those that are
 * given and without the connections that the program has not taken. */
void credits_grant(struct instance *inst, struct vsock *vs);

/* The connection @conn waits no more for its listener's program, handed over or not. */
void credits_end_arrival(struct instance *inst, const struct vsock *conn);

#endif
