/* SPDX-License-Identifier: Apache-2.0 */
/* stack.c - reads mux.conf: the stacks behind system ids that are not LFP's */
#include "libvsesock/mux/files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lfp/places.h"

#define FILE_MAX 4096u

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Returns the next word of a line that ends at @end, or NULL. "=" is a word. */
static const char *next_word(const char **at, const char *end, size_t *len)
{
	const char *word;

	while (*at < end && is_blank(**at))
		(*at)++;
	if (*at == end)
		return NULL;
	word = (*at)++;
	while (*word != '=' && *at < end && **at != '=' && !is_blank(**at))
		(*at)++;
	*len = (size_t)(*at - word);
	return word;
}

static bool is_word(const char *word, size_t len, const char *want)
{
	return word && len == strlen(want) && !strncasecmp(word, want, len);
}

static enum mux_stack to_stack(const char *word, size_t len)
{
	if (is_word(word, len, "host"))
		return MUX_STACK_HOST;
	if (is_word(word, len, "stack"))
		return MUX_STACK_OWN;
	return is_word(word, len, "none") ? MUX_STACK_NONE : MUX_STACK_BAD;
}

static enum mux_stack to_host(const char *word, size_t len)
{
	if (is_word(word, len, "yes"))
		return MUX_STACK_HOST;
	return is_word(word, len, "no") ? MUX_STACK_NONE : MUX_STACK_BAD;
}

/* Reads a line that is neither empty nor a comment. Returns false if it is wrong. */
static bool read_line(const char *at, const char *end, enum mux_phase phase, enum mux_stack *stack)
{
	size_t len = 0, equals = 0, value_len = 0, more = 0;
	const char *key = next_word(&at, end, &len), *is = next_word(&at, end, &equals);
	const char *value = next_word(&at, end, &value_len);
	enum mux_stack said;
	bool both = is_word(key, len, "HOST_SOCKETS");
	bool edtcpv = is_word(key, len, "$EDTCPV"), bsttcp = is_word(key, len, "BSTTTCP6");

	if (!(both || edtcpv || bsttcp) || !is_word(is, equals, "=") || next_word(&at, end, &more))
		return false;
	said = both ? to_host(value, value_len) : to_stack(value, value_len);
	if (said == MUX_STACK_BAD)
		return false;
	if (both || phase == (edtcpv ? MUX_EDTCPV : MUX_BSTTTCP6))
		*stack = said;
	return true;
}

enum mux_stack mux_read_stack(const char *text, size_t len, enum mux_phase phase,
			      unsigned int *line)
{
	enum mux_stack stack = MUX_STACK_NONE;
	const char *end = text + len;

	for (*line = 1; text < end; ++*line) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		while (text < stop && is_blank(*text))
			text++;
		if (text < stop && *text != '#' && !read_line(text, stop, phase, &stack))
			return MUX_STACK_BAD;
		text = stop + 1;
	}
	return stack;
}

enum mux_stack mux_ask_stack(enum mux_phase phase, char *path, size_t size, unsigned int *line)
{
	char place[LFP_PLACE_MAX], text[FILE_MAX];
	size_t len;
	FILE *in;

	*line = 0;
	path[0] = '\0';
	if (lfp_place_mux(place))
		return MUX_STACK_NONE;
	snprintf(path, size, "%s", place);
	in = fopen(place, "re");
	if (!in)
		return MUX_STACK_NONE;
	len = fread(text, 1, sizeof(text), in);
	fclose(in);
	return mux_read_stack(text, len, phase, line);
}

bool mux_is_other_stack(enum mux_phase phase)
{
	return phase == MUX_EDTCPV || phase == MUX_BSTTTCP6;
}

const char *mux_stack_place(const char *nn)
{
	const char *said = getenv(MUX_STACK_VARIABLE);

	if (!said || lfp_check_nn(nn) < 0 || strncmp(said, nn, 2) || said[2] != ':' ||
	    said[3] != '/')
		return NULL;
	return said + 3;
}
