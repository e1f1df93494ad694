/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.c - words on lines of a width: no word is ever cut, so an address is whole or begins a line
 */
#include "lfpd-admin/wrap.h"

#include <string.h>

#include "lfpd-admin/text.h"

void wrap_line(struct wrap *wrap)
{
	putc('\n', wrap->out);
	wrap->used = 0;
}

void wrap_word(struct wrap *wrap, const char *word)
{
	size_t len = text_width(word);

	if (!*word)
		return;
	if (wrap->used && wrap->used + 1 + len > wrap->width)
		wrap_line(wrap);
	if (wrap->used) {
		putc(' ', wrap->out);
		wrap->used++;
	}
	text_put(word, wrap->out);
	wrap->used += len;
}

void wrap_words(struct wrap *wrap, const char *before, const char *word, const char *behind)
{
	if (!*word)
		return;
	wrap_word(wrap, before);
	wrap_word(wrap, word);
	wrap_word(wrap, behind);
}

/* Writes the address without its brackets, and then the port. */
static void put_split(struct wrap *wrap, const char *title, const char *value)
{
	const char *end = strstr(value, "]:");
	char address[64];

	snprintf(address, sizeof(address), "%.*s", (int)(end - value - 1), value + 1);
	wrap_words(wrap, title, address, "");
	wrap_words(wrap, "port", end + 2, "");
}

void wrap_row(struct wrap *wrap, const struct rows *rows, size_t row)
{
	for (size_t c = 0; c < rows->columns; c++) {
		char title[ROWS_TITLE], text[ROWS_VALUE];
		const char *value = rows_value(rows, row, c, text);
		const char *end = strstr(value, "]:");

		if (!*rows_cell(rows, row, c))
			continue;
		rows_title(&rows->column[c], title);
		if (*value == '[' && end && end - value < 60 && text_width(value) > wrap->width)
			put_split(wrap, title, value);
		else
			wrap_words(wrap, title, value, "");
	}
	wrap_line(wrap);
}
