/* SPDX-License-Identifier: Apache-2.0 */
/* rule-words.c - the words of the line of POLICY_FILE that is being read */
#include "lfpd/policy/rule-words.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

int rule_words_fail(const struct rule_words *words, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	lfp_reader_fail(words->err, words->path, (int)words->line, "", fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int rule_words_memory(const struct rule_words *words, int rc)
{
	if (rc == -ENOMEM)
		rule_words_fail(words, "not enough memory");
	return rc;
}

int rule_words_split(struct rule_words *words, char *text)
{
	char *save = NULL;

	words->nr = words->at = 0;
	for (char *word = strtok_r(text, " \t\r", &save); word;
	     word = strtok_r(NULL, " \t\r", &save)) {
		if (words->nr == RULE_WORDS_MAX)
			return rule_words_fail(words, "\"%s\" is not expected here", word);
		words->list[words->nr++] = word;
	}
	return 0;
}

const char *rule_words_peek(const struct rule_words *words)
{
	return words->at < words->nr ? words->list[words->at] : NULL;
}

bool rule_words_take(struct rule_words *words, const char *word)
{
	const char *next = rule_words_peek(words);

	if (!next || strcmp(next, word))
		return false;
	words->at++;
	return true;
}

struct upstream *rule_words_upstream(struct rule_words *words)
{
	const char *name = rule_words_peek(words);
	struct upstream *upstream;

	if (!name) {
		rule_words_fail(words, "no name after \"ask-upstream\"");
		return NULL;
	}
	words->at++;
	upstream = rules_find_upstream(words->rules, name);
	if (!upstream)
		rule_words_fail(words, "no line \"upstream %s\" stands before this one", name);
	return upstream;
}
