/* SPDX-License-Identifier: Apache-2.0 */
/* link-inner.h - what the files that make and end paths share */
#ifndef IJBLFP_LINK_LINK_INNER_H
#define IJBLFP_LINK_LINK_INNER_H

#include <stdbool.h>

#include "lfp/frame.h"

struct instance;

/* Close the path, if there is one, with BYE if @reason is not NULL; the session is left alone. */
void link_end_path(struct instance *inst, const char *reason);

/* The session is over: who waits is told, sockets are buried. There is no path. */
void link_end_session(struct instance *inst);

/* Connect a little later; there is no path. */
void link_retry(struct instance *inst);

/* 0 or a negative errno. */
int link_send_hello(struct instance *inst);

/* Is it the lfpd that the statements mean? Says why not, and opens its code page. */
bool link_hello_is_meant(struct instance *inst, const struct lfp_frame *frame);

/* Where both sides had not the same in mind. */
void link_say_limits(struct instance *inst, const struct lfp_hello_reply *reply);

void link_say_refused(struct instance *inst, const char *why);

#endif
