/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - files of lines whose cells have tabs between them */
#ifndef FIGURES_LINES_H
#define FIGURES_LINES_H

#include <stddef.h>
#include <stdio.h>

enum { LINES_ERROR = 256 };

/* Reads all of @file, whose name for messages is @name, and makes room for a row of @size bytes for
 * each line, all zero. The caller frees the room, and *@text in each case. Return: the room, or
 * NULL with *@rc and @error: -EINVAL for a control character, as text from outside must not drive a
 * terminal; another negative errno, such as -EFBIG behind 4 MB. */
void *lines_open(FILE *file, const char *name, size_t size, char **text, int *rc,
		 char error[LINES_ERROR]);

/* Cuts @text at its lines, and calls @take for each, numbered from 1, until it returns a negative
 * errno, which is the result. */
int lines_each(char *text, int (*take)(void *context, int nr, char *line), void *context);

/* Cuts @line at its tabs. Returns how many cells there are; @cell gets the first @max of them. */
unsigned int lines_cut(char *line, const char **cell, unsigned int max);

#endif
