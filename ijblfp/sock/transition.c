/* SPDX-License-Identifier: Apache-2.0 */
/* transition.c - which changes of a socket's states are allowed */
#include "ijblfp/sock/transition.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef LFP_ASSERT_STATES
transition_reporter *transition_report = transition_abort;
#else
transition_reporter *transition_report;
#endif

bool transition_is_allowed(const struct transitions *table, unsigned int from, unsigned int to)
{
	return from < table->nr && to < table->nr && (table->to[from] & TO(to));
}

void transition_check(const struct transitions *table, unsigned int from, unsigned int to)
{
	if (transition_report && !transition_is_allowed(table, from, to))
		transition_report(table->name, from, to);
}

void transition_abort(const char *name, unsigned int from, unsigned int to)
{
	fprintf(stderr, "%s: %u must not become %u\n", name, from, to);
	abort();
}
