/* SPDX-License-Identifier: Apache-2.0 */
/* session.h - one path from HELLO to its end: dispatch of frames, its sockets and tasks */
#ifndef LFPD_SESSION_SESSION_H
#define LFPD_SESSION_SESSION_H

#include "lfpd/state/session.h"

/* A new connection; it becomes the instance's session if HELLO says what it must. */
void session_create(struct instance *inst, struct transport_conn *conn);

/* Reset all sockets, drop all tasks, close the path (with BYE if @reason is not NULL). */
void session_end(struct session *session, const char *reason);

#endif
