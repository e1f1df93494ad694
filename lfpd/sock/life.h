/* SPDX-License-Identifier: Apache-2.0 */
/* life.h - SOCKET, TAKEN, CLOSE: how a socket begins, changes its owner and ends */
#ifndef LFPD_SOCK_LIFE_H
#define LFPD_SOCK_LIFE_H

#include "lfpd/sock/socket.h"

/* SOCKET: make one and answer. 0 or -EPROTO, as all handlers. */
int life_handle_socket(struct session *session, const struct lfp_frame *frame, const char **why);

/* TAKEN: a task has taken what another one has given. */
int life_handle_taken(struct socket *sock, const struct lfp_frame *frame, const char **why);

int life_handle_close(struct socket *sock, const struct lfp_frame *frame, const char **why);

#endif
