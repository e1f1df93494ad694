/* SPDX-License-Identifier: Apache-2.0 */
/* hs-inner.h - a connection of the transport hipersockets: what its files share */
#ifndef TRANSPORT_HS_INNER_H
#define TRANSPORT_HS_INNER_H

#include <string.h>

#include "devemu/qdio/port.h"
#include "transport/hs-frame.h"
#include "transport/socket.h"

#define HS_MTU_DEFAULT 16384u /* bytes, of the device */

enum hs_state {
	HS_GREETING, /* who listens waits for the segment, who connects for the answer; no owner */
	HS_OPENING,  /* who listens waits for SYN, who connects for its answer; no owner */
	HS_OPEN,     /* messages travel; the socket only tells of the peer's end */
	HS_CLOSED,   /* handles are being closed */
};

struct hs_conn {
	struct transport_conn base;
	enum hs_state state;
	struct transport_where where;
	unsigned int events;
	bool gone;  /* the socket has ended */
	bool ended; /* FIN has come */
	bool full;  /* a send was refused */
	bool again; /* frames may be left in the input queue */
	int error;  /* a message was not delivered, or the peer does not keep to the rules */

	struct qdio_segment segment;
	struct qdio_port port;
	struct hs_end me, peer;
	uint32_t limit, peer_limit;  /* messages on the way to us, to the peer */
	uint32_t sent;               /* messages that the peer has not yet told to have read */
	uint32_t unread;             /* messages that have come and that the owner has not had */
	uint32_t credits;            /* messages read that the peer was not told of */
	uint32_t tag;                /* of the next message */
	uint32_t taken;              /* input buffers that are to be given back */
	uint32_t looks;              /* at the device, for hs_plant() */
	uint64_t no_protocol;        /* frames that are not of AF_IUCV */
	uint64_t discarded;          /* frames of AF_IUCV that are not of this connection */
	struct packet_queue backlog; /* messages that came while the owner did not want any */
	struct packet_queue shown;   /* of those, what the owner looks at */

	int fd, bell, peer_bell; /* socket; eventfds: ours, the peer's */
	uv_poll_t socket, bells;
	uv_prepare_t prepare;
	uv_check_t check;
	uv_idle_t idle; /* runs while the loop must not sleep */
	uv_timer_t timer;
	int handles; /* not yet closed */

	/* Until HS_OPEN: who waits for the connection. */
	struct socket_listener *listener;
	struct socket_guest guest; /* of the listener */
	transport_connected_cb cb;
	void *cb_data;
};

/* A connection in HS_GREETING on socket @fd, which is closed on failure. 0 or a negative errno. */
int hs_create(uv_loop_t *loop, int fd, const struct transport_where *where, struct hs_conn **out);

/* The greeting is done: frames may travel. 0 or a negative errno. */
int hs_begin(struct hs_conn *conn);

/* Close it whatever its state; on_closed follows if it has an owner. */
void hs_destroy(struct hs_conn *conn);

/* Send a frame without a message. 0, -EAGAIN or another negative errno. */
int hs_control(struct hs_conn *conn, uint8_t flags, uint32_t window);

/* SYN|FIN for @syn, whomever it is for. */
void hs_refuse(struct hs_conn *conn, const struct hs_frame *syn);

/* Has our device an id, or do we take what the other side says? */
static inline bool hs_has_id(const struct transport_where *where)
{
	return where->hsuid && *where->hsuid;
}

/* Is a frame between the ends of this connection? */
static inline bool hs_is_of(const struct hs_conn *conn, const struct hs_frame *frame)
{
	return !memcmp(&frame->src, &conn->peer, sizeof(frame->src)) &&
	       !memcmp(&frame->dest, &conn->me, sizeof(frame->dest));
}

/* Bytes of the frames of a device of where->device_mtu. */
uint32_t hs_frame_size(const struct transport_where *where);

/* What NETSTAT shows of it. */
void hs_device(struct transport_conn *base, struct transport_device *out);

/* Of the loop: hipersockets.c sees to the device, the idle handle does nothing. */
void hs_on_prepare(uv_prepare_t *prepare);
void hs_on_check(uv_check_t *check);
void hs_on_idle(uv_idle_t *idle);

/* hs-faults.c: once for each look at the device; now and then something is planted. */
void hs_plant(struct hs_conn *conn);

/* Free what is queued. */
void hs_drop(struct packet_queue *queue);

/* hs-meet.c: begin the greeting of one side; the answers to SYN; what is not of the connection, or
 * is SYN, once it is open; it has failed (@why is for the one who listens, NULL: say nothing). */
int hs_meet_send(struct hs_conn *conn);
void hs_meet_wait(struct hs_conn *conn);
void hs_meet_frame(struct hs_conn *conn, const struct hs_frame *frame);
void hs_meet_stranger(struct hs_conn *conn, const struct hs_frame *frame);
void hs_meet_fail(struct hs_conn *conn, int error, const char *why);

#endif
