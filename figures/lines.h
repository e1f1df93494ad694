/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - files of lines whose cells have tabs between them */
#ifndef FIGURES_LINES_H
#define FIGURES_LINES_H

#include <stddef.h>
#include <stdio.h>

/* Reads all of @file. The caller frees *@text in each case. Return: 0 or a negative errno; -EBADMSG
 * for a NUL, -EFBIG behind 4 MB. */
int lines_read(FILE *file, char **text);

/* Returns how many lines @text has at most. */
size_t lines_count(const char *text);

/* Cuts the next line off *@text. Returns NULL behind the last one. */
char *lines_next(char **text);

/* Cuts @line at its tabs. Returns how many cells there are; @cell gets the first @max of them. */
unsigned int lines_cut(char *line, const char **cell, unsigned int max);

#endif
