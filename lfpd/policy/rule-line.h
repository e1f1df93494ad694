/* SPDX-License-Identifier: Apache-2.0 */
/* rule-line.h - reads a line of POLICY_FILE that has a rule */
#ifndef LFPD_POLICY_RULE_LINE_H
#define LFPD_POLICY_RULE_LINE_H

#include <stdbool.h>

#include "lfpd/policy/rule-words.h"

/* Reads what follows "allow", "deny" or "ask-upstream NAME", and adds the rule. @upstream: of
 * "ask-upstream", or NULL. Returns 0, -EINVAL or -ENOMEM, with the error described. */
int rule_line_read(struct rule_words *words, bool allow, struct upstream *upstream);

#endif
