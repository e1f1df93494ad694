/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - text from outside, made safe for a terminal */
#include "lfpd-admin/text.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <wchar.h>

struct character {
	size_t len;   /* bytes */
	size_t width; /* columns */
	bool shown;   /* else "?" stands for it */
};

/* @at is not at its end. */
static struct character character_at(const char *at)
{
	mbstate_t state = {0};
	wchar_t wide;
	size_t len = mbrtowc(&wide, at, strnlen(at, MB_LEN_MAX), &state);
	int width;

	if (len == (size_t)-1 || len == (size_t)-2)
		return (struct character){1, 1, false};
	width = wcwidth(wide);
	if (width < 1)
		return (struct character){len, 1, false};
	return (struct character){len, (size_t)width, true};
}

size_t text_width(const char *text)
{
	size_t width = 0;

	while (*text) {
		struct character character = character_at(text);

		text += character.len;
		width += character.width;
	}
	return width;
}

void text_clean(char *text)
{
	char *to = text;

	while (*text) {
		struct character character = character_at(text);

		if (character.shown)
			memmove(to, text, character.len);
		else
			*to = '?';
		to += character.shown ? character.len : 1;
		text += character.len;
	}
	*to = '\0';
}

static void put_blanks(size_t nr, FILE *out)
{
	while (nr--)
		putc(' ', out);
}

/* Instead of a wide character that is only half there stands a blank. */
void text_columns(const char *text, size_t from, size_t to, FILE *out)
{
	size_t at = 0;

	while (*text && at < to) {
		struct character character = character_at(text);
		size_t end = at + character.width;

		if (at >= from && end <= to && character.shown)
			fwrite(text, 1, character.len, out);
		else if (at >= from && end <= to)
			putc('?', out);
		else if (end > from)
			putc(' ', out);
		text += character.len;
		at = end;
	}
}

void text_put(const char *text, FILE *out)
{
	text_columns(text, 0, SIZE_MAX, out);
}

void text_fit(const char *text, size_t width, enum text_side side, FILE *out)
{
	size_t all = text_width(text);

	if (!width)
		return;
	if (all > width && side == TEXT_RIGHT) {
		putc('<', out);
		text_columns(text, all - width + 1, all, out);
	} else if (all > width) {
		text_columns(text, 0, width - 1, out);
		putc('>', out);
	} else {
		put_blanks(side == TEXT_RIGHT ? width - all : 0, out);
		text_columns(text, 0, all, out);
		put_blanks(side == TEXT_LEFT ? width - all : 0, out);
	}
}

void text_part(const char *text, size_t from, size_t width, FILE *out)
{
	size_t all = text_width(text), to = from + width;
	bool left = from > 0 && all > 0, right = all > to;

	if (!width)
		return;
	if (left)
		putc('<', out);
	text_columns(text, from + left, right ? to - 1 : all, out);
	if (right)
		putc('>', out);
}
