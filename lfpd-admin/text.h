/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - text from outside, made safe for a terminal */
#ifndef LFPD_ADMIN_TEXT_H
#define LFPD_ADMIN_TEXT_H

#include <stddef.h>
#include <stdio.h>

/*
 * Programs and daemons choose these texts. Each character that the terminal does not show in one or
 * two columns becomes "?": control characters, characters without a width (combining ones, those
 * that change the direction), and bytes that are no character of the locale.
 */

enum text_side { TEXT_LEFT, TEXT_RIGHT };

/* Returns the columns that @text takes. */
size_t text_width(const char *text);

/* Makes @text itself safe, in its place. */
void text_clean(char *text);

/* Writes all of @text. */
void text_put(const char *text, FILE *out);

/* Writes @text into a field of exactly @width columns, at its @side. A longer text loses its other
 * side, where a mark stands instead: "<" at the left, ">" at the right. */
void text_fit(const char *text, size_t width, enum text_side side, FILE *out);

/* Writes the columns from @from to before @to. */
void text_columns(const char *text, size_t from, size_t to, FILE *out);

/* Writes the columns from @from, at most @width of them, with marks where more of @text is. */
void text_part(const char *text, size_t from, size_t width, FILE *out);

#endif
