/* SPDX-License-Identifier: Apache-2.0 */
/* connect.h - connects sockets of the z/VSE interfaces, and the errors that z/VSE has for it */
#ifndef VSESOCK_VSE_CONNECT_H
#define VSESOCK_VSE_CONNECT_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "libvsesock/vse/api.h"

/*
 * Where the kernel's errors differ from those that IBM documents for CONNECT (SC27-3660, CONNECT;
 * SC31-7187, Table 67):
 *
 * - CONNECT of a socket that listens is EOPNOTSUPP, not EISCONN.
 * - After a CONNECT that did not wait, SELECT tells the end. A second CONNECT is no way to learn
 * it: EALREADY before the end, EISCONN if the connection exists (Linux returns 0 once).
 * - After one that failed the socket may be connected again, even if SO_ERROR was read in between
 *   (Linux returns ECONNABORTED once).
 */

/* Connects, and waits unless the socket or the thread (near_dontwait) does not. Returns 0 or a
 * negative error. */
int vse_connect_now(struct vse_api *api, int s, int fd, const struct sockaddr *to,
		    unsigned int len);

/* Connects without waiting (near_dontwait). Returns 0, a negative error, or -EAGAIN until the near
 * end is writable. The caller keeps @started, which is false at first. */
int vse_connect(struct vse_api *api, int s, int fd, const struct sockaddr *to, unsigned int len,
		bool *started);

/* Returns the result of a call that sends: @n, or its negative error. A socket that was never
 * connected is ENOTCONN; Linux returns EPIPE (net/ipv4/tcp.c, tcp_sendmsg_locked). */
ssize_t vse_sent(struct vse_api *api, int s, ssize_t n);

#endif
