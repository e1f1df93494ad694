/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.h - frames of lfpd for a socket, except answers */
#ifndef IJBLFP_SOCK_DISPATCH_H
#define IJBLFP_SOCK_DISPATCH_H

#include "lfp/frame.h"

struct instance;

/* Hands the frame to its socket. If it does not fit, that socket is reset (disagree.h). */
void ijblfp_dispatch_to_socket(struct instance *inst, const struct lfp_frame *frame);

#endif
