/* SPDX-License-Identifier: Apache-2.0 */
/* transition.h - tables of which state may follow which, and the check before each change */
#ifndef LFP_TRANSITION_H
#define LFP_TRANSITION_H

#include <stdbool.h>

#define LFP_STATES_MAX   16
#define LFP_NEXT(number) (1u << (number))

/* The states of one kind, each an enumerator. */
struct lfp_transitions {
	const char *what; /* for people: what is in these states */
	unsigned int nr;  /* of states */
	bool may_repeat;  /* every state may follow itself */
	struct {
		const char *name;  /* for people */
		unsigned int next; /* the LFP_NEXT() of each state that may follow */
	} states[LFP_STATES_MAX];
};

/* Returns whether @to may follow @from. */
bool lfp_transition_is_allowed(const struct lfp_transitions *table, unsigned int from,
			       unsigned int to);

/* Reports a change that @table does not allow, and returns @to. Every change of a state has the
 * form "x = lfp_transition(&table, x, to)"; nothing but the report depends on the table. */
unsigned int lfp_transition(const struct lfp_transitions *table, unsigned int from,
			    unsigned int to);

/* Sets the function that is called with a line for each change that is not allowed; NULL:
 * lfp_debug(), as in products. tests/assert-states.c sets one that aborts. */
void lfp_transition_set_reporter(void (*report)(const char *text));

#endif
