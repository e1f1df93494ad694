/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - listening and accepting */
#ifndef LFPD_SOCK_LISTEN_H
#define LFPD_SOCK_LISTEN_H

#include "lfpd/sock/socket.h"

int listen_handle_listen(struct socket *sock, const struct lfp_frame *frame, const char **why);
int listen_handle_accept(struct socket *sock, const struct lfp_frame *frame, const char **why);

/* The host's socket has connections. */
void listen_on_readable(struct socket *sock);

/* The program has shut the listener down: no more connections. */
void listen_end(struct socket *sock, int how);

#endif
