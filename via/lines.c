/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - the lines of what comes in pieces, such as the output of a program */
#include "via/lines.h"

void via_lines_end(struct via_lines *lines,
		   void (*on_line)(void *data, const char *text, size_t len), void *arg)
{
	if (lines->len)
		on_line(arg, lines->text, lines->len);
	lines->len = 0;
}

void via_lines_feed(struct via_lines *lines, const char *data, size_t len,
		    void (*on_line)(void *data, const char *text, size_t len), void *arg)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] == '\n') {
			on_line(arg, lines->text, lines->len);
			lines->len = 0;
			continue;
		}
		lines->text[lines->len++] = data[i];
		if (lines->len == VIA_LINES_ROOM)
			via_lines_end(lines, on_line, arg);
	}
}
