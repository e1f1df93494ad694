/* SPDX-License-Identifier: Apache-2.0 */
/* nagle.h - ends of writes that Nagle's algorithm must not hold */
#ifndef LFPD_SOCK_NAGLE_H
#define LFPD_SOCK_NAGLE_H

#include "lfpd/sock/host-socket.h"

/* @len bytes of a write have come; @more: it goes on. They pay for pushing. A short write that came
 * in one piece pays for nothing: Nagle's algorithm sees it as it was made. */
void nagle_note(struct socket *sock, uint32_t len, bool more);

/* A write has ended: what Nagle's algorithm holds of it goes. So do the ends of the next writes,
 * while they pay for it. */
void nagle_push(struct socket *sock);

/* An option of TCP may change: the next write asks the kernel whether Nagle's algorithm acts. */
void nagle_forget(struct socket *sock);

/* If lfpd has set TCP_NODELAY by itself, take it back. */
void nagle_let(struct socket *sock);

#endif
