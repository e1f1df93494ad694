/* SPDX-License-Identifier: Apache-2.0 */
/* datagram-names.h - names that a program looks up on a datagram socket of its own */
#ifndef LFPD_SOCK_DATAGRAM_NAMES_H
#define LFPD_SOCK_DATAGRAM_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "lfp/datagram.h"
#include "lfpd/sock/host-socket.h"

struct datagrams;

/*
 * Theory of operation
 *
 * Rules about names hold for programs that do not use the C library's look-ups, too. While there
 * are rules, lfpd reads the datagrams to the name servers of the host. A query that the rules
 * refuse is not sent: lfpd answers it itself, NXDOMAIN, as a program that got an error from send()
 * would try again or wait. Other queries are noted with their server. An answer teaches lfpd
 * addresses only if it comes from that server, with the id and the question of a noted query.
 */

/**
 * datagram_names_ask() - look at a datagram that is about to be sent
 * @to:		the destination, or NULL for the peer
 *
 * Return: 0 to send it, 1 if it is answered, or the negative errno of a refusal.
 */
int datagram_names_ask(struct socket *sock, const struct sockaddr_storage *to,
		       const struct lfp_meta *meta, const uint8_t *data, size_t len);

/* Learns from a received datagram, if it answers a noted query. */
void datagram_names_learn(struct socket *sock, const struct lfp_addr *from, const uint8_t *data,
			  size_t len);

/* Returns true if an answer of lfpd waits for datagram_names_take(). */
bool datagram_names_answered(const struct datagrams *dg);

/* Moves the first answer to @buf. Returns its length, or -EAGAIN if there is none. */
ssize_t datagram_names_take(struct datagrams *dg, uint8_t *buf, size_t size, struct lfp_meta *meta);

void datagram_names_finish(struct datagrams *dg);

#endif
