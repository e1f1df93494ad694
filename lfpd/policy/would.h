/* SPDX-License-Identifier: Apache-2.0 */
/* would.h - what the configuration would decide about a call, for a person */
#ifndef LFPD_POLICY_WOULD_H
#define LFPD_POLICY_WOULD_H

#include <stdbool.h>
#include <stdio.h>

struct policy;
struct rules;

/* What is asked. */
struct would {
	const struct rules *rules;   /* NULL: there are none */
	bool ports_of_root;          /* PRIVILEGED_PORTS = root */
	const struct policy *policy; /* RESTRICT_TO_HOSTID; NULL: no */
};

/**
 * would_ask() - print the verdict about one call, with the lines that decide
 * @words:	the call, in the words of a rule without its action, up to NULL:
 *		connect tcp www.example.org:443 user backup
 *
 * A name is looked up now. "at ADDRESS" as the last words replaces that.
 *
 * Return: an exit code: LFP_EXIT_OK if the call is allowed, LFP_EXIT_FAILURE if it is refused, or
 * LFP_EXIT_USAGE after a message.
 */
int would_ask(const struct would *would, char **words, FILE *out);

#endif
