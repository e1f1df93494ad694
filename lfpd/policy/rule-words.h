/* SPDX-License-Identifier: Apache-2.0 */
/* rule-words.h - the words of the line of POLICY_FILE that is being read */
#ifndef LFPD_POLICY_RULE_WORDS_H
#define LFPD_POLICY_RULE_WORDS_H

#include <stdbool.h>

#include "lfp/reader.h"
#include "lfpd/policy/rule-set.h"

#define RULE_WORDS_MAX 24

/* The text that is being read, as far as its present line. */
struct rule_words {
	struct rules *rules; /* to fill */
	const char *path;
	unsigned int line;
	struct lfp_reader_error *err;
	char *list[RULE_WORDS_MAX + 1];
	int nr, at;
};

/* Describes an error in this line. Returns -EINVAL. */
int rule_words_fail(const struct rule_words *words, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Describes the error if @rc is -ENOMEM. Returns @rc. */
int rule_words_memory(const struct rule_words *words, int rc);

/* Cuts @text into words. Returns 0 or -EINVAL. */
int rule_words_split(struct rule_words *words, char *text);

/* Returns the next word, or NULL. */
const char *rule_words_peek(const struct rule_words *words);

/* Passes over the next word if it is @word. Returns whether it was. */
bool rule_words_take(struct rule_words *words, const char *word);

/* Reads the name of an upstream, which an earlier line has defined. Returns NULL with the error
 * described. */
struct upstream *rule_words_upstream(struct rule_words *words);

#endif
