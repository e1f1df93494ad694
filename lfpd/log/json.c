/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - strings of JSON, made without memory of their own */
#include "lfpd/log/json.h"

#include <string.h>

/* Returns the length of the UTF-8 sequence at @text, 0 if it is invalid (RFC 3629, table 3-7 of
 * Unicode). */
static size_t sequence(const unsigned char *text)
{
	static const struct {
		unsigned char first, last, second_least, second_most;
		size_t len;
	} forms[] = {
		{0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t len = forms[i].len;

		if (*text < forms[i].first || *text > forms[i].last)
			continue;
		if (len > 1 && (text[1] < forms[i].second_least || text[1] > forms[i].second_most))
			return 0;
		for (size_t at = 2; at < len; at++)
			if (text[at] < 0x80 || text[at] > 0xbf)
				return 0;
		return len;
	}
	return 0;
}

/* The length of what needs no look at single characters: most texts as a whole. */
static size_t plain(const unsigned char *text)
{
	size_t len = 0;

	while (text[len] >= 0x20 && text[len] < 0x7f && text[len] != '"' && text[len] != '\\')
		len++;
	return len;
}

void log_json_string(const char *text, FILE *out)
{
	const unsigned char *at = (const unsigned char *)text;

	putc('"', out);
	while (*at) {
		size_t len = plain(at);

		if (len) {
			fwrite(at, 1, len, out);
			at += len;
			continue;
		}
		len = sequence(at);
		if (!len)
			fputs("\\ufffd", out);
		else if (*at == '"' || *at == '\\')
			fprintf(out, "\\%c", *at);
		else if (*at < 0x20 || *at == 0x7f)
			fprintf(out, "\\u%04x", *at);
		else if (*at == 0xc2 && at[1] < 0xa0) /* a control character for terminals */
			fprintf(out, "\\u%04x", at[1]);
		else
			fwrite(at, 1, len, out);
		at += len ? len : 1;
	}
	putc('"', out);
}
