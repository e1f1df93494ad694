/* SPDX-License-Identifier: Apache-2.0 */
/* held.h - a program that waits in a trap, for tests of traps */
#ifndef TESTS_LFP_RUN_HELD_H
#define TESTS_LFP_RUN_HELD_H

#include <sys/types.h>

#include "lfp-run/trap.h"

/* A separate program that calls getppid() and gets no answer. */
struct held {
	pid_t pid;
	struct trap trap;
};

/* Start it: a fixture of a group of tests, *@state is the struct held. Skips the tests if the
 * kernel does not permit this. */
int held_setup(void **state);
int held_teardown(void **state);

/* End it: its trap is not valid any more. */
void held_kill(struct held *held);

/* Its trap as if thread @tid had called. */
struct trap held_as(const struct held *held, pid_t tid);

#endif
