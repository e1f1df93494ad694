/* SPDX-License-Identifier: Apache-2.0 */
/* disagree.h - frames of lfpd that do not fit: they cost one socket, not the path */
#ifndef IJBLFP_SOCK_DISAGREE_H
#define IJBLFP_SOCK_DISAGREE_H

#include <stdint.h>

#include "lfp/frame.h"

struct instance;
struct vsock;

/* Resets the socket on both sides because of a frame for it. @why is text for people. */
void ijblfp_disagree_on_socket(struct instance *inst, struct vsock *vs,
			       const struct lfp_frame *frame, const char *why);

/* Makes lfpd close a socket that does not exist here. */
void disagree_on_unknown(struct instance *inst, const struct lfp_frame *frame);

/* Only counts and logs the frame: there is nothing to reset. */
void disagree_note(struct instance *inst, const struct lfp_frame *frame, const char *why);

/* Makes lfpd reset the socket @id, which does not exist here. */
void disagree_close(struct instance *inst, uint64_t id);

#endif
