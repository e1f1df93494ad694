/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - reads mux.conf: permission for system ids of other stacks to use the host's sockets */
#include "libvsesock/mux/files.h"

#include <stdbool.h>
#include <stdio.h>
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

/* Reads a line that is neither empty nor a comment. */
static enum mux_host read_line(const char *at, const char *end)
{
	size_t len = 0, equals = 0, value_len = 0;
	const char *key = next_word(&at, end, &len), *is = next_word(&at, end, &equals);
	const char *value = next_word(&at, end, &value_len);

	if (!is_word(key, len, "HOST_SOCKETS") || !is_word(is, equals, "=") ||
	    next_word(&at, end, &len))
		return MUX_HOST_BAD;
	if (is_word(value, value_len, "yes"))
		return MUX_HOST_YES;
	return is_word(value, value_len, "no") ? MUX_HOST_NO : MUX_HOST_BAD;
}

enum mux_host mux_read_host(const char *text, size_t len, unsigned int *line)
{
	enum mux_host host = MUX_HOST_NO;
	const char *end = text + len;

	for (*line = 1; text < end; ++*line) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		while (text < stop && is_blank(*text))
			text++;
		if (text < stop && *text != '#')
			host = read_line(text, stop);
		if (host == MUX_HOST_BAD)
			return host;
		text = stop + 1;
	}
	return host;
}

enum mux_host mux_ask_host(char *path, size_t size, unsigned int *line)
{
	char place[LFP_PLACE_MAX], text[FILE_MAX];
	size_t len;
	FILE *in;

	*line = 0;
	path[0] = '\0';
	if (lfp_place_mux(place))
		return MUX_HOST_NO;
	snprintf(path, size, "%s", place);
	in = fopen(place, "re");
	if (!in)
		return MUX_HOST_NO;
	len = fread(text, 1, sizeof(text), in);
	fclose(in);
	return mux_read_host(text, len, line);
}
