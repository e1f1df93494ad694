/* SPDX-License-Identifier: Apache-2.0 */
/* listener.h - the listener's part of a socket: whether it listens, and its credits */
#ifndef IJBLFP_SOCK_LISTENER_H
#define IJBLFP_SOCK_LISTENER_H

struct instance;
struct vsock;

/* Allocates vs->as_listener unless @vs already has it. Returns 0 or -ENOMEM. */
int listener_make(struct vsock *vs);

/* Sets vs->listened to LISTENER_NOW. @vs has its vs->as_listener. */
void listener_begin(struct vsock *vs);

/* Sets vs->listened to LISTENER_WAS: lfpd stops listening, but ACCEPTED may be under way. */
void listener_stop(struct vsock *vs);

/* Begins the next life of a socket: no credits are left. */
void listener_renew(struct vsock *vs);

/* Gives lfpd the credits that the listener has left: credits_wanted, less the credits that lfpd has
 * and less the connections that the program has not yet taken. @vs has its vs->as_listener. */
void credits_grant(struct instance *inst, struct vsock *vs);

/* The connection @conn no longer waits for the program of its listener: the program has it, or it
 * is closed. */
void credits_end_arrival(struct instance *inst, const struct vsock *conn);

#endif
