/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - files of lines whose cells have tabs between them */
#include "figures/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 4 << 20 };

static int read_all(FILE *file, char **text, size_t *length)
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
	(*text)[len] = '\0';
	*length = len;
	return 0;
}

static int read_lines(FILE *file, const char *name, char **text, char error[LINES_ERROR])
{
	size_t len, line = 1, start = 0;
	int rc = read_all(file, text, &len);

	if (rc < 0) {
		snprintf(error, LINES_ERROR, "%s: %s", name, strerror(-rc));
		return rc;
	}
	for (size_t i = 0; i < len; i++) {
		const unsigned char c = (unsigned char)(*text)[i];

		if (c == '\n') {
			line++;
			start = i + 1;
		} else if ((c < 0x20 && c != '\t') || c == 0x7f) {
			snprintf(error, LINES_ERROR, "%s:%zu:%zu: a control character, 0x%02x",
				 name, line, i - start + 1, c);
			return -EINVAL;
		}
	}
	return 0;
}

static size_t count_lines(const char *text)
{
	size_t lines = 1;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

void *lines_open(FILE *file, const char *name, size_t size, char **text, int *rc,
		 char error[LINES_ERROR])
{
	void *room;

	*rc = read_lines(file, name, text, error);
	if (*rc < 0)
		return NULL;
	room = calloc(count_lines(*text), size);
	if (!room) {
		*rc = -ENOMEM;
		snprintf(error, LINES_ERROR, "%s: %s", name, strerror(ENOMEM));
	}
	return room;
}

int lines_each(char *text, int (*take)(void *context, int nr, char *line), void *context)
{
	int nr = 0, rc = 0;

	for (char *line = text, *next; *line && rc == 0; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = '\0';
		rc = take(context, ++nr, line);
	}
	return rc;
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
