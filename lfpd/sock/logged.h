/* SPDX-License-Identifier: Apache-2.0 */
/* logged.h - what the log of connections says about sockets */
#ifndef LFPD_SOCK_LOGGED_H
#define LFPD_SOCK_LOGGED_H

#include <stddef.h>
#include <sys/socket.h>

#include "lfpd/log/log.h"

struct socket;

/*
 * A connection's facts, kept from its begin to its end: by then its task may have ended, and its
 * address may have another name. A datagram socket has them from its first bind(), connect() or
 * send on. Without CONNECTION_LOG, and without memory, a socket has none.
 */
struct logged;

/* connect() to @to was checked, and begins. */
void logged_attempt(struct socket *sock, const struct lfp_addr *to);

/* connect() has ended with @error, a positive errno or 0. */
void logged_connect(struct socket *sock, int error);

/* @asked: the address of the call; @error: a positive errno or 0 */
void logged_bind(struct socket *sock, const struct lfp_addr *asked, int error);
void logged_listen(struct socket *sock, int error);

/* @sock was accepted. */
void logged_accept(struct socket *sock, const struct lfp_addr *peer, const struct lfp_addr *local);

/* A datagram was sent to @to, or refused. One after the other to the same address are one record.
 */
void logged_send(struct socket *sock, const struct lfp_addr *to, int error);

/* Another task has taken the socket. */
void logged_taken(struct socket *sock);

/* The rules were asked about a question of the program to a name server. @rc: 0, -ENOENT: no such
 * name for the program, or another negative errno */
void logged_query(struct socket *sock, const char *name, int rc);

/* Bytes of a datagram that was sent or received. */
void logged_count(struct socket *sock, size_t out, size_t in);

/* The socket goes on from the saved state of another lfpd. */
void logged_resume(struct socket *sock);

#endif
