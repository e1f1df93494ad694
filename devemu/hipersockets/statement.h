/* SPDX-License-Identifier: Apache-2.0 */
/* statement.h - statements in free form: words on any line, until a word that begins the next one
 */
#ifndef DEVEMU_HIPERSOCKETS_STATEMENT_H
#define DEVEMU_HIPERSOCKETS_STATEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "devemu/hipersockets/words.h"

enum { STATEMENT_NAME = 17 };

struct statement_reader {
	struct words words;
	const char *const *keywords; /* that begin a statement; ends with NULL */
	void *data;                  /* the caller's */
	struct word word;            /* the next one outside of comments */
	int kind;                    /* of it: WORD_PLAIN or WORD_END */
	uint32_t comment;            /* the last address in the comments just before it */
	unsigned int comments;       /* addresses there */
};

/* All functions return 0, or -EINVAL or -EIO with the reader's error filled; @wanted is a noun
 * phrase for it. */

/* Moves on to the next word. */
int statement_advance(struct statement_reader *reader);

/* The next word is not what is wanted. */
int statement_fail(const struct statement_reader *reader, const char *wanted);

/* Whether the next word begins a statement, or the file has ended. */
bool statement_ended(const struct statement_reader *reader);

/* Take the next word, which has to belong to this statement. @at may be NULL. Names are 1 to 16
 * letters, digits and $ # @ _ -, and come in capitals. */
int statement_word(struct statement_reader *reader, const char *wanted, struct word *word);
int statement_name(struct statement_reader *reader, const char *wanted, char name[STATEMENT_NAME],
		   struct word_place *at);
int statement_number(struct statement_reader *reader, const char *wanted, unsigned long min,
		     unsigned long max, unsigned int *number);
int statement_address(struct statement_reader *reader, const char *wanted, uint32_t *address,
		      struct word_place *at);

/* Takes the next word if it is @keyword (word_is()). Returns 1, 0 if it is another one, or an
 * error. */
int statement_keyword(struct statement_reader *reader, const char *keyword);

#endif
