/* SPDX-License-Identifier: Apache-2.0 */
/* paused.h - sockets that wait: listeners until a socket is free, orphans until all is sent */
#ifndef LFPD_SOCK_PAUSED_H
#define LFPD_SOCK_PAUSED_H

#include <stdint.h>

#include "lfpd/sock/host-socket.h"
#include "lfpd/users/share.h"

/* Makes the socket count for another user. Without memory it stays with its user. */
void paused_move(struct socket *sock, uint32_t uid);

/* Pauses a listener until its user has fewer sockets. */
void paused_add(struct socket *listener);

/* Lets one listener of the user go on, if the user may have one more socket. */
void paused_go_on(struct instance *inst, struct share *share);

/* Lets one listener of each user go on, after limits have changed. */
void paused_go_on_all(struct instance *inst);

/* Pauses a listener. @error: the kernel's reason, 0 for MAX_SOCKETS. */
void idle_pause_listener(struct instance *inst, struct socket *sock, int error);

/* Lets one listener go on, as the instance has one socket less. */
void idle_go_on(struct instance *inst);

/* Starts the tick, which serves a new orphan. */
void idle_tick(struct instance *inst);

#endif
