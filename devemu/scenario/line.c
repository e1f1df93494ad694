/* SPDX-License-Identifier: Apache-2.0 */
/* line.c - cutting a line into a word, names and keys */
#include "devemu/scenario/line.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

int line_fail(const struct line *line, const char *key, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = lfp_reader_fail(line->err, line->file, line->nr, key, fmt, ap);
	va_end(ap);
	return rc;
}

static int add_key(struct line *line, char *word, char *equals)
{
	*equals = '\0';
	if (line->keys == LINE_KEYS)
		return line_fail(line, word, "more than %d keys in the line", LINE_KEYS);
	for (unsigned int i = 0; i < line->keys; i++)
		if (!strcmp(line->key[i].key, word))
			return line_fail(line, word, "appears twice in the line");
	line->key[line->keys].key = word;
	line->key[line->keys].value = equals + 1;
	line->key[line->keys].used = 0;
	line->keys++;
	return 0;
}

int line_cut(struct line *line, char *text)
{
	char *rest = NULL, *word, *equals;

	line->word = NULL;
	line->names = line->keys = 0;
	for (word = strtok_r(text, " \t\r\n", &rest); word;
	     word = strtok_r(NULL, " \t\r\n", &rest)) {
		if (*word == '#')
			break;
		equals = strchr(word, '=');
		if (!line->word) {
			if (equals)
				return line_fail(line, "", "a statement cannot start with '%s'",
						 word);
			line->word = word;
		} else if (equals) {
			if (equals == word)
				return line_fail(line, "", "'%s' has no key", word);
			if (add_key(line, word, equals) < 0)
				return -EINVAL;
		} else if (line->keys) {
			return line_fail(line, "", "'%s' is a name and must come before the keys",
					 word);
		} else if (line->names == LINE_NAMES) {
			return line_fail(line, "", "'%s' is one name too many", word);
		} else {
			line->name[line->names++] = word;
		}
	}
	return line->word != NULL;
}

const char *line_value(struct line *line, const char *key)
{
	for (unsigned int i = 0; i < line->keys; i++)
		if (!strcmp(line->key[i].key, key)) {
			line->key[i].used = 1;
			return line->key[i].value;
		}
	return NULL;
}

int line_done(const struct line *line)
{
	for (unsigned int i = 0; i < line->keys; i++)
		if (!line->key[i].used)
			return line_fail(line, line->key[i].key, "'%s' has no such key",
					 line->word);
	return 0;
}
