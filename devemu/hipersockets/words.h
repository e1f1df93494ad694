/* SPDX-License-Identifier: Apache-2.0 */
/* words.h - the words of a text file with their lines and columns */
#ifndef DEVEMU_HIPERSOCKETS_WORDS_H
#define DEVEMU_HIPERSOCKETS_WORDS_H

#include <stdbool.h>
#include <stdio.h>

#include "lfp/reader.h"

enum { WORD_MAX = 128 };

/* Place of a word. Lines and columns count from 1; a tab is one column. @file is the caller's. */
struct word_place {
	const char *file;
	int line, column;
};

struct word {
	struct word_place at;
	char text[WORD_MAX]; /* printable ASCII, not empty */
};

enum word_kind {
	WORD_END,      /* of the file */
	WORD_LINE_END, /* of a line */
	WORD_PLAIN,
	WORD_COMMENT, /* a word within a comment; long ones are cut, other bytes are '?' */
};

struct words {
	FILE *file;
	const char *name;
	struct lfp_reader_error *err;
	char comment; /* begins a comment, at the beginning of a word */
	bool quotes;  /* '...' and "..." hold blanks together and stay in the word */
	/* Of the reader alone */
	int line, column;
	bool in_comment, at_end;
};

void words_begin(struct words *words, const char *name, FILE *file, char comment, bool quotes,
		 struct lfp_reader_error *err);

/* Reads the next word or end. Return: enum word_kind; -EINVAL or -EIO with the error filled. @word
 * has its place in every case, and its text if the kind is a word. */
int words_next(struct words *words, struct word *word);

/* Fills the error with "FILE:LINE:COLUMN: reason". Returns -EINVAL. */
int words_fail(const struct words *words, const struct word_place *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether @text is @keyword, whose capital letters are needed: "BEGINRoutes" may be shortened down
 * to BEGINR. Case does not matter. */
bool word_is(const char *text, const char *keyword);

#endif
