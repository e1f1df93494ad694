/* SPDX-License-Identifier: Apache-2.0 */
/* link-inner.h - shared parts of the files that make and end paths */
#ifndef IJBLFP_LINK_LINK_INNER_H
#define IJBLFP_LINK_LINK_INNER_H

#include <stdbool.h>

#include "lfp/frame.h"

struct instance;

/* Closes the path, if there is one, with BYE if @reason is not NULL. The session stays as it is. */
void link_end_path(struct instance *inst, const char *reason);

/* Ends the session: all waiting calls fail, and sockets are buried. There is no path. */
void link_end_session(struct instance *inst);

/* Connects a little later. There is no path now. */
void link_retry(struct instance *inst);

/* Sends HELLO. Returns 0 or a negative errno. */
int link_send_hello(struct instance *inst);

/* Checks whether the statements mean this lfpd, and opens its code page. Logs the reason if not. */
bool link_hello_is_meant(struct instance *inst, const struct lfp_frame *frame);

/* Logs settings that differ between both sides. */
void link_say_limits(struct instance *inst, const struct lfp_hello_reply *reply);

void link_say_refused(struct instance *inst, const char *why);

#endif
