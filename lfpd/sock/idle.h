/* SPDX-License-Identifier: Apache-2.0 */
/* idle.h - sockets that wait for time to pass: listeners of an instance that is short, orphans */
#ifndef LFPD_SOCK_IDLE_H
#define LFPD_SOCK_IDLE_H

#include "lfpd/sock/socket.h"

/* A listener must wait: @error is the kernel's reason, 0 for MAX_SOCKETS. */
void idle_pause_listener(struct instance *inst, struct socket *sock, int error);

/* The instance has one socket less: one listener goes on. */
void idle_go_on(struct instance *inst);

/* Let the tick look after a new orphan. */
void idle_tick(struct instance *inst);

#endif
