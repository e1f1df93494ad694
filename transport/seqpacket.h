/* SPDX-License-Identifier: Apache-2.0 */
/* seqpacket.h - packets on a connected SOCK_SEQPACKET socket, for transports that have one */
#ifndef TRANSPORT_SEQPACKET_H
#define TRANSPORT_SEQPACKET_H

#include "transport/reactor.h"
#include "transport/transport.h"

/* The functions of the vtable are of this; a transport's own listener and connect() make it. */
struct seqpacket_conn {
	struct transport_conn base;
	struct watch watch;
	uv_loop_t *loop;
	int fd;
	int send_flags; /* of send(2), besides that it does not wait */
	unsigned int events;
	uint32_t mtu;
	unsigned int nr_rooms;
	uint8_t *rooms; /* nr_rooms times mtu bytes */
	uv_work_t closing;
};

/* Make a connection of @fd, which is owned by it, or closed on failure. 0 or a negative errno. */
int seqpacket_create(uv_loop_t *loop, const struct transport *transport, int fd, uint32_t mtu,
		     struct seqpacket_conn **out);

int seqpacket_send(struct transport_conn *base, struct packet **packets, unsigned int nr);
int seqpacket_receive(struct transport_conn *base, struct iovec *packets, unsigned int max);
void seqpacket_release(struct transport_conn *base);
void seqpacket_watch(struct transport_conn *base, unsigned int events);
int64_t seqpacket_credit(struct transport_conn *base);

/* Implement close(). seqpacket_close_slowly() calls close(2) in a thread, because it may wait. */
void seqpacket_close(struct transport_conn *base);
void seqpacket_close_slowly(struct transport_conn *base);

#endif
