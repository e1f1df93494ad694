/* SPDX-License-Identifier: Apache-2.0 */
/* rule-limit.c - "limit" in a rule: what one task, or one user, may have of it */
#include "lfpd/policy/rule-limit.h"

#include <errno.h>

#include "lfp/number.h"
#include "lfpd/base/bucket.h"

#define CONNECTIONS_MAX 1000000u

static int read_connections(struct rule_words *words, bool has_tcp, struct rule_limit *limit)
{
	const char *value = rule_words_peek(words);
	unsigned long number;

	if (limit->connections)
		return rule_words_fail(words, "\"connections\" twice");
	if (!has_tcp)
		return rule_words_fail(words, "\"limit connections\" belongs to tcp");
	if (!value || lfp_number(value, 1, CONNECTIONS_MAX, &number))
		return rule_words_fail(
			words, "\"limit connections\" takes a number from 1 to %u, not \"%s\"",
			CONNECTIONS_MAX, value ? value : "");
	words->at++;
	limit->connections = (uint32_t)number;
	return 0;
}

static int read_rate(struct rule_words *words, struct rule_limit *limit)
{
	const char *value = rule_words_peek(words);
	unsigned long rate;

	if (limit->rate)
		return rule_words_fail(words, "\"rate\" twice");
	if (!value || lfp_size(value, 1, BUCKET_RATE_MAX, &rate))
		return rule_words_fail(
			words,
			"\"limit rate\" takes bytes a second, such as 500K or 2M, not \"%s\"",
			value ? value : "");
	words->at++;
	limit->rate = rate;
	return 0;
}

int rule_limit_read(struct rule_words *words, bool has_tcp, struct rule_limit *limit)
{
	int rc = 0;

	for (;;) {
		if (rule_words_take(words, "connections"))
			rc = read_connections(words, has_tcp, limit);
		else if (rule_words_take(words, "rate"))
			rc = read_rate(words, limit);
		else
			break;
		if (rc)
			return rc;
	}
	if (!rule_limit_is_set(limit))
		return rule_words_fail(words, "\"limit\" takes connections and rate, not \"%s\"",
				       rule_words_peek(words) ? rule_words_peek(words) : "");
	if (!rule_words_take(words, "per"))
		return 0;
	limit->of_user = rule_words_take(words, "user");
	if (!limit->of_user && !rule_words_take(words, "task"))
		return rule_words_fail(words, "\"per\" takes task or user, not \"%s\"",
				       rule_words_peek(words) ? rule_words_peek(words) : "");
	return 0;
}
