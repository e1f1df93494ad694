/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - what each state of a socket polls for, and what it does when that happens */
#ifndef LFPD_SOCK_EVENTS_H
#define LFPD_SOCK_EVENTS_H

#include "lfpd/sock/socket.h"

/* For instance->sock_ops. */
extern const struct socket_ops socket_event_ops;

#endif
