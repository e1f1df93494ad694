/* SPDX-License-Identifier: Apache-2.0 */
/* known.h - addresses of connections and listeners, as the instance has reported them */
#ifndef VSESOCK_KNOWN_H
#define VSESOCK_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp/frame.h"

/*
 * Theory of operation
 *
 * A near end serves for one connection, whose addresses do not change before its end. So this table
 * remembers them by the near end's cookie (SO_COOKIE). The kernel never gives a cookie twice, and
 * no program can choose one (net/core/sock_diag.c, __sock_gen_cookie()). So an entry is right for
 * every descriptor of the socket, whatever has happened to the numbers, in this process and in one
 * that has copied its memory. The table believes only the instance: its answers on the control
 * channel, and the records of near ends that the instance has made listeners.
 *
 * The table is small. The instance is asked once more about a forgotten connection. Entries need no
 * lock. A writer that is interrupted for good leaves its entry unused.
 */

/* The addresses of a connection. */
struct known_names {
	struct lfp_addr local, peer;
};

/* Returns the cookie of a socket, or 0 if the kernel or the program's filter does not tell. */
uint64_t known_cookie(int fd);

/* Remembers a connection. */
void known_put(uint64_t cookie, const struct known_names *names);

/* Returns true and sets @names if the connection is known. */
bool known_get(uint64_t cookie, struct known_names *names);

/* Forgets a connection, because bind() gives another local address to a socket whose connection is
 * over. */
void known_forget(uint64_t cookie);

/* The same for a near end that the instance has made a listener. */
void known_put_listener(uint64_t cookie);
bool known_is_listener(uint64_t cookie);

#endif
