/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - files of lines whose cells have tabs between them */
#include "figures/lines.h"

#include <errno.h>
#include <stdbool.h>
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

/* Returns whether the byte at @i is behind another one in a character of UTF-8. */
static bool continues(const unsigned char *text, size_t i)
{
	for (size_t back = 1; back <= 3 && back <= i; back++) {
		unsigned char c = text[i - back];

		if (c >= 0xc2 && c <= 0xf4)
			return back < (c < 0xe0 ? 2u : c < 0xf0 ? 3u : 4u);
		if (c < 0x80 || c > 0xbf)
			return false;
	}
	return false;
}

/* Terminals obey the bytes 0x80 to 0x9f alone and the characters U+0080 to U+009F, such as CSI, as
 * they obey ESC. Other bytes of UTF-8 may have the same values. */
static bool is_control(const unsigned char *text, size_t i)
{
	unsigned char c = text[i];

	if (c < 0x20)
		return c != '\t' && c != '\n';
	if (c < 0x80 || c > 0x9f)
		return c == 0x7f;
	return !continues(text, i) || text[i - 1] == 0xc2;
}

static int read_lines(FILE *file, const char *name, char **text, char error[LINES_ERROR])
{
	size_t len, line = 1, start = 0;
	const unsigned char *bytes;
	int rc = read_all(file, text, &len);

	if (rc < 0) {
		snprintf(error, LINES_ERROR, "%s: %s", name, strerror(-rc));
		return rc;
	}
	bytes = (const unsigned char *)*text;
	for (size_t i = 0; i < len; i++) {
		if (bytes[i] == '\n') {
			line++;
			start = i + 1;
		} else if (is_control(bytes, i)) {
			snprintf(error, LINES_ERROR, "%s:%zu:%zu: a control character, 0x%02x",
				 name, line, i - start + 1, bytes[i]);
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
