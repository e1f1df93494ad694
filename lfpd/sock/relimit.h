/* SPDX-License-Identifier: Apache-2.0 */
/* relimit.h - gives sockets the limits of changed rules */
#ifndef LFPD_SOCK_RELIMIT_H
#define LFPD_SOCK_RELIMIT_H

#include "lfpd/sock/host-socket.h"

/* Gives a socket the meter of the rule that decides about it now. */
void relimit(struct socket *sock);

/* The same for all sockets. */
void relimit_all(struct instance *inst);

#endif
