/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - files of lines whose cells have tabs between them */
#ifndef FIGURES_LINES_H
#define FIGURES_LINES_H

#include <stddef.h>
#include <stdio.h>

enum { LINES_ERROR = 256 };

/* Reads all of @file, whose name for messages is @name. The caller frees *@text in each case.
 * Return: 0; -EINVAL for a control character, as text from outside must not drive a terminal;
 * another negative errno, such as -EFBIG behind 4 MB. @error is filled. */
int lines_read(FILE *file, const char *name, char **text, char error[LINES_ERROR]);

/* Returns how many lines @text has at most. */
size_t lines_count(const char *text);

/* Cuts the next line off *@text. Returns NULL behind the last one. */
char *lines_next(char **text);

/* Cuts @line at its tabs. Returns how many cells there are; @cell gets the first @max of them. */
unsigned int lines_cut(char *line, const char **cell, unsigned int max);

#endif
