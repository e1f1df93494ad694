/* SPDX-License-Identifier: Apache-2.0 */
/* stream-socket.h - packets on a connected SOCK_STREAM socket, for transports that have one */
#ifndef TRANSPORT_STREAM_SOCKET_H
#define TRANSPORT_STREAM_SOCKET_H

#include "transport/reactor.h"
#include "transport/transport.h"

/* The functions of the vtable are of this; a transport's own listener and connect() make it. */
struct streamsock_conn {
	struct transport_conn base;
	struct watch watch;
	struct turn_hook hook; /* asks while packets that have come wait for the owner */
	int handles;           /* not yet closed */
	int fd;
	unsigned int events; /* those that the owner watches */
	uint32_t mtu;
	bool broken; /* the stream cannot be divided into packets any more */

	uint8_t *in; /* in_size bytes */
	size_t in_size;
	size_t next, end; /* received bytes that are not yet handed out */

	bool peeks;         /* small amounts, which stay in the socket for a while */
	bool edges;         /* the watch is of edges: peeking is possible */
	bool small;         /* the last amount was */
	bool may_have_more; /* than was received: no edge will say so */
	size_t peeked;      /* bytes at the head of the socket that are in `in`, too */

	uint8_t *rest; /* mtu bytes: the end of a packet of which the kernel has taken a part */
	size_t rest_at, rest_end;

	/* Called by close(). May be NULL. */
	void (*on_close)(void *data);
	void *on_close_data;
};

/* Makes a connection of @fd, which is owned by it, or closed on failure. @peeks: it saves the
 * message that the kernel sends when its socket is emptied. 0 or a negative errno. */
int streamsock_create(uv_loop_t *loop, const struct transport *transport, int fd, uint32_t mtu,
		      bool peeks, struct streamsock_conn **out);

int streamsock_send(struct transport_conn *base, struct packet **packets, unsigned int nr);
int streamsock_receive(struct transport_conn *base, struct iovec *packets, unsigned int max);
void streamsock_release(struct transport_conn *base);
void streamsock_watch(struct transport_conn *base, unsigned int events);
int64_t streamsock_credit(struct transport_conn *base);
void streamsock_close(struct transport_conn *base);

#endif
