/* SPDX-License-Identifier: Apache-2.0 */
/* life.h - the frames that begin, connect, stop and end a socket, and what serves it */
#ifndef LFPD_SOCK_LIFE_H
#define LFPD_SOCK_LIFE_H

#include "lfpd/sock/host-socket.h"

/* SOCKET: makes a socket and answers. Returns 0 or -EPROTO, as all handlers. */
int life_handle_socket(struct session *session, const struct lfp_frame *frame, const char **why);

/* TAKEN: a task has taken a socket that another one has given. */
int life_handle_taken(struct socket *sock, const struct lfp_frame *frame, const char **why);

int life_handle_close(struct socket *sock, const struct lfp_frame *frame, const char **why);

int connect_handle(struct socket *sock, const struct lfp_frame *frame, const char **why);

/* The host's socket has become writable: look for the result of the attempt. */
void connect_finish(struct socket *sock);

/* SHUTDOWN while the socket connects: the kernel ends the attempt, and CONNECTED says ECONNRESET.
 */
void connect_give_up(struct socket *sock, int how);

int listen_handle_listen(struct socket *sock, const struct lfp_frame *frame, const char **why);
int listen_handle_accept(struct socket *sock, const struct lfp_frame *frame, const char **why);

/* The host's socket has connections. */
void listen_on_readable(struct socket *sock);

/* The program has shut the listener down: no more connections. */
void listen_end(struct socket *sock, int how);

int flow_handle_window(struct socket *sock, const struct lfp_frame *frame, const char **why);
int flow_handle_shutdown(struct socket *sock, const struct lfp_frame *frame, const char **why);

/* The path has room: serve the sockets that wait for it, in their order. */
void flow_serve(struct session *session);

#endif
