/* SPDX-License-Identifier: Apache-2.0 */
/* substitute.c - symbolic parameters in a statement: &NAME is replaced by its value */
#include "vsejob/substitute.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "vsejob/operands.h"

#define FIRST "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz$#@"
#define NAME  8u

/* Where the replaced text goes. */
struct out {
	char *text;
	size_t used, size;
	bool quoted;
};

static bool put(struct out *out, char c)
{
	if (out->used + 1 >= out->size)
		return false;
	out->text[out->used++] = c;
	out->text[out->used] = '\0';
	return true;
}

static bool put_value(struct out *out, const char *value)
{
	for (; *value; value++) {
		if ((out->quoted && *value == '\'' && !put(out, '\'')) || !put(out, *value))
			return false;
	}
	return true;
}

/* The name at @text, folded into @name; its length, or 0 if no parameter is there. */
static size_t take_name(const char *text, char name[static NAME + 2])
{
	static const char *const others[] = {"$RC", "$MRC", "$CANCEL", "$ABEND"};
	size_t len = strspn(text, FIRST) ? strspn(text, FIRST "0123456789") : 0;

	if (len > NAME + 1)
		len = NAME + 1;
	memcpy(name, text, len);
	name[len] = '\0';
	operands_fold(name);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strcmp(name, others[i]))
			return 0;
	}
	return len;
}

/* The parameter behind the ampersand at *@text, which then stands behind it. */
static const char *replace(const struct substitution *how, const char **text, struct out *out)
{
	static char why[64];
	char name[NAME + 2];
	size_t len = take_name(*text + 1, name);
	const char *value;

	if (!len) {
		*text += (*text)[1] == '&' ? 2 : 1;
		return put(out, '&') ? NULL : "the statement is too long";
	}
	value = len <= NAME ? how->value_of(how->data, name) : NULL;
	if (!value) {
		snprintf(why, sizeof(why), "&%s is not set; write && for an ampersand", name);
		return why;
	}
	*text += 1 + len;
	*text += **text == '.';
	return put_value(out, value) ? NULL : "the statement is too long";
}

const char *substitute(const struct substitution *how, const char *text, char *out, size_t size)
{
	struct out to = {.text = out, .size = size};
	const char *why = NULL;

	out[0] = '\0';
	while (*text && !why) {
		if (*text == '&') {
			why = replace(how, &text, &to);
			continue;
		}
		to.quoted ^= *text == '\'';
		if (!put(&to, *text++))
			why = "the statement is too long";
	}
	return why;
}
