/* SPDX-License-Identifier: Apache-2.0 */
/* transition.c - tables of which state may follow which, and the check before each change */
#include "lfp/transition.h"

#include <stdio.h>

#include "lfp/log.h"

static void (*reporter)(const char *text);

void lfp_transition_set_reporter(void (*report)(const char *text))
{
	reporter = report;
}

bool lfp_transition_is_allowed(const struct lfp_transitions *table, unsigned int from,
			       unsigned int to)
{
	if (from >= table->nr || to >= table->nr)
		return false;
	return (table->may_repeat && from == to) || (table->states[from].next & LFP_NEXT(to));
}

static const char *name(const struct lfp_transitions *table, unsigned int state)
{
	return state < table->nr ? table->states[state].name : "unknown";
}

static void report(const struct lfp_transitions *table, unsigned int from, unsigned int to)
{
	char text[128];

	(void)snprintf(text, sizeof(text), "%s: %s cannot follow %s", table->what, name(table, to),
		       name(table, from));
	if (reporter)
		reporter(text);
	else
		lfp_debug("%s", text);
}

unsigned int lfp_transition(const struct lfp_transitions *table, unsigned int from, unsigned int to)
{
	if (!lfp_transition_is_allowed(table, from, to))
		report(table, from, to);
	return to;
}
