/* SPDX-License-Identifier: Apache-2.0 */
/* known.h - what the instance has said about near ends: addresses of connections, listeners */
#ifndef VSESOCK_KNOWN_H
#define VSESOCK_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "lfp/frame.h"

/*
 * Theory of operation
 *
 * A near end serves for one connection, whose addresses do not change. So they are remembered by
 * the near end's cookie (SO_COOKIE). The kernel never gives a cookie twice and no program can
 * choose it, so what is remembered is right for every descriptor of the socket, in this process and
 * in one that has copied its memory, whatever has happened to the numbers. Only the instance's own
 * words are remembered: its answers on the control channel, and the records of near ends that the
 * instance has said to be listeners.
 *
 * The table is small and forgets: then the instance is asked once more. Entries need no lock. A
 * writer that is interrupted for good leaves its entry unused.
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

/* The same for a near end that the instance has made a listener. */
void known_put_listener(uint64_t cookie);
bool known_is_listener(uint64_t cookie);

#endif
