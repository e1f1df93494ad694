/* SPDX-License-Identifier: Apache-2.0 */
/* cards.h - the lines of a job stream, as a card reader gives them */
#ifndef VSEJOB_CARDS_H
#define VSEJOB_CARDS_H

#include <stdbool.h>
#include <stdio.h>

#include "lfp/reader.h"

/*
 * A line of a job stream has at most 80 columns. In a statement of job control column 72 that is
 * not blank says that the next line goes on with it, from its first column that is not blank
 * (z/VSE: column 16), and columns 73 to 80 do not count. In data every column counts, and a line
 * may have up to CARD_MAX.
 */
#define CARD_MAX      255u
#define STATEMENT_MAX 1024u /* of a statement with what continues it, with the NUL */

struct cards {
	FILE *in;
	const char *name; /* for messages */
	int line;         /* of the card that was read last */
	bool held;        /* card_put_back() was called */
	char text[CARD_MAX + 1];
	struct lfp_reader_error err;
};

void cards_init(struct cards *cards, FILE *in, const char *name);

/* Note what is wrong with the card that was read last. Returns -EINVAL. */
int cards_fail(struct cards *cards, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The next card into cards->text, without its end. 1, 0 at the end, or a negative errno. */
int card_read(struct cards *cards);

/* The card is given once more by the next card_read(). */
void card_put_back(struct cards *cards);

/* Is the card one of job control, so that it cannot be data where data begins? */
bool card_is_control(const char *text);

/**
 * card_join() - the statement that begins with the card that was read last
 * @text:	set to it, without what continues it being visible
 * @line:	set to the line where it begins
 *
 * Return: 0 or -EINVAL.
 */
int card_join(struct cards *cards, char text[static STATEMENT_MAX], int *line);

#endif
