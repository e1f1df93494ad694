/* SPDX-License-Identifier: Apache-2.0 */
/* statement.c - statements in free form */
#include "devemu/hipersockets/statement.h"

#include <ctype.h>
#include <string.h>

#include "devemu/hipersockets/address.h"
#include "lfp/number.h"

int statement_advance(struct statement_reader *reader)
{
	uint32_t address;

	reader->comments = 0;
	for (;;) {
		reader->kind = words_next(&reader->words, &reader->word);
		if (reader->kind != WORD_LINE_END && reader->kind != WORD_COMMENT)
			return reader->kind < 0 ? reader->kind : 0;
		if (reader->kind == WORD_COMMENT &&
		    address_read(reader->word.text, &address) == 0) {
			reader->comment = address;
			reader->comments++;
		}
	}
}

int statement_fail(const struct statement_reader *reader, const char *wanted)
{
	if (reader->kind == WORD_END)
		return words_fail(&reader->words, &reader->word.at,
				  "the file ends where %s is needed", wanted);
	return words_fail(&reader->words, &reader->word.at, "'%s' is not %s", reader->word.text,
			  wanted);
}

bool statement_ended(const struct statement_reader *reader)
{
	if (reader->kind == WORD_END)
		return true;
	for (const char *const *keyword = reader->keywords; *keyword; keyword++)
		if (word_is(reader->word.text, *keyword))
			return true;
	return false;
}

int statement_word(struct statement_reader *reader, const char *wanted, struct word *word)
{
	if (statement_ended(reader))
		return statement_fail(reader, wanted);
	*word = reader->word;
	return statement_advance(reader);
}

int statement_name(struct statement_reader *reader, const char *wanted, char name[STATEMENT_NAME],
		   struct word_place *at)
{
	struct word word;
	int rc = statement_word(reader, wanted, &word);

	if (rc < 0)
		return rc;
	if (at)
		*at = word.at;
	if (strlen(word.text) >= STATEMENT_NAME)
		return words_fail(&reader->words, &word.at, "'%s' is longer than %d characters",
				  word.text, STATEMENT_NAME - 1);
	for (size_t i = 0; word.text[i]; i++) {
		if (!isalnum((unsigned char)word.text[i]) && !strchr("$#@_-", word.text[i]))
			return words_fail(&reader->words, &word.at, "'%s' is not %s", word.text,
					  wanted);
		name[i] = (char)toupper((unsigned char)word.text[i]);
		name[i + 1] = '\0';
	}
	return 0;
}

int statement_number(struct statement_reader *reader, const char *wanted, unsigned long min,
		     unsigned long max, unsigned int *number)
{
	struct word word;
	unsigned long value;
	int rc = statement_word(reader, wanted, &word);

	if (rc < 0)
		return rc;
	if (lfp_number(word.text, min, max, &value) < 0)
		return words_fail(&reader->words, &word.at, "'%s' is not %s from %lu to %lu",
				  word.text, wanted, min, max);
	*number = (unsigned int)value;
	return 0;
}

int statement_address(struct statement_reader *reader, const char *wanted, uint32_t *address,
		      struct word_place *at)
{
	struct word word;
	int rc = statement_word(reader, wanted, &word);

	if (rc < 0)
		return rc;
	if (at)
		*at = word.at;
	if (address_read(word.text, address) < 0)
		return words_fail(&reader->words, &word.at, "'%s' is not %s", word.text, wanted);
	return 0;
}

int statement_keyword(struct statement_reader *reader, const char *keyword)
{
	int rc;

	if (reader->kind == WORD_END || !word_is(reader->word.text, keyword))
		return 0;
	rc = statement_advance(reader);
	return rc < 0 ? rc : 1;
}
