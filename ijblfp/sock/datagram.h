/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.h - datagram sockets of programs */
#ifndef IJBLFP_SOCK_DATAGRAM_H
#define IJBLFP_SOCK_DATAGRAM_H

#include <stdbool.h>
#include <sys/un.h>
#include <uv.h>

#include "ijblfp/base/list.h"
#include "ijblfp/near/sources.h"
#include "lfp/datagram.h"
#include "transport/path.h"

struct instance;
struct vsock;

/* A datagram that waits. */
struct dgram_item {
	struct dgram_item *next;
	struct lfp_meta meta;
	bool counted; /* to the program: the path has been told that it is consumed */
	uint32_t len;
	uint8_t data[];
};

struct dgram_queue {
	struct dgram_item *first, *last;
	size_t bytes; /* as windows count */
};

/* What a datagram socket has beside struct vsock. Its far end `far` is the head. */
struct dgram {
	struct list place; /* on the set's list */
	struct instance *inst;
	struct vsock *vs;
	struct sockaddr_un near; /* the near end's name */
	int peer; /* the far end that the near end is connected to, -1 if it is not */
	struct lfp_addr peer_addr;
	bool gone; /* the near end is closed; what it has sent is still under way */
	int error; /* waits to be told, positive errno */

	/* From the program: what has been taken off the far ends. The first may be half sent. */
	struct dgram_queue out;
	struct parts parts;
	bool in_parts;
	bool readable; /* the far ends may have something; writer: datagram-out.c */

	/* To the program: what the near end has no room for. */
	struct lfp_assembly assembly;
	struct dgram_queue in;
};

struct dgram_set {
	struct list all;  /* the one to be asked first, first */
	uv_timer_t timer; /* asks whether near ends are still there */
	unsigned int interval;
	uint64_t glanced; /* ms of the loop's clock */
	bool active;      /* something has happened since it was asked last */
	struct sources sources;
	int token; /* sends to far ends to make errors, see datagram_raise(); -1: not made yet */
};

int datagram_set_init(struct instance *inst);
void datagram_set_finish(struct instance *inst);

/* Makes the near end of a socket that lfpd has: of the program's own socket @own if that is not -1.
 * Returns the near end's descriptor, which the caller closes unless it is @own, or a negative
 * errno.
 */
int datagram_make_near(struct instance *inst, struct vsock *vs, int own);

/* Give up what a socket holds as a datagram socket, if it is one. */
void datagram_free(struct vsock *vs);

/* Ask at most @most sockets whether their near ends are there, those that were asked longest ago
 * first, only those of task @task if that is not 0; returns how many were closed. */
unsigned int datagram_sweep(struct instance *inst, size_t most, uint32_t task);

/* Ask some, those first that were used last: before a call, and, not too often, before data. */
void datagram_ask(struct instance *inst);
void datagram_glance(struct instance *inst);

/* The socket is used: it is asked soon. */
void datagram_touch(struct vsock *vs);

/* The near end is closed. What it has sent still goes out; the socket is closed then. */
void datagram_on_gone(struct instance *inst, struct vsock *vs);

/* An event of one of its far ends. */
void ijblfp_datagram_on_event(struct instance *inst, struct vsock *vs, uint32_t events);

/* Watch one of its far ends; @out: for room too. 0 or a negative errno. */
int datagram_watch(struct instance *inst, struct vsock *vs, int fd, bool fresh, bool out);

/* Keep a copy at the end of a queue; 0 or -ENOMEM. */
int dgram_queue_add(struct dgram_queue *queue, const struct lfp_meta *meta, const uint8_t *data,
		    size_t len);
void dgram_queue_shift(struct dgram_queue *queue);

/* Move what there is, up to the socket's share. False if the path takes no more. @vs may be gone.
 */
bool datagram_read(struct instance *inst, struct vsock *vs, size_t *left);

/* The far ends may have something, or all has to be read as the near end is closed. */
void datagram_may_read(struct instance *inst, struct vsock *vs);

/* Move all there is, before a call that comes after it: false if not all of it could be. */
bool datagram_settle(struct instance *inst, struct vsock *vs);

/* Take all there is off the far ends, addressed to the peer where it has no address, as the socket
 * will have another peer; or take what was sent to the peer as it is. */
void datagram_take_all(struct instance *inst, struct vsock *vs);
void datagram_take_peer(struct instance *inst, struct vsock *vs);

/* The path is about to end and the session to go on: what has not begun counts as not sent. */
void datagram_rest(struct instance *inst);

/* WINDOW came: 0 or -EPROTO with @why. */
int datagram_on_window(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		       const char **why);

/* DATAGRAM and DATAGRAM_ERROR came: 0 or -EPROTO with @why. */
int datagram_on_datagram(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
			 const char **why);
int datagram_on_error(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		      const char **why);

/* Deliver what waits, as far as there is room. */
void datagram_deliver(struct instance *inst, struct vsock *vs);

/* Make the near end show that there is an error, if it is connected. */
void datagram_raise(struct instance *inst, struct vsock *vs);

/* The error to tell now: a positive errno or 0. */
int datagram_take_error(struct vsock *vs);

/* Connects the near end, whose descriptor is @near, to @peer, or to none if that has no family. The
 * host's socket has that peer already; on failure both ends have the old one. Returns 0 or a
 * negative errno. */
int datagram_change_peer(struct instance *inst, struct vsock *vs, int near,
			 const struct lfp_addr *peer);

#endif
