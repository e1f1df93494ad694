/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - files of lines whose cells have tabs between them */
#include "figures/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 4 << 20 };

int lines_read(FILE *file, char **text)
{
	size_t room = 65536, len = 0;

	*text = malloc(room + 1);
	while (*text) {
		len += fread(*text + len, 1, room - len, file);
		if (len < room)
			break;
		if (room >= LINES_MAX)
			return -EFBIG;
		room *= 2;
		char *more = realloc(*text, room + 1);

		if (!more)
			return -ENOMEM;
		*text = more;
	}
	if (!*text)
		return -ENOMEM;
	if (ferror(file))
		return -EIO;
	if (memchr(*text, '\0', len))
		return -EBADMSG;
	(*text)[len] = '\0';
	return 0;
}

size_t lines_count(const char *text)
{
	size_t lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

char *lines_next(char **text)
{
	char *line = *text, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end++ = '\0';
	*text = end;
	return line;
}

unsigned int lines_cut(char *line, const char **cell, unsigned int max)
{
	unsigned int count = 0;

	for (char *next = line; next; count++) {
		char *tab = strchr(next, '\t');

		if (count < max)
			cell[count] = next;
		if (tab)
			*tab = '\0';
		next = tab ? tab + 1 : NULL;
	}
	return count;
}
