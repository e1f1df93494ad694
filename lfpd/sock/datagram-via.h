/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-via.h - datagrams that go through the proxies of upstreams */
#ifndef LFPD_SOCK_DATAGRAM_VIA_H
#define LFPD_SOCK_DATAGRAM_VIA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "lfp/datagram.h"
#include "lfpd/sock/host-socket.h"

/*
 * Theory of operation
 *
 * The first datagram that a rule sends to an upstream begins an association with its proxy
 * (relay.h), one for each upstream of a socket. Until that is made, the socket's datagrams wait in
 * its queue, which the window bounds, in their order. If it fails, they are lost, and the program
 * gets the error. It ends with the socket, or when its proxy says so; then the next datagram begins
 * another one. After a reload that changes the upstream, the peer keeps the one that it has, and
 * destinations get the new one with their next datagram.
 *
 * A socket that is connected to a peer behind an upstream has its peer here: in the kernel it is
 * connected to the proxy, which chooses its local address, and receives nothing.
 *
 * An answer has to come from a destination of the socket through the same upstream; else one proxy
 * could speak for the peers of another. Where the proxy has got a name, it may have found other
 * addresses than lfpd. So its answer counts as one of the address that the program knows, if all
 * destinations with a name and this port have the same name.
 */

/* Of datagram_via_send(): call it again later. */
#define VIA_WAITS 3

/* Connects the socket to a peer behind @way->upstream, at the address that the policy has made of
 * the program's. Returns 0 or a negative errno. */
int datagram_via_connect(struct socket *sock, const struct sockaddr_storage *peer,
			 const struct socket_way *way);

/* The same after a restart: the kernel has kept the local address. */
int datagram_via_restore(struct socket *sock, const struct sockaddr_storage *peer,
			 const struct socket_way *way);

/* The kernel gets another peer: the address towards the proxy may not lead there. */
void datagram_via_leave_proxy(struct socket *sock);

/* The socket has another peer, or none. */
void datagram_via_disconnect(struct socket *sock);

/**
 * datagram_via_send() - send a datagram through an upstream
 * @to:		the destination, as the program names it; AF_UNSPEC: the peer
 * @addr:	the same for the proxy
 * @way:	not for the peer
 *
 * Return: 0, VIA_WAITS or a negative errno.
 */
int datagram_via_send(struct socket *sock, const struct lfp_addr *to,
		      const struct sockaddr_storage *addr, const struct socket_way *way,
		      const struct lfp_meta *meta, const uint8_t *data, size_t len);

/* Receives a datagram of a proxy. Returns its length; -EAGAIN if there is none; -EBADMSG if it was
 * thrown away; or another negative errno for the program. */
ssize_t datagram_via_receive(struct socket *sock, uint8_t *buf, size_t size, struct lfp_meta *meta);

/* There is more to receive. */
void datagram_via_watch(struct socket *sock);

/* Ends all associations. The peer stays. */
void datagram_via_rest(struct socket *sock);

void datagram_via_finish(struct socket *sock);

#endif
