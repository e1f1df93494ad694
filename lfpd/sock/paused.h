/* SPDX-License-Identifier: Apache-2.0 */
/* paused.h - sockets that wait: listeners until a socket is free, orphans until all is sent */
#ifndef LFPD_SOCK_PAUSED_H
#define LFPD_SOCK_PAUSED_H

#include <stdint.h>

#include "lfpd/sock/host-socket.h"
#include "lfpd/users/share.h"

/* The socket counts for another user from now on; without memory for the one as before. */
void paused_move(struct socket *sock, uint32_t uid);

/* A listener waits until its user has less sockets. */
void paused_add(struct socket *listener);

/* If the user may have one more socket, one of its listeners goes on. */
void paused_go_on(struct instance *inst, struct share *share);

/* There may be other limits now: one listener of each user goes on. */
void paused_go_on_all(struct instance *inst);

/* A listener must wait: @error is the kernel's reason, 0 for MAX_SOCKETS. */
void idle_pause_listener(struct instance *inst, struct socket *sock, int error);

/* The instance has one socket less: one listener goes on. */
void idle_go_on(struct instance *inst);

/* Let the tick look after a new orphan. */
void idle_tick(struct instance *inst);

#endif
