/* SPDX-License-Identifier: Apache-2.0 */
/* cards.h - the lines of a job stream, as a card reader gives them */
#ifndef VSEJOB_CARDS_H
#define VSEJOB_CARDS_H

#include <stdbool.h>
#include <stdio.h>

#include "lfp/places.h"
#include "lfp/reader.h"

/*
 * A stream is a file together with the members of libraries that * $$ SLI includes, also within
 * data. VSE/POWER reads these members when it reads the job (SG24-2043, 4.2.1.5: source library
 * inclusion). VSE/POWER does not read procedures: they include nothing, and "/+" ends a procedure.
 *
 * A line of a job stream has at most 80 columns. A character other than a blank in column 72
 * continues a statement of job control or of the assembler on the next line. The continuation
 * begins at the first column that is not blank (z/VSE: column 16). Columns 73 to 80 do not count,
 * and in a continued line the text behind a comma and a blank is a comment. In data every column
 * counts, and a line has at most CARD_MAX bytes.
 */
#define CARD_MAX      255u
#define AHEAD_MAX     (16u * 1024 * 1024) /* bytes of cards that card_data_follows() may keep */
#define SLI_DEPTH     8u                  /* members that include each other */
#define SLI_MAX       1000u               /* members of a stream */
#define STATEMENT_MAX 1024u               /* of a statement with its continuation and the NUL */

/* A file that cards come from: the stream, or a member. */
struct card_file {
	FILE *in;
	const char *name;
	int taken; /* lines so far */
};

struct card_name;

struct cards {
	struct card_file file[SLI_DEPTH + 1]; /* the last one is read */
	size_t nr_files;
	bool is_procedure;
	bool ended;              /* "/+" was read */
	struct card_name *names; /* of members */
	unsigned int nr_names;
	const char *name; /* for messages: the file and line of the card that was read last */
	int line;
	const char *given_name; /* the same; messages may name an earlier line meanwhile */
	int given;
	bool held;   /* card_put_back() was called */
	char *ahead; /* cards that were taken and not yet read: struct card_kept and text */
	size_t ahead_at, ahead_end, ahead_size;
	char text[CARD_MAX + 1];
	struct lfp_reader_error err;
};

void cards_init(struct cards *cards, FILE *in, const char *name);
void cards_init_procedure(struct cards *cards, FILE *in, const char *name);
void cards_finish(struct cards *cards);

/* Notes the error of the card that was read last. Returns -EINVAL. */
int cards_fail(struct cards *cards, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Reads the next card into cards->text, without its line end. Returns 1, 0 at the end of the
 * stream, or a negative errno. */
int card_read(struct cards *cards);

/* Makes the next card_read() return the card once more. */
void card_put_back(struct cards *cards);

/* A place among the cards that were not yet read; { 0 } is before the next one. */
struct card_peek {
	size_t at;    /* bytes behind the first of them, with what is kept with each */
	size_t bytes; /* the same, of texts alone */
};

/* Copies the card at @peek into cards->text, with its name and line for messages, and moves @peek
 * behind it. card_read() will still return the card. Keeps texts of at most @most bytes. Returns 1,
 * 0 at the end of the stream, or a negative errno. */
int card_peek(struct cards *cards, struct card_peek *peek, size_t most);

/* Returns whether the card is a job control statement, which cannot start data. */
bool card_is_control(const char *text);

/**
 * card_data_follows() - do data follow a statement that may have them?
 *
 * A card that begins with an asterisk may be a comment or data. This function reads such cards and
 * the first other card, which decides. A statement, or the end of the stream, makes them comments
 * of job control. A data card, or the end of data, makes them data. card_read() returns all of them
 * afterwards.
 *
 * Return: 1, 0, or a negative errno.
 */
int card_data_follows(struct cards *cards);

/**
 * card_join() - the statement that begins with the card that was read last
 * @text:	set to it, without what continues it being visible
 * @line:	set to the line where it begins
 *
 * Return: 0 or -EINVAL. A card that does not continue the statement is read once more.
 */
int card_join(struct cards *cards, char text[static STATEMENT_MAX], int *line);

#endif
