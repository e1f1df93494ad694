/* SPDX-License-Identifier: Apache-2.0 */
/* published.h - PUBLISH: sockets that are bound elsewhere on the host than the program says */
#ifndef LFPD_SOCK_PUBLISHED_H
#define LFPD_SOCK_PUBLISHED_H

#include "lfpd/sock/host-socket.h"

/**
 * published_bind() - find the place on the host
 * @asked:	the program's address
 * @addr:	the same; changed to the host's if the port is published
 *
 * Return: 1 if it was changed, 0 if not, -EADDRNOTAVAIL if the family of the socket does not fit
 * the address of PUBLISH.
 */
int published_bind(const struct socket *sock, const struct lfp_addr *asked,
		   struct sockaddr_storage *addr);

/* The socket is bound as published_bind() has said. */
void published_note(struct socket *sock, const struct lfp_addr *asked);

/* @addr is the host's name of the socket, or of a connection that it has accepted. Changes it to
 * the program's own port, and to the address that it has bound. The wildcard is the address of no
 * connection (@connected). */
void published_show(const struct socket *sock, struct lfp_addr *addr, bool connected);

/* Returns whether the socket's own name is that of a connection. */
bool published_is_connected(const struct socket *sock);

#endif
