/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - the lines of what comes in pieces, such as the output of a program */
#ifndef VIA_LINES_H
#define VIA_LINES_H

#include <stddef.h>

#define VIA_LINES_ROOM 2048 /* bytes; a longer line is handed over in parts */

struct via_lines {
	char text[VIA_LINES_ROOM];
	size_t len;
};

/* Gives @on_line each line of these bytes and of those before, without its newline. */
void via_lines_feed(struct via_lines *lines, const char *data, size_t len,
		    void (*on_line)(void *data, const char *text, size_t len), void *arg);

/* The rest, a line without a newline. */
void via_lines_end(struct via_lines *lines,
		   void (*on_line)(void *data, const char *text, size_t len), void *arg);

#endif
