/* SPDX-License-Identifier: Apache-2.0 */
/* key-server.h - a key server, which gives two ends the same key
 *
 * Theory of operation
 *
 * One thread, and no call that blocks: a turn waits for any of its sockets and does what can be
 * done on each. A connection is in its handshake, or awaits requests, or its answer is on the way;
 * it may ask several times, for its own keys, by the identity that TLS has authenticated (tls.h).
 * Each has a deadline, which only a complete request extends, so that a slow, silent or stalled
 * connection is closed; when all places or descriptors are taken, a new connection gets the place
 * of the one whose deadline is the nearest.
 */
#ifndef DEVEMU_FCES_KEY_SERVER_H
#define DEVEMU_FCES_KEY_SERVER_H

#include "devemu/fces/key-store.h"

enum {
	KEY_SERVER_PLACES = 128,
	KEY_SERVER_PATIENCE = 10000, /* ms */
};

enum key_server_event {
	KEY_SERVED,  /* @peer: for which other end */
	KEY_REFUSED, /* a request; @why says what for */
	KEY_CLOSED,  /* a connection that was slow or violated the protocol; @why */
};

struct key_server;

/* @keys outlives the server. @listener is its from now on, -1: none (key_server_adopt()).
 * @patience in ms, 0: KEY_SERVER_PATIENCE. NULL with errno ENOMEM. */
struct key_server *key_server_create(const struct key_file *keys, int listener, int patience);
void key_server_destroy(struct key_server *server);

/* Sets the receiver of events. @name is "" until the client is authenticated. */
void key_server_watch(struct key_server *server,
		      void (*on_event)(void *context, enum key_server_event event, const char *name,
				       const char *peer, const char *why),
		      void *context);

/* One more connection; @fd is the server's from now on. 0, or -ENOMEM and @fd is closed. */
int key_server_adopt(struct key_server *server, int fd);

/**
 * key_server_turn() - wait for events and handle them
 * @timeout:	ms at most; -1: until something happens
 * @wake:	a descriptor that ends the waiting when it can be read, or -1
 *
 * Return: 1 if @wake can be read, else 0; a negative errno if it cannot go on.
 */
int key_server_turn(struct key_server *server, int timeout, int wake);

/* key_store_renew() */
int key_server_renew(struct key_server *server);

/* Number of connections. */
unsigned int key_server_connections(const struct key_server *server);

#endif
