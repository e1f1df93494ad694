/* SPDX-License-Identifier: Apache-2.0 */
/* guarding.h - a supervisor that guards the connections which it makes for a program */
#ifndef TESTS_IJBLFP_GUARDING_H
#define TESTS_IJBLFP_GUARDING_H

#include <sys/types.h>

#include "host.h"

/* A process that does nothing. This process makes calls for it. */
extern pid_t guarding_program;

/* For cmocka: starts that process and a host. */
int guarding_set_up(void **state);
int guarding_tear_down(void **state);

/* The connection of the guard's messages. */
int guarding_open(struct host *host);

/* Returns the descriptor that came with the next message, or -1. The message's `what` is 0 if there
 * is none. */
int guarding_next(int conn, struct lfp_ctl_guard *message);

/* Waits for this message. Returns the far end that comes with ADD, or -1. */
int guarding_expect(struct host *host, int conn, uint32_t what, uint64_t id);

/* Checks that there is no message and that none arrives. */
void guarding_silence(struct host *host, int conn);

/* Makes a connection of the program. Returns the near end. */
int guarding_connection(struct host *host, uint64_t *id);

#endif
