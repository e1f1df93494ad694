/* SPDX-License-Identifier: Apache-2.0 */
/* disagree.h - frames of z/VSE that do not fit: they cost one socket, not the path */
#ifndef LFPD_SOCK_DISAGREE_H
#define LFPD_SOCK_DISAGREE_H

#include "lfp/frame.h"

struct socket;

/* Reset the socket on both sides because of a frame for it; @why is text for a person. */
void disagree_on_socket(struct socket *sock, const struct lfp_frame *frame, const char *why);

/* Half a DATAGRAM is sent, and there is no memory for its rest: z/VSE cannot go on with it. */
void disagree_no_memory(struct socket *sock);

#endif
