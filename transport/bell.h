/* SPDX-License-Identifier: Apache-2.0 */
/* bell.h - how two ends of shared memory wake each other and notice that the other one is gone */
#ifndef TRANSPORT_BELL_H
#define TRANSPORT_BELL_H

#include <stdbool.h>

#include "transport/transport.h"

/* Ring the peer's eventfd. It does not block: if it is full the peer has something to read. */
void bell_ring(int peer_bell, struct transport_conn *conn);

/* The own eventfd is readable: silence it. */
void bell_hear(int bell, struct transport_conn *conn);

/* The socket of the greeting is readable, or has @status of uv_poll: true at its end, at an error,
 * and at a message, which nobody sends any more. */
bool bell_peer_is_gone(int fd, int status);

#endif
