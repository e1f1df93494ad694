/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.h - a session's effect on sockets: frames of lfpd except answers, and RESUME */
#ifndef IJBLFP_SOCK_DISPATCH_H
#define IJBLFP_SOCK_DISPATCH_H

#include "lfp/frame.h"

struct instance;

/* Hands the frame to its socket. If it does not fit, that socket is reset (disagree.h). */
void ijblfp_dispatch_to_socket(struct instance *inst, const struct lfp_frame *frame);

/* Sends RESUME for each socket. hold_count() counts the answers. A socket on which lfpd does not
 * agree is reset. */
void resume_sockets(struct instance *inst);

#endif
