/* SPDX-License-Identifier: Apache-2.0 */
/* disagree.h - frames of lfpd that do not fit: they cost one socket, not the path */
#ifndef IJBLFP_SOCK_DISAGREE_H
#define IJBLFP_SOCK_DISAGREE_H

#include <stdint.h>

#include "lfp/frame.h"

struct instance;
struct vsock;

/* Reset the socket on both sides because of a frame for it; @why is text for a person. */
void ijblfp_disagree_on_socket(struct instance *inst, struct vsock *vs,
			       const struct lfp_frame *frame, const char *why);

/* There is no such socket here: lfpd is to close what it has. */
void disagree_on_unknown(struct instance *inst, const struct lfp_frame *frame);

/* Only counted and said: there is nothing to reset. */
void disagree_note(struct instance *inst, const struct lfp_frame *frame, const char *why);

/* lfpd is to reset the socket @id, which is none here. */
void disagree_close(struct instance *inst, uint64_t id);

#endif
