/* SPDX-License-Identifier: Apache-2.0 */
/* one-path.h - one instance, and one scripted z/VSE side that has a path to it */
#ifndef TESTS_LFPD_ONE_PATH_H
#define TESTS_LFPD_ONE_PATH_H

#include "tests/lfpd/vse.h"

extern struct host host;
extern struct vse vse;

/* For cmocka: a host that can still be configured; and its end. */
int one_path_set_up(void **state);
int one_path_tear_down(void **state);

/* Start as configured so far and open the path. */
void one_path_start(void);

/* Returns a socket of the session, which must have it. */
struct socket *get_socket(uint64_t id);

/* SOCKET, CONNECT and CONNECTED; returns the other end. */
int connect_socket(uint64_t id);

/* The same with little room in the kernel, at either end: what is sent waits in lfpd. */
int connect_narrow_socket(uint64_t id);

#endif
