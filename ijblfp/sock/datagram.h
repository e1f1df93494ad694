/* SPDX-License-Identifier: Apache-2.0 */
/* datagram.h - datagram sockets of programs */
#ifndef IJBLFP_SOCK_DATAGRAM_H
#define IJBLFP_SOCK_DATAGRAM_H

#include <stdbool.h>
#include <sys/un.h>
#include <uv.h>

#include "ijblfp/near/sources.h"
#include "lfp/datagram.h"
#include "lfp/list.h"
#include "transport/path.h"

struct instance;
struct vsock;

/* A datagram in a queue. */
struct dgram_item {
	struct lfp_list place;
	struct lfp_meta meta;
	bool counted; /* to the program: the path was already told that it is consumed */
	uint32_t len;
	uint8_t data[];
};

struct dgram_queue {
	struct lfp_list items;
	size_t bytes; /* as windows count */
};

/* The part of a socket that only datagram sockets have; datagram_free() frees it. The socket's
 * `far` is the head. */
struct dgram {
	struct lfp_list place; /* on the set's list */
	struct instance *inst;
	struct vsock *vs;
	struct sockaddr_un near; /* the near end's name */
	int peer; /* the far end that the near end is connected to, -1 if it is not */
	struct lfp_addr peer_addr;
	bool gone; /* the near end is closed; datagrams that it sent are still under way */
	int error; /* pending error, positive errno */

	/* From the program: datagrams that were taken off the far ends. The first may be half sent.
	 */
	struct dgram_queue out;
	struct parts parts;
	bool in_parts;
	bool readable; /* the far ends may have something; writer: datagram-out.c */

	/* To the program: datagrams that the near end has no room for. */
	struct lfp_assembly assembly;
	struct dgram_queue in;
	bool wants_out; /* the far end is watched for room; writer: datagram-in.c */
};

struct dgram_set {
	struct lfp_list all; /* all datagram sockets; the next one to check comes first */
	uv_timer_t timer;    /* checks whether near ends are still there */
	unsigned int interval;
	uint64_t glanced; /* ms of the loop's clock */
	bool active;      /* a socket was used since the last check */
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

/* Frees the part of a socket that only datagram sockets have, if there is one. */
void datagram_free(struct vsock *vs);

/* Checks whether the near ends of at most @most sockets are still there, the least recently checked
 * first, and only those of task @task if that is not 0. Returns how many were closed. */
unsigned int datagram_sweep(struct instance *inst, size_t most, uint32_t task);

/* Checks some sockets, the most recently used first: datagram_ask() before a call, and
 * datagram_glance(), not too often, before data. */
void datagram_ask(struct instance *inst);
void datagram_glance(struct instance *inst);

/* Notes that the socket is used: it is checked soon. */
void datagram_touch(struct vsock *vs);

/* The near end is closed. Its last datagrams still go out; then the socket is closed. */
void datagram_on_gone(struct instance *inst, struct vsock *vs);

/* Handles an event of one of its far ends. */
void ijblfp_datagram_on_event(struct instance *inst, struct vsock *vs, uint32_t events);

/* Watches one of its far ends; @out: for room too. Returns 0 or a negative errno. */
int datagram_watch(struct instance *inst, struct vsock *vs, int fd, bool fresh, bool out);

/* Returns the first datagram of a queue, or NULL. */
static inline struct dgram_item *dgram_queue_first(const struct dgram_queue *queue)
{
	return lfp_list_first_entry(&queue->items, struct dgram_item, place);
}

/* Adds a copy to the end of a queue. Returns it, or NULL if there is no memory. */
struct dgram_item *dgram_queue_add(struct dgram_queue *queue, const struct lfp_meta *meta,
				   const uint8_t *data, size_t len);

/* Drops the first datagram, which there is; or all. */
void dgram_queue_shift(struct dgram_queue *queue);
void dgram_queue_drop(struct dgram_queue *queue);

/* Moves all datagrams of @from to the end of @to. */
void dgram_queue_append_all(struct dgram_queue *to, struct dgram_queue *from);

/* Moves datagrams to the path, up to the socket's share. Returns false if the path takes no more.
 * @vs may be gone. */
bool datagram_read(struct instance *inst, struct vsock *vs, size_t *left);

/* Puts the socket on the list of those to read: its far ends may have datagrams, or its near end is
 * closed and the rest must be read. */
void datagram_may_read(struct instance *inst, struct vsock *vs);

/* Moves all datagrams to the path, before a call that comes after them. Returns false if some
 * remain. */
bool datagram_settle(struct instance *inst, struct vsock *vs);

/* Takes all datagrams off the far ends before the socket gets another peer, and addresses them to
 * the present peer where they have no address. datagram_take_peer() takes those to the peer as they
 * are. */
void datagram_take_all(struct instance *inst, struct vsock *vs);
void datagram_take_peer(struct instance *inst, struct vsock *vs);

/* The path is about to end, and the session to go on: a datagram that has not begun counts as not
 * sent. */
void datagram_rest(struct instance *inst);

/* Handles WINDOW. Returns 0, or -EPROTO with @why. */
int datagram_on_window(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		       const char **why);

/* Handle DATAGRAM and DATAGRAM_ERROR. Return 0, or -EPROTO with @why. */
int datagram_on_datagram(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
			 const char **why);
int datagram_on_error(struct instance *inst, struct vsock *vs, const struct lfp_frame *frame,
		      const char **why);

/* Delivers queued datagrams, as far as there is room. */
void datagram_deliver(struct instance *inst, struct vsock *vs);

/* Makes the near end show that there is an error, if it is connected. */
void datagram_raise(struct instance *inst, struct vsock *vs);

/* Returns the pending error and clears it: a positive errno or 0. */
int datagram_take_error(struct vsock *vs);

/* Connects the near end, whose descriptor is @near, to @peer, or to none if that has no family. The
 * host's socket has that peer already; on failure both ends have the old one. Returns 0 or a
 * negative errno. */
int datagram_change_peer(struct instance *inst, struct vsock *vs, int near,
			 const struct lfp_addr *peer);

#endif
