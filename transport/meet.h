/* SPDX-License-Identifier: Apache-2.0 */
/* meet.h - two processes meet on a UNIX socket, share memory, and wake each other */
#ifndef TRANSPORT_MEET_H
#define TRANSPORT_MEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "transport/greeting.h"
#include "transport/listen-socket.h"
#include "transport/reactor.h"

/*
 * Theory of operation
 *
 * The side that connects makes the memory and two eventfds, the bells. It sends all three in one
 * message with a greeting. lfpd checks them and answers with a greeting. From then on neither side
 * sends on the socket: its end is the peer's end. GREETING_MS without an answer, or any other
 * message, ends the connection: the peer may use another transport.
 *
 * A greeting begins with 8 bytes that name the transport and with a version, 1. A packet of the
 * transport unix begins with "LF" and a version below 32, so no side takes one for the other.
 *
 * The connection of a transport begins with struct meet_conn. Two sides have met after meet_done(),
 * which the transport calls: in its function met(), or later if there is more to agree on.
 */

#define MEET_WORDS 2

enum meet_state {
	MEET_GREETING, /* lfpd waits for the greeting, the other side for its answer; no owner */
	MEET_OPENING,  /* memory is shared; the transport has more to agree on; no owner */
	MEET_OPEN,     /* packets travel */
	MEET_CLOSED,   /* handles are being closed */
};

struct meet_conn {
	struct transport_conn base;
	const struct meet_kind *kind;
	enum meet_state state;
	struct transport_where where;
	unsigned int events;     /* TRANSPORT_READ, TRANSPORT_WRITE: those that the owner watches */
	bool gone;               /* the socket has ended */
	int fd, bell, peer_bell; /* socket; eventfds: ours, the peer's */

	struct watch socket, bells;
	struct turn_hook hook; /* once memory is shared */
	uv_timer_t timer;
	int handles; /* not yet closed */

	/* Until MEET_OPEN: the owner of the connection is to be told there. */
	struct socket_listener *listener; /* NULL on the side that connects */
	struct socket_guest guest;        /* of the listener */
	transport_connected_cb cb;
	void *cb_data;
};

/* The part of a meeting that differs between transports. Functions return 0 or a negative errno. */
struct meet_kind {
	const struct transport *transport;
	size_t size;           /* bytes of its connection */
	char magic[8];         /* of the greeting */
	unsigned int nr_words; /* of the greeting, 32 bits each */
	/* Reasons of a failure, half-sentences for people. */
	const char *late, *other_transport, *wrong_descriptors;

	/* Fills a new connection, which is zero but for its struct meet_conn. */
	void (*init)(struct meet_conn *conn);
	/* The side that connects: makes the memory and the words of the greeting. Returns the
	 * memory's descriptor or a negative errno. */
	int (*make)(struct meet_conn *conn, uint32_t words[static MEET_WORDS]);
	/* lfpd: checks the words of the greeting before the descriptors. May be NULL. */
	int (*check)(struct meet_conn *conn, const uint32_t words[static MEET_WORDS],
		     const char **why);
	/* lfpd: maps the memory @memfd, which stays the caller's. */
	int (*take)(struct meet_conn *conn, int memfd, const uint32_t words[static MEET_WORDS],
		    const char **why);
	/* lfpd: fills the words of its answer. NULL: they are 0. */
	void (*answer)(const struct meet_conn *conn, uint32_t words[static MEET_WORDS]);
	/* The side that connects: looks at the words of the answer. May be NULL. */
	int (*agree)(struct meet_conn *conn, const uint32_t words[static MEET_WORDS]);
	/* Memory is shared, and the handles are about to start. May be NULL. */
	void (*begin)(struct meet_conn *conn);
	/* The greeting is over on this side. */
	int (*met)(struct meet_conn *conn);
	/* The peer has gone. May be NULL. */
	void (*on_gone)(struct meet_conn *conn);
	void (*before)(struct turn_hook *hook); /* data is the connection, also below */
	void (*after)(struct turn_hook *hook);
	/* Frees all that init(), make() and take() have taken. */
	void (*drop)(struct meet_conn *conn);
};

/* As listen(), stop() and connect() of struct transport. */
int meet_listen(uv_loop_t *loop, const struct transport_where *where, const struct meet_kind *kind,
		struct transport_listener **out);
void meet_stop(struct transport_listener *listener);
int meet_connect(uv_loop_t *loop, const struct transport_where *where, const struct meet_kind *kind,
		 transport_connected_cb cb, void *data);

/* The steps of meet_connect(): makes a connection in MEET_GREETING on socket @fd, which is closed
 * on failure; makes the memory and the bells and offers them. 0 or a negative errno. */
int meet_create(uv_loop_t *loop, int fd, const struct transport_where *where,
		const struct meet_kind *kind, struct meet_conn **out);
int meet_offer(struct meet_conn *conn);

/* The memory is shared: starts the handles. 0 or a negative errno. */
int meet_begin(struct meet_conn *conn);

/* Sends lfpd's greeting. 0 or a negative errno. */
int meet_answer(const struct meet_conn *conn);

/* Both sides agree: gives the connection to its owner. */
void meet_done(struct meet_conn *conn);

/* Ends a connection without an owner; @why is for people, NULL if nothing is to be said. */
void meet_fail(struct meet_conn *conn, int error, const char *why);

/* Ends a connection in any state; on_closed follows if it has an owner. */
void meet_close(struct meet_conn *conn);

/* bell.c: rings the peer's eventfd. It does not block: if it is full the peer has something to
 * read. */
void bell_ring(int peer_bell, struct transport_conn *conn);

/* The socket of the greeting is readable, or has @status of uv_poll. Returns true at its end, at an
 * error, and at a message, which is not allowed any more. */
bool bell_peer_is_gone(int fd, int status);

#endif
