/* SPDX-License-Identifier: Apache-2.0 */
/* parking.h - parked connections of a program */
#ifndef TESTS_IJBLFP_PARKING_H
#define TESTS_IJBLFP_PARKING_H

#include "host.h"

/* Parks a connection of this process. */
int park(struct host *host);

/* Begins a call through a parked connection. Returns the connection for call_wait(). */
int hand(int parked, int op, int fd);

/* Sends a request whose answer comes on the parked connection. */
void ask_directly(int parked, int op, unsigned int flags, int fd);

/* Waits until the instance has closed its end. */
void expect_end(struct host *host, int conn);

#endif
