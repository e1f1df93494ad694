/* SPDX-License-Identifier: Apache-2.0 */
/* guarding.h - a supervisor that guards the connections which it makes for a program */
#ifndef TESTS_IJBLFP_GUARDING_H
#define TESTS_IJBLFP_GUARDING_H

#include <sys/types.h>

#include "host.h"

/* A process that does nothing, for which this one calls. */
extern pid_t guarding_program;

/* For cmocka: that process, and a host that has started. */
int guarding_set_up(void **state);
int guarding_tear_down(void **state);

/* The connection of the guard's messages. */
int guarding_open(struct host *host);

/* The next message; its member what is 0 if there is none. Returns a descriptor that came along, or
 * -1. */
int guarding_next(int conn, struct lfp_ctl_guard *message);

/* Wait for this message. Returns the far end that comes with ADD, or -1. */
int guarding_expect(struct host *host, int conn, uint32_t what, uint64_t id);

/* There is no message, and none comes. */
void guarding_silence(struct host *host, int conn);

/* A connection of the program's: the near end. */
int guarding_connection(struct host *host, uint64_t *id);

#endif
