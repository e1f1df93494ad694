/* SPDX-License-Identifier: Apache-2.0 */
/* connect.h - connecting, in two steps, and dissolving a connection */
#ifndef LFPD_SOCK_CONNECT_H
#define LFPD_SOCK_CONNECT_H

#include "lfpd/sock/socket.h"

int connect_handle(struct socket *sock, const struct lfp_frame *frame, const char **why);

/* The host's socket has become writable: what has become of the attempt? */
void connect_finish(struct socket *sock);

/* SHUTDOWN while the socket connects: the kernel ends the attempt, and CONNECTED says ECONNRESET.
 */
void connect_give_up(struct socket *sock, int how);

#endif
