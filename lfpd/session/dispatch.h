/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.h - frames of z/VSE that are for a socket */
#ifndef LFPD_SESSION_DISPATCH_H
#define LFPD_SESSION_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp/frame.h"

struct session;

/* Is it the code of such a frame? */
bool dispatch_knows(uint8_t code);

/* Hand the frame, whose code is known, to its socket. If it does not fit, that socket is reset
 * (disagree.h). */
void dispatch_to_socket(struct session *session, const struct lfp_frame *frame);

#endif
