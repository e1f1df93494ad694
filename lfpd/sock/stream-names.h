/* SPDX-License-Identifier: Apache-2.0 */
/* stream-names.h - names that a program looks up on a connection of its own */
#ifndef LFPD_SOCK_STREAM_NAMES_H
#define LFPD_SOCK_STREAM_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "lfpd/sock/host-socket.h"

/*
 * A rule may let programs connect to a name server of the host. lfpd then learns from all answers
 * on the connection. It does not look at the queries: the rule is about the server, and whoever
 * answers at its address and port is the server. A connection that another lfpd has made teaches
 * nothing after a restart, as its next byte may be within a message.
 */

/* Notes at a connect whether the peer is a name server of the host. */
void stream_names_begin(struct socket *sock);

/* Learns from bytes that have come, if the peer is one. */
void stream_names_learn(struct socket *sock, const uint8_t *bytes, size_t len);

void stream_names_finish(struct socket *sock);

#endif
