/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - the common part of the readers of both sides' configurations */
#include "lfp/reader.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int lfp_reader_fail(struct lfp_reader_error *err, const char *name, int line, const char *key,
		    const char *fmt, va_list ap)
{
	int used;

	err->line = line;
	snprintf(err->key, sizeof(err->key), "%s", key);
	if (line)
		used = snprintf(err->text, sizeof(err->text), "%.255s:%d: ", name, line);
	else
		used = snprintf(err->text, sizeof(err->text), "%.255s: ", name);
	if (err->key[0])
		used += snprintf(err->text + used, sizeof(err->text) - (size_t)used,
				 "%s: ", err->key);
	vsnprintf(err->text + used, sizeof(err->text) - (size_t)used, fmt, ap);
	return -EINVAL;
}

static bool comes_before(const struct lfp_reader_error *a, const struct lfp_reader_error *b)
{
	return a->line && (!b->line || a->line < b->line);
}

void lfp_reader_errors_add(struct lfp_reader_errors *errs, const struct lfp_reader_error *err)
{
	size_t nr = lfp_reader_errors_listed(errs), at = nr;

	errs->nr++;
	while (at && comes_before(err, &errs->list[at - 1]))
		at--;
	if (at == LFP_READER_ERRORS)
		return;
	if (nr == LFP_READER_ERRORS)
		nr--;
	memmove(&errs->list[at + 1], &errs->list[at], (nr - at) * sizeof(errs->list[0]));
	errs->list[at] = *err;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

char *lfp_reader_trim(char *text)
{
	size_t len;

	while (is_blank(*text))
		text++;
	for (len = strlen(text); len && is_blank(text[len - 1]); len--)
		text[len - 1] = '\0';
	return text;
}
