/* SPDX-License-Identifier: Apache-2.0 */
/* asked-again.h - what the present rules say about something that goes on already */
#ifndef LFPD_SOCK_ASKED_AGAIN_H
#define LFPD_SOCK_ASKED_AGAIN_H

#include "lfpd/policy/rules.h"
#include "lfpd/sock/host-socket.h"

/* Asks the rules about a connection or an attempt, a listener or a connection that it has accepted,
 * or a connected socket of datagrams. An address keeps the names that it was found under, however
 * long ago. Returns false if the socket is none of these. Else sets @question, which the rules have
 * answered, and whether they allow it. */
bool asked_again(struct socket *sock, struct rules_question *question, bool *allowed);

#endif
