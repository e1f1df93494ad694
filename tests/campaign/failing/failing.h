/* SPDX-License-Identifier: Apache-2.0 */
/* failing.h - lets the n-th system call of a kind fail in a process */
#ifndef TESTS_CAMPAIGN_FAILING_FAILING_H
#define TESTS_CAMPAIGN_FAILING_FAILING_H

#include <stdbool.h>
#include <sys/types.h>

#include "tests/campaign/inside/inside.h"

enum { CALLS_MAX = INSIDE_END, ERRORS_MAX = 8 };

/* errors.c: the calls of the daemons, the supervisor and the shim that may fail, and how. */
struct failing_call {
	const char *name;
	long nr;
	int errors[ERRORS_MAX]; /* up to 0 */
};
extern const struct failing_call failing_calls[];

/* Returns true if no connection and no path may end because of this failure. */
bool failure_is_passing(const struct failing_call *call, int error);

const char *failure_name(const struct failing_call *call, int error);

/* tracer.c. Traces in a thread of its own. */

/* Starts the tracer. It counts the calls of all traced processes, or of those that run the file
 * @only. If there is a file INSIDE_PAGE, it counts allocations and looks at the clock, too. */
void tracer_begin(const char *only);

/* Traces a process with all its threads, and its children from then on. */
void tracer_attach(pid_t pid);

/* Counts calls from now on. The @n-th call of number @nr fails with @error; -1: none fails. */
void tracer_order(long nr, int error, unsigned int n);

/* Return the calls, and the failure, since tracer_order(). */
unsigned int tracer_count(long nr);
bool tracer_has_failed(void);
/* The file of the descriptor that was its first argument, or "". */
const char *tracer_file(void);

/* Returns the signal by which a traced process has crashed since the start, or 0. */
int tracer_crash(void);

/* Returns true if the process has ended. */
bool tracer_has_ended(pid_t pid);

#endif
