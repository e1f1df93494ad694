/* SPDX-License-Identifier: Apache-2.0 */
/* joining.h - a connection between two sockets of one instance, whose path is open */
#ifndef TESTS_LFPD_JOINING_H
#define TESTS_LFPD_JOINING_H

#include "tests/lfpd/one-path.h"

enum { LISTENER = 1, CLIENT = 2 };

/* LISTENER listens, and CLIENT is connected to it at @ip. Returns the listener's address. */
struct lfp_addr joining_connect(unsigned int family, const char *ip);

/* Accepts one connection. Returns the socket's id. */
uint64_t joining_accept(void);

/* Does both, and checks that the ends are joined. Returns the id of the accepted socket. */
uint64_t joining_make(void);

/* Returns a socket of the session. */
struct socket *joining_socket(uint64_t id);

#endif
