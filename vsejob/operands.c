/* SPDX-License-Identifier: Apache-2.0 */
/* operands.c - the operands of a statement: words and KEY=value, apart by commas */
#include "vsejob/operands.h"

#include <stdbool.h>
#include <string.h>

static char to_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

void operands_fold(char *text)
{
	for (; *text; text++)
		*text = to_upper(*text);
}

/* Copies the text in quotes at *@from to @to and moves *@from behind it. Returns the new end of
 * @to, or NULL. */
static char *unquote(char **from, char *to)
{
	char *p = *from + 1;

	for (;; p++) {
		if (!*p)
			return NULL;
		if (*p == '\'' && *++p != '\'')
			break;
		*to++ = *p;
	}
	*from = p;
	return to;
}

/* Reads one operand at *@text and moves *@text to the character that ends it. */
static const char *take(struct operand *op, char **text)
{
	char *p = *text, *to = p;
	int depth = 0;

	op->key = NULL;
	op->value = p;
	while (*p && (depth || (*p != ',' && *p != ' '))) {
		if (*p == '\'') {
			to = unquote(&p, to);
			if (!to)
				return "a quote is not closed";
			continue;
		}
		depth += *p == '(';
		depth -= *p == ')';
		if (depth < 0)
			return "a closing parenthesis has no opening one";
		if (*p == '=' && !op->key && !depth) {
			*to++ = '\0';
			p++;
			op->key = op->value;
			op->value = to;
			continue;
		}
		*to++ = *p++;
	}
	if (depth)
		return "a parenthesis is not closed";
	*text = p;
	/* The caller sets the NUL after it has looked at the character there. */
	if (to != p)
		*to = '\0';
	return NULL;
}

const char *operands_split(struct operands *ops, char *text)
{
	static char none[] = "";
	const char *wrong;

	ops->nr = 0;
	text += strspn(text, " ");
	while (*text && *text != ' ') {
		struct operand *op = &ops->item[ops->nr];
		char end;

		if (ops->nr == OPERANDS_MAX)
			return "there are too many operands";
		wrong = take(op, &text);
		if (wrong)
			return wrong;
		ops->nr++;
		end = *text;
		*text = '\0';
		if (!op->key)
			op->key = none;
		operands_fold(op->key);
		if (end)
			text++;
		if (end == ',' && (!*text || *text == ' '))
			return "an operand is missing after the last comma";
		if (end != ',')
			break;
	}
	return NULL;
}

const char *operands_value(const struct operands *ops, const char *key)
{
	for (size_t i = 0; i < ops->nr; i++) {
		if (!strcmp(ops->item[i].key, key))
			return ops->item[i].value;
	}
	return NULL;
}
