/* SPDX-License-Identifier: Apache-2.0 */
/* joined.h - connections between two sockets of this lfpd: their data leaves out the host's TCP */
#ifndef LFPD_SOCK_JOINED_H
#define LFPD_SOCK_JOINED_H

#include "lfpd/sock/host-socket.h"

struct saved_socket;

/*
 * Theory of operation
 *
 * Both ends of a connection may be sockets of this lfpd. The host's TCP makes and ends such a
 * connection as any other, so addresses, backlog, states, FIN and RST are TCP's. Only data leaves
 * TCP out: bytes in the queue of one end (`stream.queue`, "to the host") go to the path as data of
 * the other end, by reference if they are in a pipe. Windows, rates, counters and the trace are
 * those of both sockets.
 *
 * Order: data goes directly only while nothing of this direction is in TCP. joined.in_tcp counts
 * the bytes that one end has given to TCP, less those that the other has read from TCP. So data may
 * go by TCP at any time, and directly again when TCP is empty. FIN is sent when the queue is empty.
 *
 * Data goes by TCP
 *  - before the connection is joined: the client may send before the server has accepted,
 *  - from the moment an urgent byte is in the queue until TCP is empty again,
 *  - while the other end does not read for JOINED_PATIENCE_MS: a stalled reader must have the
 *    buffers of TCP before it (see joined_hold()),
 *  - for good after joined_part(): an end closes with data in the queue, shuts its reading, is
 *    lost or suspended, or gets an option that acts on segments, or JOINED_SOCKETS becomes "no".
 */
#define JOINED_PATIENCE_MS 10u

/* How bytes were moved to the path. */
struct moved {
	ssize_t n;    /* bytes; 0: the end of the stream; or a negative errno */
	bool no_room; /* the path takes no more, and nothing was tried */
	bool all;     /* the source had less than there was room for */
	bool large;   /* a large piece, or as much as there was room for */
	bool shifted; /* the bytes have left their queue, with their pipe */
};

/* A connect() has made the connection. Joins it if its other end has been accepted by this lfpd.
 * Asks the kernel nothing while no socket listens. */
void joined_connected(struct socket *sock);

/* The connection was accepted; the host's names of it. Joins it if this lfpd has its other end. */
void joined_accepted(struct socket *sock, const struct sockaddr_storage *local,
		     const struct sockaddr_storage *peer);

/* JOINED_SOCKETS may have changed. With "no" all connections part, for good. */
void joined_reload(struct instance *inst);

/* All later data of both directions goes by TCP. Does nothing to a socket that is not joined. */
void joined_part(struct socket *sock);

/* The connection was dissolved: the socket parts, and the next one begins anew. */
void joined_renew(struct socket *sock);

/* The program sets an option. Some need TCP: then the socket parts, and never joins. */
void joined_note_option(struct socket *sock, int level, int name);

/* Takes a socket of the lfpd before, and asks the kernel for such options of it. */
void joined_restored(struct socket *sock, const struct saved_socket *saved);

/* Takes such options from the listener. */
void joined_inherit(struct socket *sock, const struct socket *listener);

/* Adds the bytes that have left TCP out to a struct tcp_info of @len bytes. */
void joined_add_info(const struct socket *sock, uint8_t *info, size_t len);

/* Returns true if queued data, and data that comes, is held for the other end. */
bool joined_holds(const struct socket *sock);

/* Returns true if, in addition, a timer looks after the queued data, so that no event need to. */
bool joined_rests(const struct socket *sock);

/* Data is queued, and is held: moves what the other end takes now. */
void joined_push(struct socket *sock);

/* Returns true if the other end has data for @sock that may come directly now. */
bool joined_waits(const struct socket *sock);

/* Moves at most @most such bytes to the path. */
struct moved joined_move(struct socket *sock, size_t most);

/* @n bytes of the other end have come, directly or by TCP. */
void joined_came(struct socket *sock, size_t n, bool directly);

#endif
