/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - one path from HELLO to its end: admission, dispatch of frames, its sockets and tasks
 */
#ifndef LFPD_SESSION_SESSION_H
#define LFPD_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp/frame.h"
#include "lfpd/state/session.h"

/* Starts a candidate on a new connection. A valid HELLO makes it the instance's session. */
void session_create(struct instance *inst, struct transport_conn *conn);

/* Resets all sockets, drops all tasks, closes the path (with BYE if @reason is not NULL). */
void session_end(struct session *session, const char *reason);

/* The first frame of a path. The session is then active, waiting, or ended. */
void admission_handle_hello(struct session *session, const struct lfp_frame *frame);

/* The present session has proved to be alive. */
void admission_refuse_second(struct session *session);

/* The previous session has ended: admits a waiting candidate. */
void admission_admit_next(struct instance *inst);

struct session;

/* Returns whether this is the code of a frame for a socket. */
bool dispatch_knows(uint8_t code);

/* Hand the frame, whose code is known, to its socket. If it does not fit, that socket is reset
 * (disagree.c). */
void dispatch_to_socket(struct session *session, const struct lfp_frame *frame);

#endif
