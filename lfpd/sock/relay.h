/* SPDX-License-Identifier: Apache-2.0 */
/* relay.h - a proxy of SOCKS5 that carries the datagrams of one socket (UDP ASSOCIATE) */
#ifndef LFPD_SOCK_RELAY_H
#define LFPD_SOCK_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lfp/list.h"
#include "lfpd/policy/upstream.h"
#include "lfpd/sock/host-socket.h"

/*
 * Theory of operation
 *
 * An association has two sockets of the host: a connection to the proxy, on which lfpd asks for the
 * association and which ends it, and a socket of UDP, which is connected to the proxy's relay. So
 * the kernel delivers answers of the relay alone, and the program's socket and its options have no
 * part in it. The relay has to be at the proxy's address: else a proxy could make lfpd send to any
 * host. Both sockets count as sockets of the user.
 *
 * An association that has failed stays as it is, so that its owner does not ask again at once. To
 * ask again the owner makes another one.
 */
enum relay_state {
	RELAY_BEGINS, /* Goes to READY, FAILED. */
	RELAY_READY,  /* Goes to FAILED. */
	RELAY_FAILED, /* It has no descriptors any more. */
};

struct relay;

/* The events of all associations: called from the loop. */
struct relay_owner {
	void (*on_change)(struct socket *sock, struct relay *relay); /* of the state */
	void (*on_readable)(struct socket *sock, struct relay *relay);
	void (*on_writable)(struct socket *sock, struct relay *relay); /* after relay_send() */
};

/* Begins an association, which may have failed at once. Returns NULL without memory. */
struct relay *relay_begin(struct socket *sock, struct upstream *upstream,
			  const struct relay_owner *owner);

/* Ends the association, in any state. */
void relay_end(struct relay *relay);

enum relay_state relay_state(const struct relay *relay);
const struct upstream *relay_upstream(const struct relay *relay);

/* Returns the positive errno of RELAY_FAILED. 0: the proxy has ended an association that has
 * served, and the owner may ask again at once. */
int relay_error(const struct relay *relay);

/* Returns true if it has failed long ago, so that the owner may ask again. */
bool relay_is_old(const struct relay *relay);

/* Sends a datagram with its head. Returns 0 or a negative errno; after -EAGAIN on_writable() is
 * called when there is room. */
int relay_send(struct relay *relay, const uint8_t *head, size_t head_len, const uint8_t *data,
	       size_t len);

/* Receives a datagram with its head. Returns its length or a negative errno. */
ssize_t relay_receive(struct relay *relay, uint8_t *buf, size_t size);

/* Calls on_readable() when there is a datagram, or never. */
void relay_watch(struct relay *relay, bool wanted);

/* For the owner's list. */
struct lfp_list *relay_place(struct relay *relay);
struct relay *relay_at(struct lfp_list *place);

#endif
