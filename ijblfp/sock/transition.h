/* SPDX-License-Identifier: Apache-2.0 */
/* transition.h - which changes of a socket's states are allowed */
#ifndef IJBLFP_SOCK_TRANSITION_H
#define IJBLFP_SOCK_TRANSITION_H

#include <stdbool.h>

/* Each enum of vsock.h has one writer, whose setter calls transition_check() with a table. */
struct transitions {
	const char *name;
	unsigned int nr;
	unsigned int to[16]; /* by state: the bits of the states that may follow */
};

#define TO(state) (1u << (state))

bool transition_is_allowed(const struct transitions *table, unsigned int from, unsigned int to);

/* Reports a change that @table does not allow. */
void transition_check(const struct transitions *table, unsigned int from, unsigned int to);

/* Called for each change that is not allowed. Unit tests set it, and builds with LFP_ASSERT_STATES
 * (those with sanitizers) begin with a function that aborts. NULL: nothing happens, as in products.
 */
typedef void transition_reporter(const char *name, unsigned int from, unsigned int to);
extern transition_reporter *transition_report;

/* Prints the change and aborts. */
void transition_abort(const char *name, unsigned int from, unsigned int to);

#endif
