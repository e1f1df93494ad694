/* SPDX-License-Identifier: Apache-2.0 */
/* gate.h - holds the first bytes of a connection until the rules know its server */
#ifndef LFPD_SOCK_GATE_H
#define LFPD_SOCK_GATE_H

#include "lfpd/policy/rules.h"
#include "lfpd/sock/host-socket.h"

/*
 * Theory of operation
 *
 * Two names may have one address. A rule with "sni" or "host" therefore allows only the connection,
 * and stream.gated is set. stream-out.c then queues what the program sends, and sends nothing. The
 * gate reads the name of the server in these bytes, and asks the rules about this name alone. If
 * they allow it the bytes go out; otherwise the connection is lost, and its peer has got no byte.
 */

/* The server that the client of a connection has named, which --cut asks about. */
struct gate_server {
	enum rules_naming naming; /* how */
	bool is_encrypted;        /* it may have named another one, unseen */
	char name[];              /* as rules_name() writes it */
};

/* Makes @question, about a connection, that about its server, if it has named one. */
void gate_ask_again(const struct socket *sock, struct rules_question *question);

/* Forgets the server of a connection, if any. */
void gate_forget(struct socket *sock);

/* The queue of a gated connection has grown. Returns 1 if the gate is open from now on, or 0 if it
 * stays closed or the connection is lost; or a negative errno if the queue has lost bytes: then the
 * caller has to end the connection. @is_end: the program sends no more. */
int gate_opens(struct socket *sock, bool is_end);

#endif
