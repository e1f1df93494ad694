/* SPDX-License-Identifier: Apache-2.0 */
/* flow.h - what lets data go on or ends it, for sockets of all states: room, WINDOW, SHUTDOWN */
#ifndef LFPD_SOCK_FLOW_H
#define LFPD_SOCK_FLOW_H

#include "lfpd/sock/socket.h"

int flow_handle_window(struct socket *sock, const struct lfp_frame *frame, const char **why);
int flow_handle_shutdown(struct socket *sock, const struct lfp_frame *frame, const char **why);

/* The path has room: serve the sockets that wait for it, in their order. */
void flow_serve(struct session *session);

#endif
