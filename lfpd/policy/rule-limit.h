/* SPDX-License-Identifier: Apache-2.0 */
/* rule-limit.h - "limit" in a rule: what one task, or one user, may have of it */
#ifndef LFPD_POLICY_RULE_LIMIT_H
#define LFPD_POLICY_RULE_LIMIT_H

#include <stdbool.h>

#include "lfpd/policy/rule-words.h"
#include "lfpd/policy/rule.h"

/* Reads what follows the word "limit". @has_tcp: the rule is also about TCP. Returns 0 or -EINVAL
 * with the error described. */
int rule_limit_read(struct rule_words *words, bool has_tcp, struct rule_limit *limit);

#endif
