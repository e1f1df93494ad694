/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.h - words on lines of a width: no word is ever cut, so an address is whole or begins a line
 */
#ifndef LFPD_ADMIN_WRAP_H
#define LFPD_ADMIN_WRAP_H

#include <stddef.h>
#include <stdio.h>

#include "lfpd-admin/rows.h"

struct wrap {
	FILE *out;
	size_t width, used; /* columns */
};

/* Ends the line. */
void wrap_line(struct wrap *wrap);

/* Writes a word, which is made safe for a terminal; nothing for "". */
void wrap_word(struct wrap *wrap, const char *word);

/* Writes @before, @word and @behind, or nothing if @word is "". */
void wrap_words(struct wrap *wrap, const char *before, const char *word, const char *behind);

/* Writes all columns of a row that have a value, with their titles. "[ADDRESS]:PORT" that is wider
 * than a line has its port behind it. */
void wrap_row(struct wrap *wrap, const struct rows *rows, size_t row);

#endif
