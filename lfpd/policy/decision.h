/* SPDX-License-Identifier: Apache-2.0 */
/* decision.h - why a call of a program was allowed or refused, for the log of connections */
#ifndef LFPD_POLICY_DECISION_H
#define LFPD_POLICY_DECISION_H

#include <stdbool.h>

enum decision_by {
	DECISION_NONE,      /* nothing of lfpd's has refused the call */
	DECISION_RULE,      /* POLICY_FILE */
	DECISION_HOSTID,    /* RESTRICT_TO_HOSTID */
	DECISION_INTERFACE, /* HOST_INTERFACE */
	DECISION_LIMIT,     /* a limit of lfpd, of its user, or of the host */
};

struct decision {
	enum decision_by refused_by;
	unsigned int line; /* of the rule that has decided; 0: none was asked */
	bool by_default;   /* a refusal: no rule matched, and @line is the line "default" */
	/* Line of a rule that allows the name, but not its private address; or 0. */
	unsigned int passed_over;
};

#endif
