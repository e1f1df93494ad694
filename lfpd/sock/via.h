/* SPDX-License-Identifier: Apache-2.0 */
/* via.h - connect() through the proxy of an upstream */
#ifndef LFPD_SOCK_VIA_H
#define LFPD_SOCK_VIA_H

#include <stdbool.h>

#include "lfpd/sock/host-socket.h"

/*
 * Theory of operation
 *
 * The socket connects to the proxy instead of the peer. The talk with the proxy (proxy-talk.h) goes
 * on while the program's connect() is still under way. An attempt ends after the upstream's
 * timeout, however slowly the proxy answers.
 */

/**
 * via_begin() - begin connect() to sock->stream.peer through sock->stream.upstream
 * @name:	for the proxy, or NULL: copied
 * @on_end:	called when an attempt under way has ended; via_result() then has the result
 *
 * Return: a positive errno. EINPROGRESS: call via_result() now and at each event of the socket.
 */
int via_begin(struct socket *sock, const char *name, void (*on_end)(struct socket *sock));

/* Returns the events to poll for. */
int via_events(const struct socket *sock);

/* Goes on with the attempt. Returns EALREADY while it is under way. Else it has ended: returns 0 or
 * a positive errno, and after an error the socket is ready for another attempt. */
int via_result(struct socket *sock);

/* Gives up the attempt, if there is one, and makes the socket ready for another. */
void via_give_up(struct socket *sock);

/* Forgets attempt and upstream, if any. */
void via_forget(struct socket *sock);

#endif
