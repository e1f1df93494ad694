/* SPDX-License-Identifier: Apache-2.0 */
/* turns.h - runs the traced threads one at a time, in an order that does not depend on the
 * machine's load */
#ifndef TESTS_COUNTS_TRACER_TURNS_H
#define TESTS_COUNTS_TRACER_TURNS_H

#include <sys/types.h>

/*
 * Runs them until the process @program has ended; returns its exit code, or 128 and its signal. The
 * marks of its group @group limit the windows of tally.h.
 */
int turns_run(pid_t program, int group);

#endif
